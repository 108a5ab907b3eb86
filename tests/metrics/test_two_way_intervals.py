"""WEAT's intervals speak of other targets and other attributes, unless the options hold the attributes fixed."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from biascore.api.exporters import Measurement
from biascore.designs.options import VectorOptions, WeatOptions
from biascore.stats import cosine_matrix
from biascore.stats.two_way import TWO_WAY, two_way_intervals
from biascore_metrics.weat.weat import Weat

from .measuring import measured

RNG = np.random.default_rng(5)
ROLES = {role: [f"{role}{i}" for i in range(8)] for role in "xyab"}
TOPIC = {"x": 0, "y": 1}
WORDS = {
    word: RNG.normal(size=40) + (3 * np.eye(40)[TOPIC[role]] if role in TOPIC else 0)
    for role, words in ROLES.items()
    for word in words
}
"""Two topics as targets, and attributes that are any words."""


def weat(model_of, test_of, **options: object) -> Measurement:
    given = {"draws": 200, "resamples": 400} | options
    return measured(Weat(WeatOptions(**given)), model_of(WORDS), test_of(*ROLES.values()))


def test_both_sides_are_resampled_and_the_interval_says_so(model_of, test_of):
    got = weat(model_of, test_of)
    rows = {
        role: np.array([WORDS[word] for word in words], dtype=np.float32) for role, words in ROLES.items()
    }
    table = cosine_matrix(np.concatenate([rows["x"], rows["y"]]), np.concatenate([rows["a"], rows["b"]]))
    expected = two_way_intervals(table, 8, 8, resamples=20_000, rng=np.random.default_rng(0))
    for estimate, one in zip(got.estimates, (expected.effect, expected.difference), strict=False):
        assert estimate.interval.method == TWO_WAY
        assert (estimate.interval.low, estimate.interval.high) == pytest.approx(
            (one.low, one.high), rel=0.2, abs=0.02
        )
    assert got.conventions["resampled"] == "target words and, apart from them, attribute words"
    assert got.method == "weat (draws=200, resamples=400)"


def test_the_interval_with_attributes_fixed_is_there_by_name_and_narrower(model_of, test_of):
    both, fixed = weat(model_of, test_of), weat(model_of, test_of, bootstrap="tested")
    assert fixed.headline.interval.method.startswith("studentized")
    assert fixed.conventions["resampled"] == "target words"
    widths = [one.estimates[1].interval.high - one.estimates[1].interval.low for one in (both, fixed)]
    assert widths[0] > 1.3 * widths[1]
    assert both.headline.value == fixed.headline.value
    assert both.headline.p_values == fixed.headline.p_values


def test_one_attribute_shows_no_variation_and_is_told_the_way_on(model_of, test_of):
    few = {**ROLES, "a": ["a0"]}
    got = measured(Weat(WeatOptions(draws=200, resamples=200)), model_of(WORDS), test_of(*few.values()))
    assert got.headline.interval is None
    (line,) = [line for line in got.cautions if line.startswith("no interval")]
    assert line.endswith("bootstrap=tested resamples one side alone")
    again = WeatOptions(draws=200, resamples=200, bootstrap="tested")
    assert measured(Weat(again), model_of(WORDS), test_of(*few.values())).headline.interval is not None


def test_what_is_detected_beside_an_interval_that_holds_0_says_so(model_of, test_of):
    got = weat(model_of, test_of, alpha=0.99)
    assert got.verdict == "detected"
    assert got.headline.interval.low < 0 < got.headline.interval.high
    told = "interval includes 0: other words might show no effect"
    assert f"The {told}." in got.reason
    assert f"the {told}" in got.cautions


def test_a_metric_of_two_lists_takes_no_two_way_interval():
    assert VectorOptions().bootstrap == "tested"
    with pytest.raises(ValidationError, match="use tested"):
        VectorOptions(bootstrap="two-way")
