"""Winogender: models that follow the share of women, run against it, or do not look at the pronoun; numbers by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import linregress

from biascore import Engine
from biascore.api.exporters import Measurement
from biascore_metrics.coreference.winogender import CORRELATION, GAP, SLOPE, Winogender, WinogenderOptions
from biascore_metrics.coreference.winogender_items import SOMEONE, WinogenderTest

from ..measuring import measured
from .made import SHARES, name_sectors, read_winogender, referring, small, write_winogender

SHE = ("she", "her")
HE = ("he", "his", "him")


@pytest.fixture(scope="module")
def test(tmp_path_factory: pytest.TempPathFactory) -> WinogenderTest:
    return read_winogender(write_winogender(tmp_path_factory.mktemp("winogender")))


def found(test: WinogenderTest, referent: Callable[[str, str, str], float]) -> Measurement:
    return measured(Winogender(WinogenderOptions()), referring(referent), test)


def by_share(strength: float) -> Callable[[str, str, str], float]:
    """Log odds of the occupation, she - he, are ``strength`` times the share of women, from -1/2 to 1/2."""

    def referent(pronoun: str, mention: str, prompt: str) -> float:
        side = (pronoun in SHE) - (pronoun in HE)
        share = SHARES[mention] / 100 - 0.5 if mention in SHARES else 0.0
        return side * strength * share / 2 + small(prompt, mention)

    return referent


@pytest.mark.parametrize("strength", [3.0, -3.0])
def test_the_slope_is_that_of_the_log_odds(test: WinogenderTest, strength: float) -> None:
    one = found(test, by_share(strength))
    assert one.headline.name == SLOPE
    assert one.headline.value == pytest.approx(strength, abs=0.03)
    assert one.estimate(CORRELATION).value == pytest.approx(np.sign(strength), abs=0.001)
    assert one.verdict.value == "detected"


def test_sectors_are_the_clusters_where_they_are_named(tmp_path: Path) -> None:
    folder = name_sectors(write_winogender(tmp_path), *(f"sector {k % 6}" for k in range(12)))
    one = found(read_winogender(folder), by_share(3.0))
    assert one.headline.n == {"sectors": 6, "occupations": 12, "schemas": 48}
    assert one.headline.p_values[0].name == "t over sectors, CR2"
    assert one.headline.interval is not None
    assert one.headline.interval.method.startswith("t, CR2")
    assert one.estimate(GAP).n["sectors"] == 6
    few = found(read_winogender(name_sectors(write_winogender(tmp_path), *["a", "b"] * 6)), by_share(3.0))
    assert (few.headline.value, few.verdict.value) == (None, "not measured")
    assert "of 2 clusters in effect" in few.reason


def test_a_model_that_always_follows_the_majority_misses_every_gotcha_and_its_reverse_only_these(
    test: WinogenderTest,
) -> None:
    def stereotyped(sign: float) -> Callable[[str, str, str], float]:
        def referent(pronoun: str, mention: str, prompt: str) -> float:
            if mention not in SHARES or pronoun not in (*SHE, *HE):
                return small(prompt, mention)
            return sign * (1.0 if (SHARES[mention] >= 50) == (pronoun in SHE) else -1.0) + small(prompt)

        return referent

    follows, against = (found(test, stereotyped(sign)) for sign in (1.0, -1.0))
    for name in ("gotcha", "gotcha female", "gotcha male"):
        assert follows.estimate(f"published accuracy {name}").value == 0.0
        assert against.estimate(f"published accuracy {name}").value == 100.0
    # 96 of 144 sentences have he or she, half of them misleading.
    assert follows.estimate("published accuracy male").value == 50.0
    assert follows.estimate("published accuracy gotcha").n == {"sentences": 48, "occupations": 12}
    assert (follows.headline.value or 0.0) > 1.0 > -1.0 > (against.headline.value or 0.0)


def test_a_model_without_a_preference_has_none(test: WinogenderTest) -> None:
    one = found(test, lambda *_: 0.0)
    assert one.headline.value is None
    assert one.verdict.value == "not measured"
    assert [one.estimate(f"published {name}").value for name in ("accuracy", "accuracy gotcha")] == [0.0, 0.0]


def test_a_general_preference_is_a_gap_and_no_slope(test: WinogenderTest) -> None:
    one = found(
        test,
        lambda pronoun, mention, prompt: (
            (1.5 if mention in SHARES and pronoun in HE else 0.0) + small(prompt, mention)
        ),
    )
    assert one.estimate(GAP).value == pytest.approx(-1.5, abs=0.02)
    assert abs(one.headline.value or 0.0) < 0.03


def test_slopes_of_occupation_means_by_hand(test: WinogenderTest) -> None:
    rng = np.random.default_rng(1)
    told: dict[str, float] = {}

    def referent(pronoun: str, mention: str, prompt: str) -> float:
        return told.setdefault(f"{prompt} {mention}", float(rng.normal()))

    one = found(test, referent)
    frame = one.items_frame()
    frame["gap"] = frame["log_odds_female"] - frame["log_odds_male"]
    means = frame.groupby("occupation")[["gap", "women"]].mean()
    line = linregress(means["women"] / 100, means["gap"])
    assert one.headline.value == pytest.approx(line.slope)
    assert one.estimate(CORRELATION).value == pytest.approx(line.rvalue)
    named = frame[frame["group"] != SOMEONE].groupby("occupation")[["gap", "women"]].mean()
    assert one.estimate(f"{SLOPE}, the participant named").value == pytest.approx(
        linregress(named["women"] / 100, named["gap"]).slope
    )
    assert one.headline.n == {"occupations": 12, "schemas": 48}


def test_a_planted_slope_is_found_in_the_published_sentences(shared_data: Path) -> None:
    test = read_winogender(shared_data / "choices" / "winogender")
    engine = Engine(cache=None).with_tests([test], 0)
    (found,) = engine.measure("winogender", f"planted:{test.id}=1", test)
    ends = found.headline.interval
    assert ends is not None
    assert ends.low < 1.0 < ends.high
    assert found.verdict.value == "detected"
    assert found.estimate("published accuracy").n == {"sentences": 720, "occupations": 60}
    assert found.estimate("published accuracy gotcha").n == {"sentences": 240, "occupations": 60}
