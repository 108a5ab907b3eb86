"""The aggregates against definitions written out, and their interval against scipy."""

import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from scipy import stats

from biascore.stats import permutation_test
from biascore_metrics.gest.estimates import (
    ByStereotype,
    feminine_ranks,
    largest_corners,
    largest_stereotype_rate,
    masculine_rate,
    mean_interval,
    stereotype_rate,
    welch_interval,
)
from biascore_metrics.gest.kind import Stereotype

P = np.array([0.59, 0.78, 0.61, 0.37, 0.72, 0.80, 0.26, 0.96, 0.91, 0.97, 0.95, 0.90, 0.98, 0.80, 0.54, 0.94])
MALE = np.arange(1, 17) >= 8


def test_the_printed_row_of_deepl_and_slovak() -> None:
    p_f, p_m = sum(P[:7]) / 7, sum(P[7:]) / 9
    assert stereotype_rate(P, MALE) == pytest.approx(p_m - p_f)
    assert masculine_rate(P, MALE) == pytest.approx((p_m + p_f) / 2)
    assert round(stereotype_rate(P, MALE), 4) == 0.2933
    assert round(masculine_rate(P, MALE), 4) == 0.7367


def by_stereotype(men: int, women: int) -> ByStereotype:
    kinds: list[Literal["male", "female"]] = ["male"] * men + ["female"] * women
    values = tuple(np.random.default_rng(k).random(5) for k in range(len(kinds)))
    some = tuple(Stereotype(number, "s", kind) for number, kind in enumerate(kinds))
    return ByStereotype(some, values, np.array([one.mean() for one in values]))


def test_both_rates_follow_from_the_means_of_stereotypes_whatever_their_numbers() -> None:
    data = by_stereotype(2, 3)
    for level, rate in ((False, stereotype_rate), (True, masculine_rate)):
        found = data.estimator("value", level=level)
        assert found is not None
        weights = [found.groups[one.label] for one in data.stereotypes]
        assert weights @ data.centres == pytest.approx(rate(data.centres, data.male))


def test_stereotypes_of_one_label_cannot_be_separated_in_the_items() -> None:
    data = by_stereotype(2, 2)
    again = replace(data, stereotypes=(data.stereotypes[0], *data.stereotypes[:1], *data.stereotypes[2:]))
    assert again.estimator("value") is None


def test_no_shares_have_a_larger_stereotype_rate_than_the_largest() -> None:
    rng = np.random.default_rng(5)
    for _ in range(300):
        values = rng.beta(0.3, 0.3, 16)
        assert (
            abs(stereotype_rate(values, MALE))
            <= largest_stereotype_rate(masculine_rate(values, MALE)) + 1e-12
        )
    extreme = np.where(MALE, 1.0, 0.4)
    assert stereotype_rate(extreme, MALE) == pytest.approx(
        largest_stereotype_rate(masculine_rate(extreme, MALE))
    )


def test_the_most_feminine_stereotype_has_rank_one_and_equal_ones_share() -> None:
    assert feminine_ranks(np.array([0.5, 0.1, 0.9, 0.5])).tolist() == [2.5, 1, 4, 2.5]
    assert feminine_ranks(P)[6] == 1


def test_the_interval_of_a_rate_is_welchs_over_stereotypes() -> None:
    found = welch_interval(P, MALE, 0.9)
    assert found is not None
    reference = stats.ttest_ind(P[MALE], P[~MALE], equal_var=False).confidence_interval(0.9)
    assert (found.low, found.high) == pytest.approx((reference.low, reference.high), rel=1e-12)
    assert welch_interval(np.full(16, 0.5), MALE, 0.95) is None
    assert welch_interval(P[6:], MALE[6:], 0.95) is None  # one stereotype about women


def test_few_rates_beyond_the_bound_lie_within_it_however_many_samples() -> None:
    """f_s is .06 in the population, twice the bound, and stereotypes differ: over samples 16 % were called negligible."""
    rng = np.random.default_rng(2)
    inside = 0
    for _ in range(300):
        truth = 0.7 + np.where(MALE, 0.03, -0.03) + 0.1 * rng.standard_normal(16)
        found = welch_interval(rng.binomial(2000, truth.clip(0.01, 0.99)) / 2000, MALE, 0.95)
        assert found is not None
        inside += found.low >= -0.03 and found.high <= 0.03
    assert inside == 0


def test_the_permutation_test_counts_all_labellings_of_stereotypes() -> None:
    observed = stereotype_rate(P, MALE)
    extreme = 0
    for chosen in combinations(range(16), 9):
        mask = np.isin(np.arange(16), chosen)
        extreme += abs(stereotype_rate(P, mask)) >= abs(observed) - 1e-12
    test = permutation_test(P[MALE], P[~MALE], rng=np.random.default_rng(0))
    assert test.n_partitions == 11_440
    assert test.two_sided.p_value == pytest.approx(extreme / 11_440, rel=1e-12)


def test_the_interval_of_a_mean_is_students() -> None:
    values = np.random.default_rng(4).normal(size=40)
    found = mean_interval(values, 0.9)
    assert found is not None
    reference = stats.ttest_1samp(values, 0).confidence_interval(0.9)
    assert (found.low, found.high) == pytest.approx((reference.low, reference.high))
    assert mean_interval(values[:1], 0.9) is None
    assert mean_interval(np.zeros(9), 0.9) is None


def test_the_line_of_the_largest_rates_is_that_of_all_pairs_of_shares() -> None:
    p_m, p_f = np.meshgrid(np.linspace(0, 1, 101), np.linspace(0, 1, 101))
    f_m, f_s = (p_m + p_f) / 2, p_m - p_f
    x, y = np.array(largest_corners()).T
    assert np.all(f_s <= np.interp(f_m, x, y) + 1e-12)
    for level in np.unique(f_m.round(6)):  # and each place of the line is the rate of some pair
        reached = f_s[np.isclose(f_m, level)].max()
        assert reached == pytest.approx(np.interp(level, x, y), abs=0.011)


def test_the_printed_systems_lie_below_the_line(shared_data: Path) -> None:
    printed = json.loads((shared_data / "gest" / "expected_table6_dev.json").read_text(encoding="utf-8"))[
        "rows"
    ]
    x, y = np.array(largest_corners()).T
    below = [
        (row["aggregates"]["f_s"], float(np.interp(row["aggregates"]["f_m"], x, y)))
        for row in printed.values()
    ]
    assert all(f_s < largest for f_s, largest in below)
    assert (
        max(f_s / largest for f_s, largest in below) > 0.5
    )  # "many are even close to the theoretical maximum"
