"""Clustered covariances, of least squares and of Beta regression: against statsmodels, and what is refused or told."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from biascore.stats import RegressionError, ZeroVarianceError, beta, ols
from biascore.stats.design import Design, treatment


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    """Names within race (three levels) x gender, unbalanced, with some rows missing."""
    rng = np.random.default_rng(41)
    table = pd.DataFrame(
        [
            (race, gender, f"{race}{gender}{k}", frame)
            for race in ("Anglo", "Latino", "Arab")
            for gender in ("male", "female")
            for k in range(4 + 2 * (race == "Latino"))
            for frame in range(24)
        ],
        columns=["race", "gender", "name", "frame"],
    )
    table = table[rng.random(len(table)) < 0.9].reset_index(drop=True)
    of_name = {name: rng.normal(0, 0.3) for name in sorted(set(table["name"]))}
    eta = table["name"].map(of_name) + rng.normal(0, 0.3, size=24)[table["frame"]]
    mu = 1.0 / (1.0 + np.exp(-eta.to_numpy(dtype=float)))
    table["score"] = rng.beta(25 * mu, 25 * (1 - mu))
    return table


@pytest.fixture(scope="module")
def design(rows: pd.DataFrame) -> Design:
    levels = {"race": ("Anglo", "Latino", "Arab"), "gender": ("male", "female")}
    return treatment({name: rows[name].to_numpy() for name in levels}, levels=levels, order=2)


def errors(fit: Any) -> list[float]:
    return [test.se for test in fit.coefficients.values()]


def statsmodels_fit(kind: str, rows: pd.DataFrame, design: Design, names: list[str]) -> Any:
    pytest.importorskip("statsmodels", reason="statsmodels, the cross-check, is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of statsmodels itself
        from statsmodels.othermod.betareg import BetaModel
        from statsmodels.regression.linear_model import OLS

        score = rows["score"].to_numpy()
        codes = [pd.factorize(rows[name])[0] for name in names]
        groups = np.stack(codes, axis=1) if len(names) == 2 else codes[0] if names else None
        options = {"cov_type": "cluster", "cov_kwds": {"groups": groups}} if names else {}
        if kind == "ols":
            return OLS(score, design.matrix).fit(**options)
        return BetaModel(score, design.matrix).fit(method="newton", disp=0, **options)


@pytest.mark.parametrize("names", [["name"], ["frame"]])
@pytest.mark.parametrize("kind", ["ols", "beta"])
def test_one_variable_is_as_statsmodels_has_it(
    kind: str, names: list[str], rows: pd.DataFrame, design: Design
):
    expected = statsmodels_fit(kind, rows, design, names)
    fit = {"ols": ols.fit, "beta": beta.fit}[kind](rows["score"], design)
    found = fit.clustered({name: rows[name] for name in names})
    assert fit.wald.estimates == pytest.approx(expected.params, rel=1e-7)
    assert np.sqrt(np.diag(found.wald.vcov)) == pytest.approx(expected.bse, rel=1e-7)
    assert found.wald.df == rows[names[0]].nunique() - 1
    assert found.wald.kind == f"clustered by {names[0]} ({rows[names[0]].nunique()})"


def test_two_variables_are_as_statsmodels_has_them(rows: pd.DataFrame, design: Design):
    # A cluster variable that crosses the other, and no eigenvalue below 0.
    crossed = rows.assign(block=np.random.default_rng(1).integers(40, size=len(rows)))
    expected = statsmodels_fit("ols", crossed, design, ["name", "block"])
    found = ols.fit(rows["score"], design).clustered({"name": crossed["name"], "block": crossed["block"]})
    assert errors(found) == pytest.approx(expected.bse, rel=1e-7)
    assert found.wald.df == min(crossed["name"].nunique(), 40) - 1


def test_a_negative_eigenvalue_becomes_zero_and_is_told():
    # Rows of a name, and of a frame, differ more than rows of two names or frames do.
    rng = np.random.default_rng(42)
    name, frame = (codes.ravel() for codes in np.indices((24, 20)))
    noise = rng.normal(size=(24, 20))
    scores = (noise - 0.8 * noise.mean(axis=1, keepdims=True) - 0.8 * noise.mean(axis=0)).ravel()
    fit = ols.fit(scores, treatment({"group": name % 2, "other": rng.integers(2, size=480)}, order=2))
    one = fit.clustered({"name": name, "frame": frame})
    assert any("a negative eigenvalue, which is set to 0" in caution for caution in one.cautions)
    assert np.linalg.eigvalsh(one.wald.vcov).min() > -1e-15
    assert errors(one) == pytest.approx(errors(fit.clustered({"frame": frame, "name": name})))


def test_effects_of_frames_that_are_left_out_spoil_two_variables_and_are_told():
    rng = np.random.default_rng(43)
    name, frame = (codes.ravel() for codes in np.indices((40, 30)))
    factors = {"race": name % 2, "gender": name // 2 % 2}
    effects = rng.normal(0, 0.2, size=30)[frame] + rng.normal(0, 0.05, size=40)[name]
    scores = effects + rng.normal(0, 0.2, size=1200)
    fit = ols.fit(scores, treatment(factors, order=2))
    both, by_name = fit.clustered({"name": name, "frame": frame}), fit.clustered({"name": name})
    assert both.coefficients["race: 1"].se < 0.8 * by_name.coefficients["race: 1"].se
    assert any("race: 1 × gender: 1 is smaller than by name alone" in caution for caution in both.cautions)
    assert by_name.cautions == ()
    absorbed = ols.fit(scores, treatment(factors, order=2), absorb={"frame": frame})
    assert absorbed.clustered({"name": name}).coefficients["race: 1"].se == pytest.approx(
        by_name.coefficients["race: 1"].se, rel=0.02
    )


def test_beta_without_clusters_is_as_statsmodels_has_it(rows: pd.DataFrame, design: Design):
    expected = statsmodels_fit("beta", rows, design, [])
    found = beta.fit(rows["score"], design)
    assert found.wald.estimates == pytest.approx(expected.params, rel=1e-8)
    assert np.sqrt(np.diag(found.wald.vcov)) == pytest.approx(expected.bse, rel=1e-8)
    assert found.log_likelihood == pytest.approx(expected.llf, rel=1e-10)


def test_marginal_effects_have_the_clustered_errors(rows: pd.DataFrame, design: Design):
    fit = beta.fit(rows["score"], design)
    naive, clustered = fit.marginal_effects(), fit.clustered({"name": rows["name"]}).marginal_effects()
    for name in naive:
        assert naive[name].estimate == clustered[name].estimate
    assert clustered["race: Latino"].se > 1.5 * naive["race: Latino"].se


def test_each_row_a_cluster_is_the_sandwich_of_independent_rows(rows: pd.DataFrame, design: Design):
    fit = ols.fit(rows["score"], design)
    found = fit.clustered({"row": np.arange(len(rows))})
    x, n = design.matrix, len(rows)
    residuals = rows["score"] - x @ fit.wald.estimates
    bread = np.linalg.inv(x.T @ x)
    meat = (x * np.square(residuals.to_numpy())[:, np.newaxis]).T @ x
    expected = n / (n - x.shape[1]) * bread @ meat @ bread  # HC1
    assert found.wald.vcov == pytest.approx(expected)


@pytest.mark.parametrize("kind", [ols.fit, beta.fit])
def test_names_that_the_model_does_not_tell_apart(kind: Any, rows: pd.DataFrame, design: Design):
    whole = rows.pivot_table(index="name", columns="frame", values="score").notna().all(axis=None)
    assert not whole  # so that the table here is made anew: every name in every frame
    table = (
        rows[["race", "gender", "name"]]
        .drop_duplicates()
        .merge(pd.DataFrame({"frame": range(10)}), how="cross")
    )
    table["score"] = 0.3 + 0.04 * table["frame"]
    factors = {name: table[name].to_numpy() for name in ("race", "gender")}
    fit = kind(table["score"], treatment(factors, order=2))
    with pytest.raises(
        ZeroVarianceError, match=r"clustered by name, the standard error of .*race: Arab.* would be 0"
    ):
        fit.clustered({"name": table["name"]})
    # Where that is so in one cell alone, the fit says it.
    moved = table["score"] + np.where(table["gender"] == "male", 0.01, 0.0) * table["name"].str[-1].astype(
        int
    )
    found = kind(moved, treatment(factors, order=2)).clustered({"name": table["name"]})
    assert "race: Anglo, gender: female has the same mean score for all 4 of name" in " ".join(found.cautions)
    assert "race: Latino clustered by name is 0, so there is no test of it" in " ".join(found.cautions)
    unknown, known = found.coefficients["race: Latino"], found.coefficients["race: Latino × gender: male"]
    assert unknown.se == 0.0
    assert np.isnan([unknown.t, unknown.p_value, unknown.low, unknown.high]).all()
    assert known.se > 0.0


def test_a_cell_with_one_cluster_is_told(rows: pd.DataFrame, design: Design):
    merged = np.where((rows["race"] == "Arab") & (rows["gender"] == "male"), "Omar", rows["name"])
    found = ols.fit(rows["score"], design).clustered({"name": merged})
    assert "race: Arab, gender: male has one name, so nothing tells how name varies there" in " ".join(
        found.cautions
    )


def test_few_clusters_are_told(rows: pd.DataFrame, design: Design):
    found = beta.fit(rows["score"], design).clustered({"block": rows["frame"] % 5})
    assert "block has 5 clusters; with fewer than 20" in found.cautions[0]


def test_clusters_that_are_none(rows: pd.DataFrame, design: Design):
    fit = ols.fit(rows["score"], design)
    with pytest.raises(RegressionError, match="name has the one level x"):
        fit.clustered({"name": np.full(len(rows), "x")})
    with pytest.raises(RegressionError, match=f"name has 3 labels for {len(rows)} scores"):
        fit.clustered({"name": list("abc")})
    with pytest.raises(RegressionError, match="there are 0 cluster variables; pass one or two"):
        fit.clustered({})
    with pytest.raises(RegressionError, match="name has no label in row 0"):
        fit.clustered({"name": [None, *rows["name"][1:]]})
