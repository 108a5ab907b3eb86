"""Average marginal effects against predictions row by row, and their standard errors against numerical derivatives."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest
from scipy.special import expit

from biascore.stats import beta
from biascore.stats.design import treatment

from .drawn import GENDERS, RACES, Drawn, draw, slopes


@pytest.fixture(scope="module", params=[1, 2])
def drawn(request: pytest.FixtureRequest) -> Drawn:
    return draw(21, 400, 8.0, order=request.param, races=3)


def predicted(drawn: Drawn, at: Mapping[str, str]) -> Callable[[np.ndarray], float]:
    """The mean prediction with these levels in all rows, from a design made anew for those rows."""
    levels = {"race": RACES, "gender": GENDERS}
    order = 2 if any("×" in column for column in drawn.design.columns) else 1
    # The rows of all cells are appended so that treatment() knows every level, and cut off again.
    cells = [(race, gender) for race in RACES for gender in GENDERS]
    factors = {
        name: np.append(
            np.full(len(labels), at[name]) if name in at else labels, [cell[place] for cell in cells]
        )
        for place, (name, labels) in enumerate(drawn.factors.items())
    }
    matrix = treatment(factors, levels=levels, order=order).matrix[: -len(cells)]
    return lambda parameters: float(expit(matrix @ parameters[:-1]).mean())


def test_effects_of_levels_are_mean_differences_of_predictions(drawn: Drawn):
    fit = drawn.fit()
    steps = 1e-5 * np.sqrt(np.diag(fit.wald.vcov))
    for race in RACES[1:]:
        one, other = (predicted(drawn, {"race": level}) for level in (race, RACES[0]))
        gradient = slopes(lambda p, one=one, other=other: one(p) - other(p), fit.wald.estimates, steps)
        found = fit.marginal_effects()[f"race: {race}"]
        at = fit.wald.estimates
        assert found.estimate == pytest.approx(one(at) - other(at), abs=1e-12)
        assert found.se == pytest.approx(np.sqrt(gradient @ fit.wald.vcov @ gradient), rel=1e-5)
        assert found == fit.marginal_effect({"race": (race, RACES[0])})


def test_effects_of_interactions_are_second_differences(drawn: Drawn):
    fit, at = drawn.fit(), drawn.fit().wald.estimates
    means = {(r, g): predicted(drawn, {"race": r, "gender": g}) for r in RACES for g in GENDERS}

    def second(parameters: np.ndarray) -> float:
        return (
            means["Latino", "female"](parameters)
            - means["Anglo", "female"](parameters)
            - means["Latino", "male"](parameters)
            + means["Anglo", "male"](parameters)
        )

    gradient = slopes(second, at, 1e-5 * np.sqrt(np.diag(fit.wald.vcov)))
    # It is there without its column too: on the scale of the scores, effects that add up on the logit scale do not.
    found = fit.marginal_effect({"race": ("Latino", "Anglo"), "gender": ("female", "male")})
    assert found.estimate == pytest.approx(second(at), abs=1e-12)
    assert found.se == pytest.approx(np.sqrt(gradient @ fit.wald.vcov @ gradient), rel=1e-4)


def test_an_effect_between_two_levels_that_are_no_reference(drawn: Drawn):
    fit = drawn.fit()
    effects = fit.marginal_effects()
    found = fit.marginal_effect({"race": ("Latino", "Arab")})
    assert found.estimate == pytest.approx(
        effects["race: Latino"].estimate - effects["race: Arab"].estimate, abs=1e-12
    )


def test_the_reference_levels_change_no_effect():
    drawn = draw(22, 300, 8.0)
    turned = treatment(
        drawn.factors, levels={"race": ("Latino", "Anglo"), "gender": ("female", "male")}, order=2
    )
    one = drawn.fit().marginal_effects()["race: Latino"]
    other = beta.fit(drawn.scores, turned).marginal_effects()["race: Anglo"]
    assert one.estimate == pytest.approx(-other.estimate)
    assert one.se == pytest.approx(other.se)
    # The coefficient is another: the effect at another level of gender.
    assert drawn.fit().coefficients["race: Latino"].estimate != pytest.approx(
        -beta.fit(drawn.scores, turned).coefficients["race: Anglo"].estimate, abs=1e-3
    )


def test_means_of_saturated_cells_are_those_of_the_distribution():
    drawn = draw(23, 4000, 30.0)
    fit = drawn.fit()
    for race in RACES[:2]:
        for gender in GENDERS:
            member = (drawn.factors["race"] == race) & (drawn.factors["gender"] == gender)
            found = fit.mean({"race": race, "gender": gender})
            assert found.estimate == pytest.approx(drawn.scores[member].mean(), abs=4 * found.se)


def test_three_factors_have_a_third_difference():
    rng = np.random.default_rng(24)
    grid = [(r, g, a) for r in "AB" for g in "mf" for a in "oy"] * 60
    factors = dict(zip(("race", "gender", "age"), zip(*grid, strict=True), strict=True))
    design = treatment(factors, order=3)
    mu = expit(design.matrix @ rng.normal(0, 0.4, size=8))
    fit = beta.fit(rng.beta(mu * 20, (1 - mu) * 20), design)
    means = {
        cell: fit.mean(dict(zip(("race", "gender", "age"), cell, strict=True))).estimate for cell in set(grid)
    }
    expected = sum((-1) ** ((r == "A") + (g == "f") + (a == "o")) * mean for (r, g, a), mean in means.items())
    found = fit.marginal_effects()["race: B × gender: m × age: y"]
    assert found.estimate == pytest.approx(expected, abs=1e-12)
