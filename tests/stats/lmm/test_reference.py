"""Fits by lme4 and lmerTest (R), kept beside the repository with a description of every field."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from biascore.stats import lmm

SETS = (
    "basic_small",
    "crows_length_groups",
    "extreme_weights",
    "neo_large",
    "singular_nonsig",
    "three_crossed",
)
SMALLEST_P = 1e-290  # below, numbers of 64 bits lose digits


@dataclass(frozen=True)
class Reference:
    rows: pd.DataFrame
    results: Mapping[str, Any]

    def fit(self, results: Mapping[str, Any] | None = None, *, reverse: bool = False) -> lmm.Fit:
        """The rows of a result's levels; the fit of ``refit_reversed_score`` has the levels of the whole."""
        results = results or self.results
        levels = results.get("levels", self.results["gender_levels"])
        rows = self.rows[self.rows["gender"].isin(levels)]
        scores = rows["score"].to_numpy()
        return lmm.fit(
            scores[::-1] if reverse else scores,
            lmm.treatment({"gender": rows["gender"]}, levels={"gender": levels}),
            groups={name: rows[name] for name in results["theta"]},
            weights=rows["weight"],
        )


@cache
def load(folder: Path, name: str) -> Reference:
    text = dict.fromkeys(("gender", "template", "word", "attribute"), str)
    rows = pd.read_csv(folder / f"{name}.csv.gz", dtype=text)
    return Reference(rows, json.loads((folder / f"{name}.json").read_text(encoding="utf-8")))


@pytest.fixture
def folder(shared_data: Path) -> Path:
    found = shared_data / "lmm"
    if not found.is_dir():
        pytest.skip(f"reference fits are not at {found}")
    return found


@pytest.fixture(params=SETS)
def reference(request: pytest.FixtureRequest, folder: Path) -> Reference:
    return load(folder, request.param)


def require_equal(fit: lmm.Fit, expected: Mapping[str, Any]) -> None:
    assert fit.criterion == pytest.approx(expected["reml_criterion"], abs=1e-8)
    assert fit.singular == expected["singular"]
    for test, one in zip(fit.coefficients.values(), expected["fixed"], strict=True):
        require_equal_test(test, one)
    assert dict(fit.theta) == pytest.approx(expected["theta"], rel=1e-5, abs=1e-5)
    variances = {**fit.variances, "residual": fit.residual_variance}
    assert variances == pytest.approx(expected["var_components"], rel=1e-5, abs=1e-9)
    assert fit.r2().part["gender"] == pytest.approx(expected["r2_part_gender"], rel=1e-5)


def require_equal_test(test: lmm.TTest, expected: Mapping[str, float]) -> None:
    assert test.estimate == pytest.approx(expected["estimate"], rel=1e-6)
    assert test.se == pytest.approx(expected["se"], rel=1e-6)
    assert test.df == pytest.approx(expected["df"], rel=1e-5)
    assert test.t == pytest.approx(expected["t"], rel=2e-6)
    if expected["p"] > SMALLEST_P:
        assert test.p_value == pytest.approx(expected["p"], rel=1e-4)
    else:
        assert test.p_value < SMALLEST_P
    ends = (expected["ci95_lower"], expected["ci95_upper"])
    assert (test.low, test.high) == pytest.approx(ends, rel=1e-5, abs=1e-5 * test.se)


def test_the_fit(reference: Reference):
    require_equal(reference.fit(), reference.results)


def test_the_fit_of_other_scores(reference: Reference):
    results = {**reference.results["refit_reversed_score"]}
    require_equal(reference.fit(results, reverse=True), results)


def test_the_criterion_elsewhere(reference: Reference):
    fit = reference.fit()
    for row in reference.results["deviance_at_theta"]:
        theta = {name: row[name] for name in fit.theta}
        assert fit.criterion_at(theta) == pytest.approx(row["reml_criterion"], abs=1e-8)


def test_shares_of_variance(reference: Reference):
    fit, expected = reference.fit(), reference.results
    ends: dict[lmm.ResidualVariance, str] = {
        "unit-weight": "",
        "mean-variance": "_avg_resid",
        "mean-weight": "_norm_weights",
    }
    for residual, end in ends.items():
        r2 = fit.r2(residual)
        assert r2.marginal == pytest.approx(expected[f"r2_marginal{end}"], rel=1e-5)
        assert r2.conditional == pytest.approx(expected[f"r2_conditional{end}"], rel=1e-5)


def test_predicted_effects_and_covariance(reference: Reference):
    fit = reference.fit()
    for name, effects in reference.results["ranef"].items():
        assert dict(fit.effects[name]) == pytest.approx(effects, abs=1e-6)
    assert fit.vcov == pytest.approx(np.array(reference.results["vcov_fixed"]), rel=2e-6, abs=1e-12)


def test_contrasts_and_the_joint_test_of_three_genders(folder: Path):
    reference = load(folder, "neo_large")
    fit = reference.fit()
    for contrast in reference.results["contrasts"]:
        level, minus = contrast["name"].split(" - ")
        require_equal_test(fit.test(fit.design.difference("gender", level, minus)), contrast)
    joint, expected = fit.joint("gender"), reference.results["joint_test"]
    assert (joint.f, joint.df_num, joint.df_den) == pytest.approx(
        (expected["F"], expected["num_df"], expected["den_df"]), rel=1e-8
    )
    assert joint.p_value < SMALLEST_P


@pytest.mark.parametrize("pair", range(3))
def test_each_pair_of_three_genders_alone(folder: Path, pair: int):
    reference = load(folder, "neo_large")
    results = reference.results["pairwise_subset_fits"][pair]
    require_equal(reference.fit(results), results)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["model", "lme4"])
def test_bootstrap_ends(reference: Reference, kind: lmm.Kind):
    """The shares of variance within three Monte-Carlo errors, and the other ends, which are many, within five.

    The error of theirs is given, from few replicates, and follows from ours too: the larger is taken.
    """
    expected = reference.results["bootstrap_weighted" if kind == "model" else "bootstrap_lme4_simulate"]
    fit = reference.fit()
    theirs, ours = expected["nboot"], 6000 if kind == "model" else 3000
    drawn = fit.bootstrap(kind, resamples=ours, rng=np.random.default_rng(20240501))
    assert drawn.n_degenerate == 0
    unit = drawn.r2_replicates()
    for name, values, errors in (
        ("r2_part_gender", unit.part["gender"], 3),
        ("r2_conditional", unit.conditional, 5),
        ("r2_marginal_avg_resid", drawn.r2_replicates("mean-variance").marginal, 3),
        ("beta2", drawn.coefficients[:, 1], 5),
    ):
        parts = values[: ours // theirs * theirs].reshape(-1, theirs)
        for end, level in (("lower", 0.025), ("upper", 0.975)):
            error = max(expected[name][f"mc_se_{end}"], np.quantile(parts, level, axis=1).std(ddof=1))
            distance = abs(np.quantile(values, level) - expected[name][end])
            assert distance <= errors * error * np.sqrt(1.0 + theirs / ours), (name, end)
    share = expected["singular_share"]
    error = np.sqrt(max(share * (1 - share), 1e-3) * (1 / theirs + 1 / ours))
    assert abs(drawn.singular_share - share) <= 3 * error
