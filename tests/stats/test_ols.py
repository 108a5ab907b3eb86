"""Least squares: differences of cell means, fixed effects absorbed as a column per level would, stars as printed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from biascore.stats import RegressionError, ZeroVarianceError, ols, stars
from biascore.stats.design import Design, treatment


@pytest.fixture(scope="module")
def rows() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(31)
    n = 240
    return {
        "race": rng.choice(["Anglo", "Latino"], size=n, p=(0.7, 0.3)),
        "gender": rng.choice(["male", "female"], size=n),
        "frame": rng.integers(7, size=n),
        "score": rng.normal(size=n) + rng.integers(7, size=n),
    }


def design(rows: dict[str, np.ndarray], order: int = 2, alone: tuple[str, ...] = ()) -> Design:
    names = ("race", "gender", *alone)
    levels = {"race": ("Anglo", "Latino"), "gender": ("male", "female")}
    return treatment({name: rows[name] for name in names}, levels=levels, order=order, alone=alone)


def test_a_saturated_design_gives_differences_of_cell_means(rows: dict[str, np.ndarray]):
    fit = ols.fit(rows["score"], design(rows))
    mean = {
        (race, gender): rows["score"][(rows["race"] == race) & (rows["gender"] == gender)].mean()
        for race in ("Anglo", "Latino")
        for gender in ("male", "female")
    }
    found = {name: test.estimate for name, test in fit.coefficients.items()}
    assert found["(Intercept)"] == pytest.approx(mean["Anglo", "male"])
    assert found["race: Latino"] == pytest.approx(mean["Latino", "male"] - mean["Anglo", "male"])
    interaction = (mean["Latino", "female"] - mean["Anglo", "female"]) - found["race: Latino"]
    assert found["race: Latino × gender: female"] == pytest.approx(interaction)
    share = np.mean(rows["gender"] == "female")
    race, gender = ("Latino", "Anglo"), ("female", "male")
    effect = fit.marginal_effect({"race": race}).estimate
    assert effect == pytest.approx(found["race: Latino"] + share * interaction)
    assert fit.marginal_effect({"race": race, "gender": gender}).estimate == pytest.approx(interaction)


def test_two_groups_are_students_t_test(rows: dict[str, np.ndarray]):
    found = ols.fit(rows["score"], treatment({"race": rows["race"]})).coefficients["race: Latino"]
    latino = rows["race"] == "Latino"
    expected = stats.ttest_ind(rows["score"][latino], rows["score"][~latino])
    interval = expected.confidence_interval()
    assert (found.t, found.p_value, found.df) == pytest.approx((expected.statistic, expected.pvalue, 238))
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))


def test_absorbed_fixed_effects_are_those_of_a_column_per_level(rows: dict[str, np.ndarray]):
    absorbed = ols.fit(rows["score"], design(rows), absorb={"frame": rows["frame"]})
    spelled = ols.fit(rows["score"], design(rows, alone=("frame",)))
    assert absorbed.design.columns == ("race: Latino", "gender: female", "race: Latino × gender: female")
    for name, test in absorbed.coefficients.items():
        other = spelled.coefficients[name]
        assert (test.estimate, test.se, test.df) == pytest.approx((other.estimate, other.se, other.df))
    change = {"race": ("Latino", "Anglo")}
    one, other = (fit.clustered(np.arange(240) % 30).marginal_effect(change) for fit in (absorbed, spelled))
    assert (one.estimate, one.se, one.df) == pytest.approx((other.estimate, other.se, other.df), rel=1e-5)


def test_r2_is_the_share_explained(rows: dict[str, np.ndarray]):
    fit = ols.fit(rows["score"], design(rows, order=1))
    predicted = fit.design.matrix @ [test.estimate for test in fit.coefficients.values()]
    assert fit.r2 == pytest.approx(np.corrcoef(predicted, rows["score"])[0, 1] ** 2)


def test_adding_a_constant_changes_the_intercept_alone(rows: dict[str, np.ndarray]):
    one, other = (ols.fit(rows["score"] + c, design(rows)) for c in (0.0, 1e6))
    for name in one.design.columns[1:]:
        assert one.coefficients[name].t == pytest.approx(other.coefficients[name].t, rel=1e-7)


@pytest.mark.parametrize(
    ("p_value", "printed"),
    [(0.0, "***"), (0.01, "***"), (0.0101, "**"), (0.05, "**"), (0.051, "*"), (0.1, "*"), (0.11, "")],
)
def test_stars_are_those_of_the_paper(p_value: float, printed: str):
    assert stars(p_value) == printed


def test_bad_input(rows: dict[str, np.ndarray]):
    score, whole = rows["score"], design(rows)
    with pytest.raises(RegressionError, match="scores is not finite in row 2"):
        ols.fit(np.where(np.arange(240) == 2, np.nan, score), whole)
    with pytest.raises(ZeroVarianceError, match=r"all 240 scores are 0\.25"):
        ols.fit(np.full(240, 0.25), whole)
    with pytest.raises(ZeroVarianceError, match="beyond what the design explains"):
        ols.fit(whole.matrix @ [1.0, 2.0, 3.0, 4.0], whole)
    with pytest.raises(RegressionError, match="absorb names race, frame; pass one factor"):
        ols.fit(score, whole, absorb={"race": rows["race"], "frame": rows["frame"]})
    with pytest.raises(RegressionError, match="frame has 239 labels for 240 scores"):
        ols.fit(score, whole, absorb={"frame": rows["frame"][1:]})
    with pytest.raises(RegressionError, match=r"gender: female is the same in all rows of a level of gender"):
        ols.fit(score, design(rows, order=1), absorb={"gender": rows["gender"]})
    with pytest.raises(RegressionError, match="240 rows for 3 columns and 240 fixed effects"):
        ols.fit(score, whole, absorb={"row": np.arange(240)})
    with pytest.raises(RegressionError, match="4 rows for 4 columns of the design; pass more rows"):
        ols.fit([1.0, 2.0, 3.0, 4.0], treatment({"a": list("ppqq"), "b": list("xyxy")}, order=2))
