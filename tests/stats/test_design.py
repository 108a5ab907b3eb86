"""Columns, terms and contrasts."""

from __future__ import annotations

import numpy as np
import pytest

from biascore.stats import RegressionError, lmm
from biascore.stats.design import treatment

ERROR = RegressionError
GENDERS = ["neo", "male", "female", "male", "neo"]


def test_treatment_coding_has_an_intercept_and_the_difference_of_each_level():
    design = lmm.treatment({"gender": GENDERS}, levels={"gender": ("female", "male", "neo")})
    assert design.columns == ("(Intercept)", "gender: male", "gender: neo")
    assert design.matrix.tolist() == [[1, 0, 1], [1, 1, 0], [1, 0, 0], [1, 1, 0], [1, 0, 1]]
    assert dict(design.terms) == {"gender": ("gender: male", "gender: neo")}


def test_without_an_order_the_first_level_by_name_is_the_reference():
    design = lmm.treatment({"gender": GENDERS, "kind": ["x", "y", "y", "x", "y"]})
    assert design.columns == ("(Intercept)", "gender: male", "gender: neo", "kind: y")
    assert design.matrix[:, 3].tolist() == [0, 1, 1, 0, 1]
    assert list(design.terms) == ["gender", "kind"]


def test_levels_are_known_by_their_text():
    design = lmm.treatment({"gender": [1, 0, 2]}, levels={"gender": (2, 0, 1)})
    assert design.columns == ("(Intercept)", "gender: 0", "gender: 1")
    assert design.matrix.tolist() == [[1, 0, 1], [1, 1, 0], [1, 0, 0]]


def test_a_difference_of_any_two_levels_is_a_contrast():
    design = lmm.treatment({"gender": GENDERS}, levels={"gender": ("female", "male", "neo")})
    assert design.difference("gender", "male", "female") == {"gender: male": 1.0}
    assert design.difference("gender", "female", "male") == {"gender: male": -1.0}
    assert design.vector(design.difference("gender", "male", "neo")).tolist() == [0, 1, -1]
    with pytest.raises(ERROR, match="name two of its levels: female, male, neo"):
        design.difference("gender", "male", "other")
    with pytest.raises(ERROR, match="no coded levels; choose from gender"):
        design.difference("age", "young", "old")


def test_the_reference_only_names_the_contrasts():
    rng = np.random.default_rng(1)
    labels = rng.choice(["a", "b", "c"], size=80)
    scores, groups = rng.normal(size=80), {"word": rng.integers(6, size=80)}
    fits = [
        lmm.fit(scores, lmm.treatment({"gender": labels}, levels={"gender": order}), groups=groups)
        for order in (("a", "b", "c"), ("c", "b", "a"))
    ]
    one, two = (fit.test(fit.design.difference("gender", "b", "c")) for fit in fits)
    assert (one.estimate, one.se, one.df) == pytest.approx((two.estimate, two.se, two.df))
    # In one model the three differences add up.
    parts = [fits[0].test(fits[0].design.difference("gender", *pair)).estimate for pair in ("ab", "bc", "ca")]
    assert sum(parts) == pytest.approx(0.0, abs=1e-12)


def test_a_level_without_rows():
    with pytest.raises(ERROR, match="neo of gender has no rows; leave it out of levels"):
        lmm.treatment({"gender": ["m", "f"]}, levels={"gender": ("f", "m", "neo")})


def test_rows_of_a_level_that_is_not_named():
    with pytest.raises(ERROR, match="gender has rows of neo, which levels does not name"):
        lmm.treatment({"gender": GENDERS}, levels={"gender": ("female", "male")})


def test_a_factor_with_one_level():
    with pytest.raises(ERROR, match="gender has the one level male, so there is nothing to compare"):
        lmm.treatment({"gender": ["male", "male"]})


def test_levels_that_are_no_order():
    with pytest.raises(ERROR, match="name each once"):
        lmm.treatment({"gender": ["m", "f"]}, levels={"gender": ("f", "m", "f")})
    with pytest.raises(ERROR, match="levels are given for age; the factors are gender"):
        lmm.treatment({"gender": ["m", "f"]}, levels={"age": ("old", "young")})
    with pytest.raises(ERROR, match="no factor"):
        lmm.treatment({})


def test_a_matrix_of_ones_own():
    matrix = [[1.0, 2.0], [1.0, 4.0], [1.0, 5.0]]
    design = lmm.Design(matrix, ("one", "dose"), {"dose": ("dose",)})
    assert design.matrix.shape == (3, 2)
    with pytest.raises(ValueError, match="read-only"):
        design.matrix[0, 0] = 2.0
    with pytest.raises(ERROR, match="2 columns and the names one"):
        lmm.Design(matrix, ("one",))
    with pytest.raises(ERROR, match="a name of its own"):
        lmm.Design(matrix, ("one", "one"))
    with pytest.raises(ERROR, match="term dose is given the columns x; choose from one, dose"):
        lmm.Design(matrix, ("one", "dose"), {"dose": ("x",)})
    with pytest.raises(ERROR, match="shape"):
        lmm.Design([1.0, 2.0], ("one",))
    with pytest.raises(ERROR, match="column dose of the design is not finite in row 1"):
        lmm.Design([[1.0, 2.0], [1.0, np.nan]], ("one", "dose"))


RACES, SEXES = ["A", "A", "B", "B", "C", "C"], ["m", "f", "m", "f", "m", "f"]


def test_interactions_are_products_of_columns_named_in_words():
    design = treatment(
        {"race": RACES, "gender": SEXES}, levels={"race": ("B", "A", "C"), "gender": ("m", "f")}, order=2
    )
    assert design.columns == (
        "(Intercept)",
        "race: A",
        "race: C",
        "gender: f",
        "race: A × gender: f",
        "race: C × gender: f",
    )
    assert design.terms["race × gender"] == ("race: A × gender: f", "race: C × gender: f")
    assert design.matrix[:, 4].tolist() == [0, 1, 0, 0, 0, 0]
    rows, cell = design.cells()
    assert len(rows) == 6
    assert (rows[cell] == design.matrix).all()
    assert (design.rows(design.codes) == design.matrix).all()


def test_three_factors_interact_up_to_the_order_and_one_may_stand_alone():
    grid = [(r, g, f, t) for r in "AB" for g in "mf" for f in "yo" for t in "123"]
    factors = dict(zip(("race", "gender", "age", "template"), zip(*grid, strict=True), strict=True))
    by_order = {order: treatment(factors, order=order, alone=("template",)).columns for order in (1, 2, 3)}
    assert [len(columns) for columns in by_order.values()] == [6, 9, 10]
    assert by_order[3][-1] == "race: B × gender: m × age: y"
    assert not any("template" in column and "×" in column for column in by_order[3])


def test_levels_that_no_row_combines_are_named():
    with pytest.raises(ERROR, match="no row is of race: B, gender: f, so the interaction of race and gender"):
        treatment({"race": ["A", "A", "B"], "gender": ["m", "f", "m"]}, levels={"gender": "mf"}, order=2)


def test_an_order_or_a_lone_factor_that_is_none():
    with pytest.raises(ERROR, match="order is 0; pass 1"):
        treatment({"gender": SEXES}, order=0)
    with pytest.raises(ERROR, match="alone names age; the factors are gender"):
        treatment({"gender": SEXES}, alone=("age",))
