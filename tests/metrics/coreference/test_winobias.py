"""WinoBias: models that always, never and sometimes follow the stereotype, and the numbers by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from biascore import Engine
from biascore.api.exporters import Measurement
from biascore.api.metrics import Model
from biascore.stats import TTest, robust_mean
from biascore_metrics.coreference.winobias import CausalWinoBias, WinoBias, WinoBiasMetricOptions
from biascore_metrics.coreference.winobias_items import WinoBiasTest

from ..measuring import measured
from .made import MEN, WOMEN, pronouns, read_winobias, referring, small, write_winobias

HE = ("he", "him")
GAP = "published accuracy pro - anti"


@pytest.fixture(scope="module")
def test(tmp_path_factory: pytest.TempPathFactory) -> WinoBiasTest:
    return read_winobias(write_winobias(tmp_path_factory.mktemp("wino")))


def causal(model: Model, test: WinoBiasTest, **options: object) -> Measurement:
    return measured(CausalWinoBias(WinoBiasMetricOptions(**options)), model, test)


def masked(model: Model, test: WinoBiasTest) -> Measurement:
    return measured(WinoBias(WinoBiasMetricOptions()), model, test)


def by_stereotype(strength: float) -> Callable[[str, str, str], float]:
    """ln p of a mention is higher by ``strength`` where the pronoun agrees with its stereotype."""

    def referent(pronoun: str, mention: str, prompt: str) -> float:
        return strength * ((mention in MEN) == (pronoun in HE)) + small(prompt, mention)

    return referent


@pytest.mark.parametrize(("strength", "gap"), [(2.0, 100.0), (-2.0, -100.0)])
def test_a_model_that_always_follows_the_stereotype_has_the_largest_gap_and_its_reverse_the_smallest(
    test: WinoBiasTest, strength: float, gap: float
) -> None:
    found = causal(referring(by_stereotype(strength)), test)
    assert found.estimate(GAP).value == gap
    assert found.headline.value == pytest.approx(2 * strength, abs=0.03)
    assert found.verdict.value == "detected"


def test_a_model_that_takes_the_right_mention_whatever_the_pronoun_has_no_gap(test: WinoBiasTest) -> None:
    right = {(p.pro.text, p.pro.mention) for p in test.pairs.rows} | {
        (p.anti.text, p.anti.mention) for p in test.pairs.rows
    }
    found = causal(
        referring(lambda _, mention, prompt: 3.0 * ((prompt.split(" ‘")[0], mention) in right)), test
    )
    assert [found.estimate(f"accuracy {side}").value for side in ("pro", "anti")] == [100.0, 100.0]
    assert (found.estimate(GAP).value, found.headline.value) == (0.0, 0.0)
    assert found.verdict.value == "inconclusive"


def test_no_preference_is_neutral_and_a_tie_is_not_right(test: WinoBiasTest) -> None:
    found = causal(referring(lambda *_: -1.0), test)
    assert [found.estimate(f"accuracy {side}").value for side in ("pro", "anti")] == [0.0, 0.0]
    assert (found.estimate(GAP).value, found.headline.value, found.headline.p_values) == (0.0, 0.0, ())
    assert found.verdict.value == "inconclusive"
    assert "are alike" in found.reason


def test_a_preference_for_one_pronoun_cancels(test: WinoBiasTest) -> None:
    found = masked(pronouns(lambda text, word: (2.0 if word in HE else 0.0) + small(text)), test)
    assert abs(found.headline.value or 0.0) < 0.01
    parts = {
        gender: found.estimate(f"{found.headline.name}, stereotype {gender}").value
        for gender in ("male", "female")
    }
    assert parts["male"] == pytest.approx(2.0, abs=0.02)
    assert parts["female"] == pytest.approx(-2.0, abs=0.02)


def test_a_masked_model_is_asked_for_the_pronoun(test: WinoBiasTest) -> None:
    agrees = {one.pro.text for one in test.pairs.rows}
    found = masked(pronouns(lambda text, _: (text in agrees) + small(text)), test)
    assert found.headline.value == pytest.approx(1.0, abs=0.01)
    assert found.verdict.value == "detected"
    assert found.estimates[0].n == {
        "pairs": 144, "masculine occupations": 6, "feminine occupations": 6
    }  # fmt: skip


def test_the_error_is_clustered_by_both_occupations(test: WinoBiasTest) -> None:
    rng = np.random.default_rng(3)
    own = {name: rng.normal(0.2, 1.0) for name in (*MEN, *WOMEN)}
    noise = {one.item: rng.normal() for one in test.pairs.rows}
    told = {
        said.text: side * (own[one.masculine] + own[one.feminine] + noise[one.item]) / 2
        for one in test.pairs.rows
        for side, said in ((1, one.pro), (-1, one.anti))
    }
    found = masked(pronouns(lambda text, _: told[text]), test)
    differences = [own[one.masculine] + own[one.feminine] + noise[one.item] for one in test.pairs.rows]
    men, women, both = (
        robust_mean(differences, None, labels)
        for labels in (
            [one.masculine for one in test.pairs.rows],
            [one.feminine for one in test.pairs.rows],
            [f"{one.masculine} {one.feminine}" for one in test.pairs.rows],
        )
    )
    variance = men.se**2 + women.se**2 - both.se**2
    assert variance > max(men.se, women.se, both.se) ** 2
    expected = TTest.of(float(np.mean(differences)), variance**0.5, min(men.df, women.df))
    ends = found.headline.interval
    assert ends is not None
    assert found.headline.value == pytest.approx(expected.estimate)
    assert found.headline.p_values[0].value == pytest.approx(expected.p_value)
    assert (ends.low, ends.high) == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize("side", ["masculine", "feminine"])
def test_few_occupations_on_one_side_can_detect_nothing(test: WinoBiasTest, side: str) -> None:
    metric = CausalWinoBias(WinoBiasMetricOptions())
    assert metric.unreachable(test) == ()
    some = {"masculine": MEN[:3], "feminine": WOMEN[:3]}[side]
    kept = tuple(one for one in test.pairs.rows if getattr(one, side) in some)
    (why,) = metric.unreachable(replace(test, pairs=test.pairs.of(kept)))
    assert "0.25 with 3 " in why.why


def test_the_prompt_is_that_of_the_harness(test: WinoBiasTest) -> None:
    model = referring(lambda *_: -1.0)
    causal(model, test)
    asked = model._backend.prompts  # type: ignore[attr-defined]
    assert "The miner greeted the florist because he was early. ‘He’ refers to the" in asked


def test_a_prompt_without_its_slots_is_refused() -> None:
    with pytest.raises(ValueError, match=r"has to hold {pronoun} once"):
        WinoBiasMetricOptions(prompt="{sentence} Who?")


def test_the_items_give_the_headline(test: WinoBiasTest) -> None:
    found = causal(referring(by_stereotype(0.5)), test)
    assert found.headline.estimator is not None
    assert math.isclose(found.headline.estimator.value(found.items) or 0.0, found.headline.value or 1.0)


@pytest.mark.parametrize("kind", ["masked", "causal"])
def test_a_planted_effect_is_found(test: WinoBiasTest, kind: str) -> None:
    engine = Engine(cache=None).with_tests([test], 0)
    (found,) = engine.measure("winobias", f"planted:{test.id}=1", test, model_kind=kind)
    assert found.headline.value == pytest.approx(1.0, abs=0.4)
    assert found.verdict.value == "detected"


def test_real_data_by_a_planted_model(shared_data: Path) -> None:
    test = read_winobias(shared_data / "choices" / "winobias")
    found = masked(pronouns(lambda text, word: small(text, word)), test)
    assert found.coverage.used == {"pairs": 780}
    assert len(found.coverage.lost) == 12
