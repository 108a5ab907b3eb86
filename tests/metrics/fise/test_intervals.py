"""Intervals and p-values of FISE: where they belong, and that they are those of the generic bootstrap."""

import math

import numpy as np
import pytest

from biascore_metrics.fise.intervals import difference_interval

from .axes import VECTORS, fise, fise_test

GROUPS = [f"{a} {b}" for a in ("men", "women") for b in ("white", "black")]


def test_intervals_and_p_values_are_where_they_belong(model_of):
    got = fise(model_of(VECTORS), fise_test())
    for estimate in got.estimates:
        if estimate.interval is not None and estimate.value is not None:
            assert estimate.interval.low <= estimate.value <= estimate.interval.high, estimate.name
    shares = [
        e for e in got.estimates if e.unit == "share" and e.name != "distance expected from shuffled labels"
    ]
    assert all(e.interval for e in shares)
    with_p = {e.name for e in got.estimates if e.p_values}
    assert with_p == {
        "distance of the distribution from even",
        *(f"{kind} {d}" for kind in ("mean bias", "standardised mean bias") for d in ("gender", "race")),
        *(f"mean bias {d} at equal tightness" for d in ("gender", "race")),
        "interaction gender x race",
        *(f"positive valence among {group} less the other groups" for group in GROUPS),
    }
    assert all(
        got.estimate(f"positive valence among {group} less the other groups").interval for group in GROUPS
    )
    larger, *both = got.estimate("interaction gender x race").p_values
    assert larger.value == max(p.value for p in both)
    assert got.estimate("mean bias gender").p_values[0].kind == "exact"


def test_shares_and_means_have_the_bootstrap_intervals_of_the_generic_bootstrap(model_of):
    from biascore.stats import bootstrap_interval

    for method in ("bca", "percentile"):
        got = fise(model_of(VECTORS), fise_test(), bootstrap=method, resamples=20_000)
        frame = got.items_frame()
        samples = {
            "mean bias gender": frame["gender"].to_numpy(),
            "share of men white": (frame["group"] == "men white").to_numpy(dtype=float),
        }
        for name, sample in samples.items():
            expected = bootstrap_interval(
                lambda batch: batch[0].mean(axis=1),
                (sample,),
                method=method,
                resamples=20_000,
                rng=np.random.default_rng(2),
            )
            found = got.estimate(name).interval
            assert found.method == method
            spread = float(np.std(sample)) / math.sqrt(40)
            assert found.low == pytest.approx(expected.low, abs=0.08 * spread + 0.0251 * ("share" in name))
            assert found.high == pytest.approx(expected.high, abs=0.08 * spread + 0.0251 * ("share" in name))


def test_same_seed_same_measurement_and_affect_changes_nothing_else(model_of):
    model = model_of(VECTORS)
    one, two = fise(model, fise_test()), fise(model, fise_test())
    assert one.model_dump() == two.model_dump()
    assert one.items.equals(two.items)
    without = fise(model, fise_test(affect=()))
    for estimate in without.estimates:
        if estimate.name.startswith(("distance", "mean", "interaction", "share")):
            assert estimate == one.estimate(estimate.name)


def test_the_difference_of_affect_has_the_interval_of_words_drawn_jointly(model_of):
    got = fise(model_of(VECTORS), fise_test(), bootstrap="percentile", resamples=5_000)
    frame = got.items_frame()
    estimate = got.estimate("positive valence among men white less the other groups")
    positive, inside = (
        (frame["valence"] > 0).to_numpy(),
        (frame["group"] == "men white").to_numpy(),
    )
    assert estimate.value == pytest.approx(positive[inside].mean() - positive[~inside].mean())
    assert estimate.n == {"words": inside.sum(), "words of others": (~inside).sum()}
    rng, drawn = np.random.default_rng(3), []
    for _ in range(5_000):
        rows = rng.integers(len(frame), size=len(frame))
        p, g = positive[rows], inside[rows]
        drawn.append(p[g].mean() - p[~g].mean())
    assert (estimate.interval.low, estimate.interval.high) == pytest.approx(
        np.quantile(drawn, [0.025, 0.975]), abs=0.04
    )


def test_where_words_agree_the_difference_of_affect_has_newcombes_interval():
    # Newcombe 1998, table II: 10 of 10 less 0 of 20, and 5 of 56 less 0 of 29, 95 %.
    def interval(one: int, of: int, other: int, among: int):
        found = difference_interval(None, (one, np.arange(of)), (other, np.arange(among)), 0.95)
        return found.low, found.high

    assert interval(10, 10, 0, 20) == pytest.approx((0.6791, 1.0), abs=1e-4)
    assert interval(5, 56, 0, 29) == pytest.approx((-0.0381, 0.1926), abs=1e-4)
