"""What cannot be fitted is refused with its name and what to do; what is doubtful is said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from biascore.errors import BiascoreError
from biascore.stats import RegressionError, ZeroVarianceError, lmm

from .dense import Data, simulate

ERROR = RegressionError


@pytest.fixture(scope="module")
def data() -> Data:
    return simulate(83, 60, {"word": 8, "template": 6}, {"word": 1.0, "template": 0.5})


def test_errors_are_the_users_and_values():
    assert issubclass(ERROR, BiascoreError)
    assert issubclass(ERROR, ValueError)


@pytest.mark.parametrize("bad", [0.0, -1.0])
def test_a_weight_that_is_not_above_zero(data: Data, bad: float):
    weights = data.weights.copy()
    weights[[7, 9]] = bad
    with pytest.raises(
        ERROR, match=rf"weights is {bad:g} in row 7 .* and 2 of 60 rows are not above 0; leave"
    ):
        replace(data, weights=weights).fit()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("name", ["scores", "weights"])
def test_a_number_that_is_not_finite(data: Data, name: str, bad: float):
    values = getattr(data, name).copy()
    values[3] = bad
    with pytest.raises(
        ERROR, match=rf"{name} is not finite in row 3 .* in 1 of 60 rows; leave those rows out"
    ):
        replace(data, **{name: values}).fit()


@pytest.mark.parametrize("value", [0.0, 1.0, -3.7e8, 0.1])
def test_scores_that_are_all_equal(data: Data, value: float):
    with pytest.raises(ZeroVarianceError, match="do not vary"):
        data.with_scores(np.full(60, value)).fit()


def test_scores_that_the_design_explains(data: Data):
    with pytest.raises(ZeroVarianceError, match="beyond what the design explains"):
        data.with_scores(3.0 + 0.7 * data.gender).fit()


def test_scores_that_the_groups_explain(data: Data):
    for scores in (data.groups["word"] * 1.0, data.groups["word"] - 2.5 * data.groups["template"]):
        with pytest.raises(ERROR, match="explain every score exactly"):
            data.with_scores(scores.astype(float)).fit()


@pytest.mark.parametrize("scale", [1e200, 1e-200])
def test_scores_out_of_range(data: Data, scale: float):
    with pytest.raises(ERROR, match="another unit"):
        data.with_scores(scale * data.scores).fit()


def test_a_rank_deficient_design_names_its_columns(data: Data):
    matrix = np.column_stack([np.ones(60), data.gender, 1 - data.gender, data.scores])
    design = lmm.Design(matrix, ("one", "male", "female", "x"))
    with pytest.raises(
        ERROR, match=r"rank-deficient: (one|male|female) is a combination of the other columns"
    ):
        lmm.fit(data.scores + data.weights, design, groups=data.groups)
    empty = lmm.Design(np.column_stack([np.ones(60), np.zeros(60)]), ("one", "zero"))
    with pytest.raises(ERROR, match="rank-deficient: zero"):
        lmm.fit(data.scores, empty, groups=data.groups)


def test_too_few_rows():
    design = lmm.treatment({"gender": ["a", "b"]})
    with pytest.raises(ERROR, match="2 rows for 2 columns"):
        lmm.fit([1.0, 2.0], design, groups={})


def test_groups_and_design_as_many_as_rows():
    design = lmm.treatment({"gender": ["a", "b", "a", "b", "a"]})
    groups = {"word": ["p", "p", "q", "q", "r"], "template": ["s", "t", "t", "u", "u"]}
    with pytest.raises(ERROR, match="nothing is left for the residual"):
        lmm.fit([1.0, 2.0, 4.0, 8.0, 3.0], design, groups=groups)


def test_a_group_with_one_level_is_left_out_and_said(data: Data):
    groups = {**data.groups, "model": np.full(60, "bert")}
    fit = lmm.fit(data.scores, data.design, groups=groups, weights=data.weights)
    assert fit.cautions == (
        "model has one level (bert), so its variance cannot be estimated: it is left out",
    )
    assert fit.criterion == data.fit().criterion
    assert list(fit.variances) == ["word", "template"]


def test_a_group_with_few_levels_is_kept_and_said(data: Data):
    groups = {"template": data.groups["template"] // 2, "word": data.groups["word"]}
    fit = lmm.fit(data.scores, data.design, groups=groups, weights=data.weights)
    assert fit.cautions[0] == "template has 3 levels; with fewer than 5 its variance is poorly determined"
    assert "template" in fit.variances


def test_a_group_with_a_level_per_row(data: Data):
    with pytest.raises(ERROR, match="group row has a level for each of the 60 rows"):
        lmm.fit(data.scores, data.design, groups={"row": range(60)})


def test_groups_that_are_the_same(data: Data):
    renamed = np.array(list("hgfedcba"))[data.groups["word"]]
    with pytest.raises(ERROR, match="groups word and other put the rows into the same groups"):
        lmm.fit(data.scores, data.design, groups={"word": data.groups["word"], "other": renamed})


@pytest.mark.parametrize("beside", [{}, {"word": None}])
def test_a_group_that_the_design_determines(data: Data, beside: dict[str, None]):
    groups = {"sex": np.where(data.gender == 1, "m", "f"), **{name: data.groups[name] for name in beside}}
    with pytest.raises(ERROR, match="levels of group sex are combinations of the columns of the design"):
        lmm.fit(data.scores, data.design, groups=groups)


def test_lengths_that_differ(data: Data):
    with pytest.raises(ERROR, match="59 scores and 60 rows of the design"):
        lmm.fit(data.scores[1:], data.design, groups={})
    with pytest.raises(ERROR, match="60 scores and 59 weights"):
        lmm.fit(data.scores, data.design, groups={}, weights=data.weights[1:])
    with pytest.raises(ERROR, match="group word has 59 labels for 60 scores"):
        lmm.fit(data.scores, data.design, groups={"word": data.groups["word"][1:]})
    with pytest.raises(ERROR, match=r"scores has shape \(2, 30\)"):
        lmm.fit(data.scores.reshape(2, 30), data.design, groups={})
    with pytest.raises(ERROR, match="kind has 59 labels for 60 rows"):
        lmm.treatment({"gender": data.gender, "kind": data.gender[1:]})


@pytest.mark.parametrize("missing", [None, np.nan])
def test_a_label_that_is_missing(data: Data, missing: object):
    labels = data.groups["word"].astype(object)
    labels[[4, 6]] = missing
    with pytest.raises(ERROR, match="word has no label in row 4"):
        lmm.fit(data.scores, data.design, groups={"word": labels})
    with pytest.raises(ERROR, match="gender has no label in row 4"):
        lmm.treatment({"gender": labels})


def test_labels_with_the_same_text(data: Data):
    labels = data.groups["word"].astype(object)
    labels[0] = "1"
    with pytest.raises(ERROR, match="different labels with the same text"):
        lmm.fit(data.scores, data.design, groups={"word": labels})


def test_options_out_of_range(data: Data):
    fit = data.fit()
    rng = np.random.default_rng(1)
    with pytest.raises(ERROR, match="resamples is 1;"):
        fit.bootstrap(resamples=1, rng=rng)
    with pytest.raises(ERROR, match="kind is 'rows'; pass 'model' or 'lme4'"):
        fit.bootstrap("rows", resamples=10, rng=rng)
    drawn = fit.bootstrap(resamples=10, rng=rng)
    for ask in (fit.r2, drawn.r2, drawn.r2_replicates):
        with pytest.raises(
            ERROR, match="residual is 'mean'; pass one of unit-weight, mean-variance, mean-weight"
        ):
            ask("mean")
    with pytest.raises(ERROR, match=r"choose from \(Intercept\), gender: 1"):
        fit.test({"gender: 2": 1})
    with pytest.raises(ERROR, match="not all 0"):
        fit.test({"gender: 1": 0})
    with pytest.raises(ERROR, match="one finite number per column"):
        drawn.interval([1.0])
    with pytest.raises(ERROR, match="no term age; choose from gender"):
        fit.joint("age")
    with pytest.raises(ERROR, match="no contrasts"):
        fit.joint([])
    with pytest.raises(ERROR, match="a number of at least 0 for each of word, template"):
        fit.criterion_at({"word": 1.0})
    with pytest.raises(ERROR, match="a number of at least 0"):
        fit.criterion_at({"word": 1.0, "template": -1.0})
    for ask_level in (fit.test, drawn.interval):
        with pytest.raises(ValueError, match="level is 95"):
            ask_level({"gender: 1": 1}, level=95)
