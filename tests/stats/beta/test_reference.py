"""Against maximum likelihood in R (checked there against glmmTMB), kept beside the repository with its tolerances."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from biascore.stats import beta
from biascore.stats.design import treatment


class Reference:
    def __init__(self, folder: Path, name: str) -> None:
        self.rows = pd.read_csv(folder / f"{name}.csv.gz")
        self.results: Mapping[str, Any] = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))

    def fit(self, order: int) -> beta.Fit:
        factors = {name: self.rows[name].to_numpy() for name in ("group", "gender")}
        levels = {name: self.results[f"{name}_levels"] for name in factors}
        return beta.fit(self.rows["score"], treatment(factors, levels=levels, order=order))


@pytest.fixture(scope="module", params=["eec_2x2", "tight_predictions"])
def reference(shared_data: Path, request: pytest.FixtureRequest) -> Reference:
    folder = shared_data / "beta"
    if not folder.is_dir():
        pytest.skip(f"reference fits are not at {folder}")
    return Reference(folder, request.param)


@pytest.mark.parametrize("order", [2, 1])
def test_coefficients_and_standard_errors(reference: Reference, order: int):
    expected = reference.results if order == 2 else reference.results["additive_model"]
    fit = reference.fit(order)
    by_expected = fit.with_information("expected")
    pairs = zip(fit.coefficients.values(), by_expected.coefficients.values(), strict=True)
    for (found, found_expected), row in zip(pairs, expected["coefficients"], strict=True):
        assert found.estimate == pytest.approx(row["estimate"], abs=1e-9)
        assert found.se == pytest.approx(row["se"], rel=1e-9)
        assert found_expected.se == pytest.approx(row["se_expected_information"], rel=1e-9)
        assert found.p_value == pytest.approx(row["p_t"], rel=1e-6, abs=1e-290)
    assert fit.phi == pytest.approx(expected["phi"], rel=1e-9)
    assert fit.log_likelihood == pytest.approx(expected["loglik"], rel=1e-9)


def test_precision_and_normal_p_values(reference: Reference):
    fit, results = reference.fit(2), reference.results
    assert fit.log_phi.estimate == pytest.approx(results["log_phi"], abs=1e-9)
    assert fit.log_phi.se == pytest.approx(results["se_log_phi"], rel=1e-9)
    for column, row in zip(fit.design.columns, results["coefficients"], strict=True):
        test = fit.test({column: 1.0}, df=math.inf)
        assert test.t == pytest.approx(row["z"], rel=1e-8)
        assert test.p_value == pytest.approx(row["p_normal"], rel=1e-6, abs=1e-290)


def test_likelihood_ratio_of_the_interaction(reference: Reference):
    full, additive = reference.fit(2), reference.fit(1)
    found, expected = full.likelihood_ratio(additive), reference.results["lrt_interaction"]
    assert found.df == expected["df"]
    assert found.chisq == pytest.approx(expected["chisq"], rel=1e-6)
    assert found.p_value == pytest.approx(expected["p"], rel=1e-6)
    level = treatment({"group": reference.rows["group"].to_numpy()})
    null = beta.fit(
        reference.rows["score"], type(level)(level.matrix[:, :1], level.columns[:1])
    )  # the intercept alone
    assert null.log_likelihood == pytest.approx(reference.results["loglik_null"], rel=1e-9)


def test_average_marginal_effects_and_cell_means(reference: Reference):
    fit, results = reference.fit(2), reference.results
    effects = fit.marginal_effects(df=math.inf)
    assert len(effects) == len(results["average_marginal_effects"])
    for found, row in zip(effects.values(), results["average_marginal_effects"].values(), strict=True):
        assert found.estimate == pytest.approx(row["estimate"], abs=1e-12)
        assert found.se == pytest.approx(row["se"], rel=1e-9)
        assert found.p_value == pytest.approx(row["p"], rel=1e-6)
    for cell, row in results["cell_means"].items():
        group, gender = cell.split(":")
        found = fit.mean({"group": group, "gender": gender})
        assert found.estimate == pytest.approx(row["mean"], abs=1e-12)
        assert found.se == pytest.approx(row["se"], rel=1e-9)
