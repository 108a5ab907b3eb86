"""What cannot be fitted is refused with its name and what to do; scores of exactly 0 and 1 only on request."""

from __future__ import annotations

import numpy as np
import pytest

from biascore.errors import BiascoreError
from biascore.stats import RegressionError, ZeroVarianceError, beta
from biascore.stats.design import Design, treatment

from .drawn import Drawn, draw


@pytest.fixture(scope="module")
def drawn() -> Drawn:
    return draw(1, 80, 20.0)


def test_errors_are_the_users_and_values():
    assert issubclass(RegressionError, BiascoreError)
    assert issubclass(RegressionError, ValueError)


def test_scores_of_exactly_zero_or_one(drawn: Drawn):
    scores = drawn.scores.copy()
    scores[[3, 5]], scores[7] = 0.0, 1.0
    with pytest.raises(
        RegressionError, match=r"2 of 80 scores are exactly 0 and 1 exactly 1.*pass squeeze=True"
    ):
        beta.fit(scores, drawn.design)
    fit = beta.fit(scores, drawn.design, squeeze=True)
    assert (fit.n_zero, fit.n_one, fit.squeezed) == (2, 1, True)
    assert fit.cautions[0] == (
        "2 of 80 scores are exactly 0 and 1 exactly 1, so all were squeezed to (y (n - 1) + 1/2) / n"
    )
    assert "row 7" in fit.cautions[1]  # far from the next highest
    same = beta.fit((scores * 79 + 0.5) / 80, drawn.design)
    assert fit.wald.estimates == pytest.approx(same.wald.estimates)
    assert not same.squeezed


def test_many_scores_at_the_ends_are_a_caution(drawn: Drawn):
    scores = drawn.scores.copy()
    scores[:8] = 1.0
    (caution,) = beta.fit(scores, drawn.design, squeeze=True).cautions
    assert caution.endswith("these are 10 % of the scores, and the estimates depend on how they are squeezed")


def test_without_scores_at_the_ends_nothing_is_squeezed(drawn: Drawn):
    one, other = drawn.fit(), drawn.fit(squeeze=True)
    assert not other.squeezed
    assert (one.wald.estimates == other.wald.estimates).all()


@pytest.mark.parametrize("squeeze", [False, True])
@pytest.mark.parametrize(("bad", "told"), [(1.25, "1.25"), (-0.1, "-0.1")])
def test_scores_outside_the_unit_interval(drawn: Drawn, bad: float, told: str, squeeze: bool):
    scores = drawn.scores.copy()
    scores[[4, 6]] = bad
    with pytest.raises(
        RegressionError, match=rf"2 of 80 scores are outside \[0, 1\], the first {told} in row 4"
    ):
        beta.fit(scores, drawn.design, squeeze=squeeze)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_scores_that_are_not_finite(drawn: Drawn, bad: float):
    scores = drawn.scores.copy()
    scores[9] = bad
    with pytest.raises(RegressionError, match=r"scores is not finite in row 9 .* in 1 of 80 rows"):
        beta.fit(scores, drawn.design)


@pytest.mark.parametrize("value", [0.3, 0.0, 1.0])
def test_scores_that_are_all_equal(drawn: Drawn, value: float):
    with pytest.raises(ZeroVarianceError, match=f"all 80 scores are {value:g}, so they do not vary"):
        beta.fit(np.full(80, value), drawn.design)


def test_scores_that_the_design_explains(drawn: Drawn):
    scores = 1.0 / (1.0 + np.exp(-drawn.design.matrix @ [0.1, 0.3, -0.2, 0.5]))
    with pytest.raises(ZeroVarianceError, match="beyond what the design explains"):
        beta.fit(scores, drawn.design)


def test_another_number_of_scores(drawn: Drawn):
    with pytest.raises(RegressionError, match="there are 79 scores and 80 rows of the design"):
        beta.fit(drawn.scores[1:], drawn.design)


def test_fewer_rows_than_parameters():
    design = treatment({"race": list("AABBA"), "gender": list("mfmfm")}, order=2)
    with pytest.raises(RegressionError, match="there are 5 rows for 4 columns of the design and 1 precision"):
        beta.fit([0.1, 0.2, 0.3, 0.4, 0.5], design)


def test_columns_that_are_combinations_of_others(drawn: Drawn):
    matrix = np.column_stack([drawn.design.matrix, drawn.design.matrix[:, 1] + drawn.design.matrix[:, 2]])
    design = Design(matrix, (*drawn.design.columns, "either"))
    with pytest.raises(RegressionError, match=r"rank-deficient: .* is a combination of the other columns"):
        beta.fit(drawn.scores, design)


def test_questions_that_a_fit_cannot_answer(drawn: Drawn):
    fit = drawn.fit()
    with pytest.raises(RegressionError, match="a contrast names age"):
        fit.test({"age": 1.0})
    with pytest.raises(ValueError, match="level is 95"):
        fit.test({"race: Latino": 1.0}, level=95)
    with pytest.raises(RegressionError, match="pass 'observed' or 'expected'"):
        fit.with_information("sandwich")
    with pytest.raises(RegressionError, match="no factor age; choose from race, gender"):
        fit.marginal_effect({"age": ("old", "young")})
    with pytest.raises(RegressionError, match="race has no level Arab; choose from Anglo, Latino"):
        fit.mean({"race": "Arab"})
    with pytest.raises(RegressionError, match="race changes from Latino to Latino"):
        fit.marginal_effect({"race": ("Latino", "Latino")})
    with pytest.raises(RegressionError, match="knows columns and no factors"):
        beta.fit(drawn.scores, Design(drawn.design.matrix, drawn.design.columns)).marginal_effects()


def test_a_likelihood_ratio_of_fits_that_are_not_nested(drawn: Drawn):
    by = {name: beta.fit(drawn.scores, treatment({name: drawn.factors[name]})) for name in ("race", "gender")}
    with pytest.raises(RegressionError, match=r"columns \(Intercept\), gender: male are no part of"):
        by["race"].likelihood_ratio(by["gender"])
    other = beta.fit(drawn.scores[::-1] ** 2, by["race"].design)
    with pytest.raises(RegressionError, match="of different scores"):
        drawn.fit().likelihood_ratio(other)
