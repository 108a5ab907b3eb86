"""Welch's t over names by stratum: against scipy and a calculation written out, its size in worlds, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t as student
from scipy.stats import ttest_ind

from biascore.stats import RegressionError, TTest, ZeroVarianceError, ols, treatment
from biascore.stats.welch import welch

RACE, GENDER = {"race": ("b", "a")}, {"gender": ("f", "m")}
BOTH = RACE | GENDER
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


@pytest.mark.parametrize("sizes", [(3, 3, 3, 3), (2, 7, 4, 3), (30, 30, 5, 5)])
def test_of_an_interaction_it_is_the_difference_of_differences(sizes: tuple[int, int, int, int]) -> None:
    """Main effects, however large, change nothing."""
    rng = np.random.default_rng(14)
    scores = rng.normal(size=sum(sizes)) * np.repeat([1, 2, 3, 1], sizes)
    cells = np.split(scores, np.cumsum(sizes)[:-1])
    value = cells[3].mean() - cells[1].mean() - cells[2].mean() + cells[0].mean()
    parts = np.array([cell.var(ddof=1) / cell.size for cell in cells])
    se, df = parts.sum() ** 0.5, parts.sum() ** 2 / (parts**2 / (np.array(sizes) - 1)).sum()
    for shift in ([0, 0, 0, 0], [0, -30, 50, 20]):
        found = of_names(scores + np.repeat(shift, sizes), sizes, BOTH)
        assert (found.estimate, found.se, found.df) == pytest.approx((value, se, df))
        assert found.p_value == pytest.approx(2 * student.sf(abs(value) / se, df))


@pytest.mark.parametrize("change", [RACE, BOTH])
def test_p_and_interval_agree(change: dict[str, tuple[str, str]]) -> None:
    for seed in range(60):
        rng = np.random.default_rng([9, seed])
        scores = rng.normal(size=14) + 2 * np.repeat([0, 0, 1, 3], (5, 4, 3, 2))
        found = of_names(scores, (5, 4, 3, 2), change)
        assert (found.p_value <= 0.05) == (not found.low < 0 < found.high)


@pytest.mark.parametrize("change", [pytest.param(RACE, marks=pytest.mark.slow), BOTH])
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
    sizes: tuple[int, ...], spread: tuple[int, ...], change: dict[str, tuple[str, str]]
) -> None:
    """The permutation rejects 31 to 40 % of the first. 250 sets: 6.5 % and two standard errors of 1.6."""
    rejected = 0
    for seed in range(250):
        rng = np.random.default_rng([10, seed])
        scores = rng.normal(size=sum(sizes)) * np.repeat(spread, sizes)
        rejected += of_names(scores, sizes, change).p_value <= 0.05
    assert rejected / 250 <= 0.065 + 2 * (0.065 * 0.935 / 250) ** 0.5


@pytest.mark.parametrize("change", [RACE, GENDER, BOTH])
def test_a_group_of_one_name_is_refused_by_its_name(change: dict[str, tuple[str, str]]) -> None:
    scores = np.random.default_rng(11).normal(size=10)
    with pytest.raises(RegressionError, match=r"^b, f has one name, and a test needs two$"):
        of_names(scores, (3, 3, 3, 1), change)


def test_a_name_of_two_levels_is_refused_by_its_name() -> None:
    fit = ols.fit([0.1, 0.2, 0.5, 0.3], treatment({"race": ["a", "a", "b", "b"]}))
    with pytest.raises(RegressionError, match=r"^Ana has two levels of race; name it apart for each$"):
        welch(fit, ["Ana", "Bea", "Ana", "Cid"], RACE)


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
