from __future__ import annotations

import math

import pytest

from biascore.stats import Interval, Verdict, decide


def interval(low: float, high: float, level: float = 0.95) -> Interval:
    return Interval(low, high, level, "bca", 1000)


@pytest.mark.parametrize(
    ("p", "ends", "bound", "verdict"),
    [
        (0.001, (0.5, 1.5), 0.2, Verdict.DETECTED),
        (0.05, (0.01, 1.5), 0.2, Verdict.DETECTED),  # p <= alpha
        (0.0500001, (-0.01, 1.5), 0.2, Verdict.INCONCLUSIVE),
        (0.9, (-1.0, 1.0), 0.2, Verdict.INCONCLUSIVE),  # not significant is not "no bias"
        (0.9, (-0.1, 0.1), 0.2, Verdict.NEGLIGIBLE),
        (0.001, (0.05, 0.15), 0.2, Verdict.NEGLIGIBLE),  # even if significant
        (0.001, (0.05, 0.2), 0.2, Verdict.NEGLIGIBLE),  # ends of the bound included
        (0.001, (0.05, 0.2000001), 0.2, Verdict.DETECTED),
        (0.9, (-0.2000001, 0.0), 0.2, Verdict.INCONCLUSIVE),
        (0.9, (-0.1, 0.1), None, Verdict.INCONCLUSIVE),
        (0.001, None, 0.2, Verdict.DETECTED),
        (0.9, None, None, Verdict.INCONCLUSIVE),
        (None, (-0.1, 0.1), 0.2, Verdict.NEGLIGIBLE),
        (None, (0.5, 1.5), 0.2, Verdict.INCONCLUSIVE),
        (None, None, 0.2, Verdict.INCONCLUSIVE),
    ],
)
def test_rule(
    p: float | None, ends: tuple[float, float] | None, bound: float | None, verdict: Verdict
) -> None:
    decision = decide(p, None if ends is None else interval(*ends), alpha=0.05, bound=bound)
    assert decision.verdict is verdict


def test_an_interval_of_too_low_a_level_shows_nothing_negligible() -> None:
    ends = interval(-0.1, 0.1, level=0.9)
    assert decide(0.5, ends, alpha=0.05, bound=0.2).verdict is Verdict.NEGLIGIBLE
    strict = decide(0.5, ends, alpha=0.01, bound=0.2)
    assert strict.verdict is Verdict.INCONCLUSIVE
    assert "level is below" in strict.reason


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.086, 0.093, 0.2])
def test_a_level_of_just_1_less_2_alpha_shows_it_whatever_rounding_makes_of_it(alpha: float) -> None:
    level = round(1 - 2 * alpha, 3)
    ends = (interval(-0.1, 0.1, level=one) for one in (level, level - 0.001))
    found = [decide(0.5, one, alpha=alpha, bound=0.2).verdict for one in ends]
    assert found == [Verdict.NEGLIGIBLE, Verdict.INCONCLUSIVE]


def test_the_reason_is_one_sentence_with_the_numbers() -> None:
    assert decide(0.012, interval(0.31, 1.22), alpha=0.05, bound=0.2).reason == (
        "The p-value 0.012 is at most 0.05, and the 95 % interval [0.31, 1.22] "
        "is not inside the bound of 0.2."
    )
    assert decide(0.012, interval(0.01, 0.12), alpha=0.05, bound=0.2).reason == (
        "The 95 % interval [0.01, 0.12] lies inside the bound of 0.2, although p = 0.012."
    )
    assert (
        decide(None, None, alpha=0.05, bound=None).reason == "There is no p-value, and there is no interval."
    )


def test_verdicts_are_their_words() -> None:
    assert [str(v) for v in Verdict] == ["detected", "negligible", "inconclusive", "not measured"]


@pytest.mark.parametrize(
    ("p", "ends", "alpha", "bound", "message"),
    [
        (math.nan, (0.0, 1.0), 0.05, 0.2, "p_value"),
        (1.1, (0.0, 1.0), 0.05, 0.2, "p_value"),
        (0.1, (0.0, 1.0), 0.0, 0.2, "alpha"),
        (0.1, (0.0, 1.0), 0.05, 0.0, "bound"),
        (0.1, (math.nan, 1.0), 0.05, 0.2, "NaN end"),
    ],
)
def test_bad_input_is_refused(
    p: float, ends: tuple[float, float], alpha: float, bound: float, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        decide(p, interval(*ends), alpha=alpha, bound=bound)
