"""Do the methods agree? States and directions by concept, and ranks of tests, models and groups."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from biascore.results.estimates import Estimate
from biascore.results.measurement import Measurement
from biascore.results.words.agreement import agreements, orders
from biascore.stats import Adjustment, Verdict
from biascore.stats.ranks import rank_correlation

from ..builders.runs import measurement, run_of, table

CONGRUENT = "men with work (stereotype-congruent)"


def read(ruler: str, test: str, value: float | None, *, model: str = "m", **changed: object) -> Measurement:
    found = measurement(
        metric=ruler, test=test, model=model, value=value, p=0.5, verdict=Verdict.INCONCLUSIVE
    )
    return found.model_copy(update={"concept": "gender", **changed})


def test_tau_is_kendalls_and_its_interval_holds_it() -> None:
    one, other = [1, 2, 3, 4, 5, 6, 7], [1, 3, 2, 4, 6, 5, 7]
    agree = sum(
        (a - b) * (c - d) > 0 for (a, c), (b, d) in itertools.combinations(zip(one, other, strict=True), 2)
    )
    found = rank_correlation(one, other)
    assert found is not None
    assert found.tau == pytest.approx((2 * agree - 21) / 21)
    assert found.low is not None
    assert math.atanh(found.tau) - math.atanh(found.low) == pytest.approx(1.959964 * math.sqrt(0.437 / 3))
    few = rank_correlation(one[:5], other[:5])
    assert few is not None
    assert (few.n, few.low) == (5, None)
    assert rank_correlation([1, 2], [1, 2]) is None
    assert rank_correlation([1, 1, 1], [1, 2, 3]) is None
    with pytest.raises(ValueError, match="pass as many"):
        rank_correlation([1, 2, 3], [1, 2])


@pytest.mark.slow
@pytest.mark.parametrize(("rho", "n"), [(0.0, 8), (0.5, 10), (0.5, 20)])
def test_intervals_of_tau_cover_95_percent(rho: float, n: int) -> None:
    rng = np.random.default_rng(1)
    truth = 2 / math.pi * math.asin(rho)
    held = 0
    for _ in range(1000):
        x = rng.standard_normal(n)
        found = rank_correlation(x, rho * x + math.sqrt(1 - rho**2) * rng.standard_normal(n))
        held += found is None or found.low is None or bool(found.low <= truth <= (found.high or 1))
    assert 0.93 <= held / 1000 <= 0.985


def described(found: Measurement) -> Measurement:
    bare = found.headline.model_copy(update={"p_values": ()})
    return found.model_copy(update={"describes": True, "alpha": None, "estimates": (bare,)})


def test_one_concept_is_measured_by_each_method() -> None:
    run = run_of(
        read("weat", "t1", 0.5), read("weat", "t2", 0.4), read("crows", "pairs", 55.0, positive_means=CONGRUENT),
        read("seat", "t1", -0.5), read("weat", "t1", 0.5, model="alone"),
        read("weat-change", "t1", 0.5, change_from="before"), described(read("analogy", "t1", 0.5)),
        read("lpbs", "t1", None),
    )  # fmt: skip
    (found,) = agreements(run.measurements, run.verdicts)
    assert (found.model, found.concept) == ("m", "gender")
    assert [reading.method for reading in found.readings] == ["weat", "crows", "seat"]
    # No test is shared by all three, so that only the side of the stereotype can be told.
    assert [reading.direction for reading in found.readings] == [0, 1, 0]
    assert found.text == "No method detects a bias here, so there is nothing to agree on."
    both = run_of(read("weat", "t1", 0.5), read("seat", "t1", -0.5))
    (found,) = agreements(both.measurements, both.verdicts)
    assert [reading.direction for reading in found.readings] == [1, -1]
    assert found.text.endswith("nothing to agree on. 1 of 2 that have one direction have the same.")
    detected = both.measurements[0].model_copy(
        update={"verdict": Verdict.DETECTED, "estimates": (sure(both[0]),)}
    )
    one = run_of(detected, both[1], adjustment=Adjustment.NONE)
    (found,) = agreements(one.measurements, one.verdicts)
    assert found.text.startswith("1 of 2 methods detect a bias.")
    assert [reading.state for reading in found.readings] == [
        "detected in the one test",
        "inconclusive in the one test",
    ]


def test_baselines_and_what_has_no_direction_agree_on_nothing() -> None:
    some = [read(method, "t1", 0.5, concept="baseline") for method in ("weat", "seat")]
    assert agreements(some, run_of(*some).verdicts) == ()
    assert orders(some, run_of(*some).verdicts) == ()
    share = read("sc-weat", "t1", 0.5, positive_means="more words")
    share = share.model_copy(update={"estimates": (share.headline.model_copy(update={"unit": "share"}),)})
    both = run_of(read("weat", "t1", 0.5), share)
    assert agreements(both.measurements, both.verdicts) == ()


def sure(found: Measurement) -> Estimate:
    p = found.headline.p_values[0].model_copy(update={"value": 0.001})
    return found.headline.model_copy(update={"p_values": (p,)})


def test_orders_are_of_tests_of_models_and_of_groups() -> None:
    tests = [
        read(ruler, f"t{i}", sign * i) for ruler, sign in (("weat", 1.0), ("seat", -1.0)) for i in range(4)
    ]
    (found,) = orders(run_of(*tests).measurements, run_of(*tests).verdicts)
    assert (found.one, found.other, found.over, found.where) == ("weat", "seat", "tests", "m")
    assert (found.n, found.tau, found.low, found.interval) == (4, -1.0, None, "too few for an interval")

    models = [
        read(ruler, test, float(i), model=f"m{i}")
        for ruler, test in (("weat", "t1"), ("crows", "pairs"))
        for i in range(4)
    ]
    (found,) = orders(run_of(*models).measurements, run_of(*models).verdicts)
    assert (found.one, found.other, found.over, found.where) == (
        "weat, t1",
        "crows, pairs",
        "models",
        "gender",
    )

    assert (
        orders(run_of(*models[:3], *models[4:7]).measurements, run_of(*models[:3], *models[4:7]).verdicts)
        == ()
    )

    items = table([(f"w{i}", f"group {i % 5}", float(i % 5)) for i in range(10)])
    groups = [read("gest-mt", "t1", 0.5, items=items), read("gest-lm", "t2", 0.5, items=items)]
    (found,) = orders(run_of(*groups).measurements, run_of(*groups).verdicts)
    assert (found.over, found.n, found.tau) == ("groups of items", 5, pytest.approx(1.0))


def test_what_has_a_direction_is_put_in_order_and_named() -> None:
    """The strongest dimension of FISE is another one on another test; the headline of SC-WEAT says no way."""

    def fise(i: int) -> Measurement:
        found = read("fise", f"t{i}", float(i))
        name = f"mean bias {'gender' if i < 4 else 'race'}"
        return found.model_copy(update={"estimates": (found.headline.model_copy(update={"name": name}),)})

    def single(i: int) -> Measurement:
        found = read("sc-weat", f"t{i}", 0.5)
        lean = found.headline.model_copy(update={"name": "lean", "value": -float(i), "p_values": ()})
        share = found.headline.model_copy(update={"name": "share", "unit": "share"})
        more = "more words are associated than among control words"
        return found.model_copy(update={"estimates": (share, lean), "positive_means": more})

    run = run_of(*map(fise, range(8)), *map(single, range(8)))
    found = {(one.one, one.other): one for one in orders(run.measurements, run.verdicts)}
    assert set(found) == {(f"fise: mean bias {name}", "sc-weat: lean") for name in ("gender", "race")}
    assert all((one.n, one.tau) == (4, -1.0) for one in found.values())


def test_a_distance_and_a_change_are_in_no_order() -> None:
    def far(metric: str, i: int) -> Measurement:
        found = read(metric, f"t{i}", float(i))
        return found.model_copy(update={"estimates": (found.headline.model_copy(update={"chance": 0.1}),)})

    distances = run_of(*(far(metric, i) for metric in ("fise", "gg-fise") for i in range(4)))
    assert orders(distances.measurements, distances.verdicts) == ()
    changes = run_of(
        *(read(metric, f"t{i}", float(i), change_from="before") for metric in ("a", "b") for i in range(4))
    )
    assert orders(changes.measurements, changes.verdicts) == ()
    assert agreements(changes.measurements, changes.verdicts) == ()
