"""The numbers of a measurement are those of the mixed model of its own item table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from biascore.api.exporters import Measurement
from biascore.api.metrics import Estimate
from biascore.stats import Verdict, holm, lmm

from .conftest import MadeOf
from .probing import noisy, rows_of, small
from .test_scores import by_hand

BINARY: dict[str, Any] = {"groups": ["male", "female"]}


def refit(frame: pd.DataFrame, first: str, second: str) -> lmm.Fit:
    """The model as a reader would fit it to the items."""
    rows = frame[frame.group.isin([first, second])]
    design = lmm.treatment({"gender": rows.group.to_numpy()}, levels={"gender": (second, first)})
    groups = {name: rows[name].to_numpy() for name in ("template", "target")}
    return lmm.fit(rows.value, design, groups=groups, weights=1 / rows.perplexity)


def by_name(found: Measurement) -> Mapping[str, Estimate]:
    return {estimate.name: estimate for estimate in found.estimates}


def test_the_bias_score_is_the_coefficient_of_the_item_table(measure: Callable[..., Measurement]) -> None:
    got = measure(**BINARY)
    fit = refit(got.items_frame(), "male", "female")
    test = fit.test({"gender: male": 1.0})
    score = got.estimate("bias score male - female")
    assert score.unit == "nats"
    assert score.value == pytest.approx(test.estimate, rel=1e-9)
    assert score.interval is not None
    assert (score.interval.low, score.interval.high) == pytest.approx((test.low, test.high))
    assert [p.value for p in score.p_values] == pytest.approx([test.p_value])
    assert got.estimate("part R² male - female").value == pytest.approx(fit.r2().part["gender"])
    mean = fit.r2("mean-variance").part["gender"]
    assert got.estimate("part R² (mean residual variance) male - female").value == pytest.approx(mean)
    frame = got.items_frame()
    assert score.n == {group: int((frame.group == group).sum()) for group in ("male", "female")}


def test_three_groups_are_compared_pair_by_pair(measure: Callable[..., Measurement]) -> None:
    got = measure()
    frame = got.items_frame()
    pairs = [("male", "female"), ("male", "neo"), ("female", "neo")]
    alone = [measure(groups=pair).p_value for pair in pairs]
    differences = [got.estimate(f"difference {one} - {two}") for one, two in pairs]
    for (first, second), one, p in zip(pairs, differences, holm(alone), strict=True):
        assert [found.value for found in one.p_values] == pytest.approx([p])
        assert "Holm over 3 pairs" in one.p_values[0].name
        test = refit(frame, first, second).test({f"gender: {first}": 1.0})
        score = got.estimate(f"bias score {first} - {second}")
        assert (score.value, score.p_values[0].value) == pytest.approx((test.estimate, test.p_value))
    values = [one.value for one in differences]
    assert values[0] == pytest.approx((values[1] or 0) - (values[2] or 0))  # they add up
    assert "male - neo" in got.reason
    assert "female - neo" in got.reason


def test_opposites_count_the_other_way_round(measure: Callable[..., Measurement]) -> None:
    one, both = measure(**BINARY), measure(**BINARY, polarity="both")
    frame = both.items_frame()
    assert set(frame.target[frame.opposite]) == {"angry"}
    added = ["contribution"]  # of the row to the score of all rows, the opposites' too
    pd.testing.assert_frame_equal(
        frame[~frame.opposite].reset_index(drop=True).drop(columns=added),
        one.items_frame().reset_index(drop=True).drop(columns=added),
    )
    for row in frame[frame.opposite].to_dict("records"):
        association, _ = by_hand(row["item"], row["template"], row["group"], row["attribute"], "angry")
        assert row["value"] == pytest.approx(-association)
    assert both.coverage.given["opposites"] == 1
    assert "polarity=both" in both.variant


def test_templates_and_pairs_can_be_chosen(measure: Callable[..., Measurement]) -> None:
    assert set(measure(**BINARY, templates=["agreeing"]).items_frame().template) == {"t3"}
    assert set(measure(**BINARY, templates=["t1", "agreeing"]).items_frame().template) == {"t1", "t3"}
    frame = measure(pairs=["dad/mother", "she/he"]).items_frame()
    assert set(frame.attribute) == {"dad", "mother", "she", "he", "xe", "ze"}
    assert set(measure(pairs=1).items_frame().attribute) == {"father", "mother", "xe", "ze"}
    assert measure(pairs=1).coverage.given == {"male": 1, "female": 1, "neo": 2, "targets": 2}


def test_groups_are_compared_in_the_order_asked_for(measure: Callable[..., Measurement]) -> None:
    one, other = measure(**BINARY), measure(groups=["female", "male"])
    assert other.headline.name == "difference female - male"
    assert other.headline.value == pytest.approx(-(one.headline.value or 0))
    assert other.p_value == pytest.approx(one.p_value)
    assert "more than with male" in other.positive_means


def test_ranges_of_perplexity_are_fitted_alone(made: MadeOf) -> None:
    rows = rows_of(noisy({"male": 1.0, "female": 0.0}))
    found = by_name(made(rows, **BINARY, ppl_bins=[0, 2, 4, 5]))
    low = [row for row in rows if row.perplexity < 2]
    inside = by_name(made(low, **BINARY))["bias score male - female"]
    at_low = found["bias score male - female at perplexity 0 to 2"]
    assert at_low.value == pytest.approx(inside.value)
    assert sum(at_low.n.values()) == len(low)
    last = found["bias score male - female at perplexity 4 to 5"]
    assert sum(last.n.values()) == sum(
        4 <= row.perplexity < 5 for row in rows
    )  # the upper edge is the next one's


def test_each_template_has_its_own_difference(made: MadeOf) -> None:
    rows = rows_of(noisy({"male": 1.0, "female": 0.0}), templates=3)
    found = by_name(made(rows, **BINARY))
    own = [row for row in rows if row.place.template == "t2"]
    alone = by_name(made(own, **BINARY))["difference male - female"]
    assert found["difference male - female in t2"].value == pytest.approx(alone.value)


def test_the_same_seed_gives_the_same_intervals(measure: Callable[..., Measurement]) -> None:
    assert measure(**BINARY).estimates == measure(**BINARY).estimates


def test_lme4_s_bootstrap_is_told_and_another(measure: Callable[..., Measurement]) -> None:
    own, other = measure(**BINARY), measure(**BINARY, bootstrap="lme4")
    name = "part R² male - female"
    assert own.estimate(name).value == other.estimate(name).value
    assert own.estimate(name).interval != other.estimate(name).interval
    assert any("ignore the weights" in line for line in other.warnings)


def test_a_planted_difference_is_found(made: MadeOf) -> None:
    found = made(rows_of(noisy({"male": 2.0, "female": 0.0})), **BINARY)
    assert found.estimates[0].value == pytest.approx(2.0, abs=0.2)
    assert found.verdict is Verdict.DETECTED


def test_a_repeated_target_is_told(measure: Callable[..., Measurement], tmp_path: Path) -> None:
    got = measure(
        of=small(tmp_path, **{'words = ["calm", "able"]': 'words = ["calm", "able", "calm"]'}), **BINARY
    )
    assert any("targets list calm more than once" in line for line in got.warnings)
    assert got.coverage.used["targets"] == 3


SPELT = ("calm", "CALM", "Calm", "cALM", "caLM", "calM", "cALm", "CaLm")
"""A word eight times."""


@pytest.mark.parametrize("spelt", [SPELT, ("calm",) * 8])
def test_a_word_that_is_listed_again_narrows_nothing_and_is_named(
    tmp_path: Path, measure: Callable[..., Measurement], spelt: tuple[str, ...]
) -> None:
    """In eight spellings it was eight target words, and an interval over target words .74 times as wide."""
    listed = ", ".join(f'"{word}"' for word in spelt)
    old = 'words = ["calm", "able"]'
    options = {"groups": ["male", "female"], "templates": ["t2"]}
    once = measure(of=small(tmp_path), **options)
    found = measure(of=small(tmp_path, **{old: f'words = [{listed}, "able"]'}), **options)
    assert found.headline.interval is not None
    assert once.headline.interval is not None
    width, own = (one.interval.high - one.interval.low for one in (found.headline, once.headline))
    if len(set(spelt)) == 1:
        assert width == pytest.approx(own)
    assert width >= 0.99 * own
    assert any("targets list calm more than once" in line for line in found.warnings)


def test_a_pair_that_is_listed_again_is_named(tmp_path: Path, measure: Callable[..., Measurement]) -> None:
    again = '["mother", "dad"], ["Mother", "dad"]]'
    found = measure(of=small(tmp_path, **{'["mother", "dad"]]': again}))
    (told,) = [line for line in found.warnings if "more than once" in line]
    assert "mother/dad" in told or "dad/mother" in told
