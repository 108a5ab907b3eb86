"""Intervals and p-values of FISE: where they belong, and that they are those of clusters of words."""

import numpy as np
import pytest

from biascore.stats.robust_mean import robust_mean
from biascore_metrics.fise.clusters import distance_interval, effective_words, share_interval

from .axes import VECTORS, fise, fise_test


def test_intervals_and_p_values_are_where_they_belong(model_of):
    got = fise(model_of(VECTORS), fise_test())
    for estimate in got.estimates:
        if estimate.interval is not None and estimate.value is not None:
            assert estimate.interval.low <= estimate.value <= estimate.interval.high, estimate.name
    assert all(e.interval for e in got.estimates if e.unit == "share")
    deciding = {f"mean bias {d} at equal tightness" for d in ("gender", "race")}
    assert {e.name for e in got.estimates if e.p_values} == deciding
    assert got.headline.name in deciding


def test_errors_are_those_of_the_clusters_of_the_items(model_of):
    got = fise(model_of(VECTORS), fise_test())
    frame = got.items_frame()
    assert frame["cluster"].nunique() == round(40**0.5)
    for name, column in (
        ("mean bias gender", "gender"),
        ("mean bias race at equal tightness", "race at equal tightness"),
    ):
        expected = robust_mean(frame[column], clusters=frame["cluster"])
        found = got.estimate(name)
        assert (found.interval.low, found.interval.high) == pytest.approx((expected.low, expected.high))
        assert found.n["clusters"] == 6
    assert got.estimate("mean bias race at equal tightness").p("t over words, by clusters").value == (
        pytest.approx(robust_mean(frame["race at equal tightness"], clusters=frame["cluster"]).p_value())
    )
    inside = (frame["group"] == "men white").to_numpy()
    for name, members, among in (
        ("share of men white", inside, np.full(40, True)),
        ("positive valence among men white", (frame["valence"] > 0).to_numpy(), inside),
    ):
        expected = robust_mean(members[among].astype(float), clusters=frame["cluster"][among])
        found = got.estimate(name).interval
        ends = (max(0.0, expected.low), min(1.0, expected.high))
        assert (found.low, found.high) == pytest.approx(ends)
    assert got.conventions["clusters of target words"].startswith("40 words of 6 clusters of the vectors")


def test_same_seed_same_measurement_and_affect_changes_nothing_else(model_of):
    model = model_of(VECTORS)
    one, two = fise(model, fise_test()), fise(model, fise_test())
    assert one.model_dump() == two.model_dump()
    assert one.items.equals(two.items)
    without = fise(model, fise_test(affect=()))
    for estimate in without.estimates:
        assert estimate == one.estimate(estimate.name)


def test_words_of_one_cluster_alone_have_no_interval():
    one = np.zeros(3, dtype=np.intp)
    assert share_interval(np.array([True, True, False]), one, 0.95) is None
    assert share_interval(np.array([], dtype=bool), one[:0], 0.95) is None
    assert share_interval(np.array([True]), one[:1], 0.95).high == 1


def test_words_that_always_agree_count_as_their_clusters():
    apart, pairs = np.arange(400), np.repeat(np.arange(200), 2)
    codes = np.random.default_rng(1).integers(4, size=400).astype(np.int8)
    assert effective_words(codes, apart, 4, 0.95) == 400
    assert effective_words(codes[pairs], pairs, 4, 0.95) == pytest.approx(200, abs=6)
    assert effective_words(codes, pairs, 4, 0.95) == pytest.approx(400, abs=30)
    assert effective_words(codes, 0 * apart, 4, 0.95) == 1


def test_words_of_clusters_that_differ_within_are_worth_no_more_than_their_number():
    """Each cluster has one word of each cell, so that sums over clusters do not vary at all."""
    pairs, codes = np.repeat(np.arange(100), 2), np.tile([0, 1], 100).astype(np.int8)
    assert 190 < effective_words(codes, pairs, 2, 0.95) <= 200


def test_the_interval_of_a_distance_ends_at_the_furthest_that_there_is():
    found = distance_interval((10, 0, 0, 0), 10, level=0.95, rng=np.random.default_rng(1))
    assert 0 < found.low < found.high == 0.75


def test_the_interval_of_the_distance_keeps_its_level_where_the_truth_is_even():
    rng, held = np.random.default_rng(2), 0
    clusters = np.repeat(np.arange(40), 4)
    for _ in range(60):
        # Three of four words lie where their cluster lies.
        shared = rng.integers(4, size=40)[clusters]
        codes = np.where(rng.random(160) < 0.75, shared, rng.integers(4, size=160))
        counts = tuple(np.bincount(codes, minlength=4).tolist())
        effective = effective_words(codes, clusters, 4, 0.95)
        held += distance_interval(counts, effective, level=0.95, rng=rng).low == 0
    assert held >= 52  # of 60 at 95 %: fewer have probability below .02; by word 160 it would be some 35
