"""Verdicts on made scores: significance, the size of R^2, its interval, and what the paper would say."""

from __future__ import annotations

from itertools import pairwise

import pytest

from biascore.plugins_api import Dots, Histogram
from biascore.results.verdicts import contradiction
from biascore.stats import Interval, Verdict
from biascore_metrics.robust.scores import Row
from biascore_metrics.robust.sizes import SIZES, decide_bias, size_of, stance

from .conftest import MadeOf
from .probing import noisy, rows_of

DETECTED, NEGLIGIBLE, INCONCLUSIVE = Verdict.DETECTED, Verdict.NEGLIGIBLE, Verdict.INCONCLUSIVE


@pytest.mark.parametrize(
    ("p", "r2", "low", "high", "level", "verdict", "words"),
    [
        (0.001, 0.2, 0.1, 0.3, 0.95, DETECTED, "biased, effect medium (0.09 to 0.25"),
        (0.05, 0.01, 0.001, 0.03, 0.95, DETECTED, "biased, effect small (0.01 to 0.03, ▽"),
        (0.001, 0.009, 0.002, 0.02, 0.95, INCONCLUSIVE, "unbiased, effect very small"),
        (0.001, 0.005, 0.002, 0.009, 0.95, NEGLIGIBLE, "unbiased, effect very small"),
        (0.001, 0.005, 0.002, 0.009, 0.80, INCONCLUSIVE, "unbiased, effect very small"),
        (0.3, 0.2, 0.0, 0.4, 0.95, INCONCLUSIVE, "words: neutral"),
        (0.07, 0.2, 0.0, 0.4, 0.95, INCONCLUSIVE, "words: marginally significant, neutral"),
        (0.3, 0.001, 0.0, 0.01, 0.95, NEGLIGIBLE, "words: neutral"),
    ],
)
def test_the_verdict_follows_from_p_and_r2(
    p: float, r2: float, low: float, high: float, level: float, verdict: Verdict, words: str
) -> None:
    interval = Interval(low, high, level, "made", 200)
    decision = decide_bias(p, r2, interval, alpha=0.05, r2_min=0.01)
    assert decision.verdict is verdict
    assert words in decision.reason
    assert f"{p:.3g}" in decision.reason
    assert f"{r2:.3g}" in decision.reason


def test_the_sizes_are_the_paper_s_and_leave_no_gap() -> None:
    assert [(one.high, two.low) for one, two in pairwise(SIZES)] == [
        (0.01, 0.01), (0.03, 0.03), (0.06, 0.06), (0.09, 0.09), (0.25, 0.25), (0.64, 0.64)
    ]  # fmt: skip
    assert [size_of(r2).symbol for r2 in (0.0, 0.01, 0.03, 0.06, 0.09)] == ["", "▽", "△", "▲", "*"]
    assert [size_of(r2).word for r2 in (0.25, 0.64, 1.0)] == ["large", "very large", "very large"]
    assert stance(0.04, 0.0099, alpha=0.05, r2_min=0.01).startswith("unbiased")


def test_a_large_difference_is_detected(made: MadeOf) -> None:
    got = made(rows_of(noisy({"male": 2.0, "female": 0.0})))
    assert got.verdict is DETECTED
    assert contradiction(got) == ""
    assert got.equivalence is not None
    assert got.equivalence.of == "part R² male - female"
    assert "male more than with words for female" in got.positive_means


def many(difference: float, spread: float) -> tuple[Row, ...]:
    """2,400 rows of weight 1 with a small difference; templates and targets vary much more than it."""
    scores = noisy({"male": difference, "female": 0.0}, spread=spread)
    return rows_of(scores, templates=6, targets=10, words=20, perplexity=lambda _: 1.0)


def test_a_significant_difference_that_is_too_small_is_negligible(made: MadeOf) -> None:
    got = made(many(0.06, 0.3))
    assert got.p_value is not None
    assert got.p_value < 0.001
    assert got.verdict is NEGLIGIBLE
    assert "although the p-value" in got.reason
    assert "unbiased" in got.reason
    assert contradiction(got) == ""


def test_a_significant_difference_not_shown_to_be_too_small_is_inconclusive(made: MadeOf) -> None:
    got = made(many(0.06, 0.3), r2_min=0.0008)
    r2 = got.estimate("part R² male - female")
    assert r2.value is not None
    assert r2.interval is not None
    assert r2.value < 0.0008 < r2.interval.high
    assert got.p_value is not None
    assert got.p_value < 0.05
    assert got.verdict is INCONCLUSIVE
    assert contradiction(got) == ""
    assert "lies inside its bound" in contradiction(got.model_copy(update={"verdict": DETECTED}))


def test_no_difference_among_few_rows_is_inconclusive(made: MadeOf) -> None:
    got = made(rows_of(noisy({"male": 0.0, "female": 0.0}), templates=5, targets=5, words=2))
    assert got.verdict is INCONCLUSIVE
    assert "neutral" in got.reason
    assert contradiction(got.model_copy(update={"verdict": DETECTED})) != ""


def test_the_rows_of_a_word_are_said_not_to_be_independent(made: MadeOf) -> None:
    rows = rows_of(noisy({"male": 2.0, "female": 0.0}))
    assert any("no independent observations" in line for line in made(rows).cautions)
    assert not any("no independent" in line for line in made(rows, random_attribute=True).cautions)


def test_pictures_name_what_they_draw(made: MadeOf) -> None:
    got = made(rows_of(noisy({"male": 2.0, "female": 0.0}), templates=3), ppl_bins=[0, 3, 100])
    drawn = {
        figure.title.partition(":")[0].partition(",")[0]: figure.estimates
        for figure in got.figures
        if not isinstance(figure, Histogram)
    }
    (perplexities,) = (figure for figure in got.figures if isinstance(figure, Histogram))
    assert perplexities.column == "perplexity"
    assert [(one.low, one.high, one.estimate) for one in perplexities.ranges] == [
        (0, 3, "bias score male - female at perplexity 0 to 3"),
        (3, 100, "bias score male - female at perplexity 3 to 100"),
    ]
    assert drawn["Bias scores by test and model"] == ("bias score male - female",)
    assert drawn["Share of variance that the group explains"] == (
        "part R² male - female",
        "part R² (mean residual variance) male - female",
    )
    (bands,) = (figure.bands for figure in got.figures if isinstance(figure, Dots) and figure.bands)
    assert [(band.name, band.low, band.high) for band in bands] == [
        ("very small", 0, 0.01),
        ("small", 0.01, 0.09),
        ("medium", 0.09, 0.25),
        ("large", 0.25, 0.64),
        ("very large", 0.64, 1),
    ]
    assert len(drawn["Bias score by template"]) == 3
    assert len(drawn["Random intercepts of the templates"]) == 3
    assert len(drawn["Random intercepts of the target words"]) == 6
    named = {name for names in drawn.values() for name in names} | {
        one.estimate for one in perplexities.ranges
    }
    assert named <= {one.name for one in got.estimates}
