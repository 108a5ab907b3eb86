"""Welch's t over names by stratum: against scipy and a calculation written out, its size in worlds, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t as student
from scipy.stats import ttest_ind

from biascore.stats import RegressionError, TTest, ZeroVarianceError, ols, treatment
from biascore.stats.welch import welch

RACE, GENDER = {"race": ("b", "a")}, {"gender": ("f", "m")}
LEVELS = {"race": ("a", "b"), "gender": ("m", "f")}
EFFECTS = (-0.3, 0.3)
"""Of two frames in which each name is."""


def of_names(scores: np.ndarray, sizes: tuple[int, ...], change: dict[str, tuple[str, str]] = RACE) -> TTest:
    """Of the means of names: male a, female a, male b, female b; of two sizes a and b."""
    cells = np.repeat(np.arange(len(sizes)), sizes)
    names = np.repeat([f"n{k:03d}" for k in range(scores.size)], 2)
    factors = {"race": np.repeat(np.array(["a", "b"])[cells // (len(sizes) // 2)], 2)}
    if len(sizes) == 4:
        factors["gender"] = np.repeat(np.array(["m", "f"])[cells % 2], 2)
    rows = np.repeat(scores, 2) + np.tile(EFFECTS, scores.size)
    design = treatment(factors, levels={name: LEVELS[name] for name in factors}, order=len(factors))
    fit = ols.fit(rows, design, absorb={"frame": np.tile(["x", "y"], scores.size)})
    return welch(fit, names, change)


@pytest.mark.parametrize("sizes", [(10, 10), (2, 9), (30, 5)])
def test_of_one_stratum_it_is_welchs_test(sizes: tuple[int, int]) -> None:
    rng = np.random.default_rng(7)
    scores = rng.normal(size=sum(sizes)) * np.repeat([1, 4], sizes)
    found, known = (
        of_names(scores, sizes),
        ttest_ind(scores[sizes[0] :], scores[: sizes[0]], equal_var=False),
    )
    assert (found.t, found.df, found.p_value) == pytest.approx((known.statistic, known.df, known.pvalue))
    ends = known.confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((ends.low, ends.high))


@pytest.mark.parametrize("sizes", [(3, 3, 3, 3), (2, 7, 4, 3), (30, 30, 5, 5)])
def test_of_strata_it_is_the_mean_of_their_differences(sizes: tuple[int, int, int, int]) -> None:
    """Strata count as their names do: of gender the races, of race the genders."""
    rng = np.random.default_rng(8)
    for change, pairs in ((RACE, ((0, 2), (1, 3))), (GENDER, ((0, 1), (2, 3)))):
        scores = rng.normal(size=sum(sizes)) * np.repeat([1, 2, 3, 1], sizes)
        cells = np.split(scores, np.cumsum(sizes)[:-1])
        value = variance = squares = 0.0
        for low, high in pairs:
            weight = (sizes[low] + sizes[high]) / sum(sizes)
            value += weight * (cells[high].mean() - cells[low].mean())
            for cell in (cells[low], cells[high]):
                part = weight**2 * cell.var(ddof=1) / cell.size
                variance += part
                squares += part**2 / (cell.size - 1)
        found = of_names(scores, sizes, change)
        assert (found.estimate, found.se) == pytest.approx((value, variance**0.5))
        assert found.df == pytest.approx(variance**2 / squares)
        assert found.p_value == pytest.approx(2 * student.sf(abs(value) / found.se, found.df))


def test_p_and_interval_agree() -> None:
    for seed in range(60):
        rng = np.random.default_rng([9, seed])
        found = of_names(rng.normal(size=14) + np.repeat([0, 0, 1, 1], (5, 4, 3, 2)), (5, 4, 3, 2))
        assert (found.p_value <= 0.05) == (not found.low < 0 < found.high)


@pytest.mark.parametrize(
    ("sizes", "spread"),
    [
        ((30, 30, 5, 5), (1, 1, 3, 3)),
        ((30, 30, 5, 5), (3, 3, 1, 1)),
        ((10, 10, 10, 10), (1, 1, 1, 1)),
        ((3, 3, 3, 3), (1, 1, 1, 1)),
    ],
)
def test_its_size_holds_where_groups_are_of_unequal_size_and_spread(
    sizes: tuple[int, ...], spread: tuple[int, ...]
) -> None:
    """The permutation rejects 36 to 40 % of the first. 500 sets: 6.5 % and two standard errors of 1.1."""
    rejected = 0
    for seed in range(500):
        rng = np.random.default_rng([10, seed])
        scores = rng.normal(size=sum(sizes)) * np.repeat(spread, sizes)
        rejected += of_names(scores, sizes).p_value <= 0.05
    assert rejected / 500 <= 0.065 + 2 * (0.065 * 0.935 / 500) ** 0.5


def test_a_group_of_one_name_is_refused_by_its_name() -> None:
    scores = np.random.default_rng(11).normal(size=10)
    with pytest.raises(RegressionError, match=r"^b, f has one name, and a test needs two$"):
        of_names(scores, (3, 3, 3, 1))


def test_names_that_do_not_differ_are_no_test() -> None:
    """Whether their groups do or not: nothing tells how names vary."""
    rng = np.random.default_rng(12)
    group, frames = np.repeat(["a", "b"], 12), np.tile(["x", "y", "z"], 8)
    of_cells = np.where(group == "b", np.tile(rng.normal(size=3), 8), 0.0) + np.tile(rng.normal(size=3), 8)
    fit = ols.fit(of_cells, treatment({"race": group}, levels={"race": ("a", "b")}), absorb={"frame": frames})
    with pytest.raises(ZeroVarianceError, match="no two names of a group differ"):
        welch(fit, np.repeat([f"n{k}" for k in range(8)], 3), RACE)


def test_one_group_may_have_no_variance() -> None:
    scores = np.r_[np.zeros(5), np.random.default_rng(13).normal(size=6)]
    assert of_names(scores, (5, 6)).df == pytest.approx(5)
