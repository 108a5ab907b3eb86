"""What the t test over templates detects and its interval covers, next to formulas written out again."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from biascore.designs import Mean
from biascore.stats import holm
from biascore_metrics.bbq.bias import (
    ONE_SIDED,
    accuracy,
    bias,
    by_category,
    by_group,
    of_accuracies,
    s_dis,
)

from .made import rows_of

RNG = np.random.default_rng(0)
TEMPLATES = np.repeat(np.arange(8), 10)
SCORES = RNG.choice([-1.0, 0.0, 1.0], 80, p=[0.2, 0.4, 0.4])
HALF = np.arange(80) % 2 == 0
GIANT = (400, *[10] * 24)
TWO_GIANTS = (200, 100, *[10] * 8)
SETS = 300


def drawn(
    sizes: tuple[int, ...],
    rng: np.random.Generator,
    mean: float = 0.0,
    pro: float | None = 0.5,
    sd: float = 0.1,
) -> Mean:
    """The bias of a set: templates' biases are normal, 60 % of questions are guessed, others as the context tells.

    ``pro``: in what share of a template's questions the stereotyped person is right; None: the context does not tell.
    """
    template = np.repeat(np.arange(len(sizes)), sizes)
    within = np.concatenate([np.arange(size) / size for size in sizes])
    biases = (mean + sd * rng.standard_normal(len(sizes))).clip(-0.6, 0.6)[template]
    guess = np.where(rng.random(template.size) < 0.5 + biases / 1.2, 1.0, -1.0)
    side = None if pro is None else within < pro
    told = 0.0 if side is None else np.where(side, 1.0, -1.0)
    scores = np.where(rng.random(template.size) < 0.6, guess, told)
    return bias(rows_of(scores, template, side), 0.95)


@pytest.mark.parametrize(
    "pro", [pytest.param(None, marks=pytest.mark.slow), 0.5], ids=["ambiguous", "disambiguated"]
)
@pytest.mark.parametrize(
    ("sizes", "power"),
    [
        pytest.param(GIANT, 0.35, marks=pytest.mark.slow),
        pytest.param(TWO_GIANTS, 0.18, marks=pytest.mark.slow),
        pytest.param((40,) * 25, 0.9, marks=pytest.mark.slow),
    ],
    ids=["giant", "two giants", "even"],
)
def test_unequal_templates_keep_the_level_and_the_coverage(
    sizes: tuple[int, ...], power: float, pro: float | None
) -> None:
    rng = np.random.default_rng([len(sizes), pro is None])
    error = math.sqrt(0.05 * 0.95 / SETS)
    none, some = ([drawn(sizes, rng, mean, pro) for _ in range(SETS)] for mean in (0.0, 0.12))
    assert np.mean([(one.p_value or 1.0) <= 0.05 for one in none]) <= 0.065 + 2 * error
    # Right answers permuted within templates gave 15.6 and 11.2 % for the first two, and 91 % where the third is biased.
    assert np.mean([(one.p_value or 1.0) <= 0.05 for one in some]) >= power - 2 * math.sqrt(
        power * (1 - power) / SETS
    )
    for truth, found in ((0.0, none), (0.12, some)):
        ends = [one.interval for one in found if one.interval]
        assert np.mean([one.low <= truth <= one.high for one in ends]) >= 0.925 - 2 * error
        assert len(ends) == SETS


def test_templates_of_one_size_are_observations_of_a_t_test() -> None:
    found = bias(rows_of(SCORES, TEMPLATES), 0.9)
    means = SCORES.reshape(8, 10).mean(axis=1)
    expected = stats.ttest_1samp(means, 0.0)
    low, high = expected.confidence_interval(0.9)
    assert found.interval is not None
    assert (found.value, found.p_value) == pytest.approx((means.mean(), expected.pvalue))
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high))


@pytest.mark.parametrize(("templates", "least"), [(2, 0.5), (3, 0.25), (4, 0.125), (5, 1 / 16), (6, 1 / 32)])
@pytest.mark.parametrize("pro", [None, HALF], ids=["ambiguous", "disambiguated"])
def test_templates_that_all_go_one_way_are_so_many_signs(
    templates: int, least: float, pro: np.ndarray | None
) -> None:
    """Twelve answers that are all the same, or nearly: five templates cannot be detected, whatever they say."""
    n = 12 * templates
    sides = None if pro is None else pro[:n]
    nearly = np.where(RNG.random(n) < 0.1, 0.0, 1.0)
    for score in (np.ones(n), nearly):
        found = bias(rows_of(score, np.repeat(np.arange(templates), 12), sides), 0.95)
        assert found.p_value == pytest.approx(least)
        assert found.kind == "exact"


def test_answers_that_never_differ_have_the_interval_of_what_templates_leave_open() -> None:
    for value in (-1.0, 0.0, 1.0):
        found = bias(rows_of(np.full(80, value), TEMPLATES), 0.95)
        assert found.interval is not None
        # Clopper & Pearson: a further template, or answer where none takes a side, may differ with this probability.
        open_ = 1 - 0.025 ** (1 / (8 if value else 80))
        ends = (value - open_ * (value + 1), value + open_ * (1 - value))
        assert (found.interval.low, found.interval.high) == pytest.approx(ends)
        assert found.p_value == pytest.approx(2**-7 if value else 1)
    right = accuracy(rows_of(np.zeros(80), TEMPLATES), 0.95)
    assert right.interval is not None
    assert (right.value, right.interval.high) == (1, 1)


@pytest.mark.parametrize(("n", "why"), [(0, "there are no questions"), (10, "one of the templates")])
def test_less_than_two_templates_decide_nothing(n: int, why: str) -> None:
    found = bias(rows_of(SCORES[:n], TEMPLATES[:n]), 0.95)
    assert (found.p_value, found.interval) == (None, None)
    assert why in found.problem


def test_a_ratio_has_the_error_of_its_linearisation() -> None:
    found = s_dis(rows_of(SCORES, TEMPLATES, HALF), 0.95)
    persons = np.abs(SCORES)
    value = SCORES.sum() / persons.sum()
    left = (SCORES - value * persons).reshape(8, 10).sum(axis=1)
    error = math.sqrt(8 / 7 * (left @ left)) / persons.sum()  # Cochran 1977, Sampling Techniques, 6.4
    assert found.test is not None
    assert (found.value, found.test.se) == pytest.approx((value, error))
    assert s_dis(rows_of(0 * SCORES, TEMPLATES, HALF), 0.95).value is None


def test_a_difference_of_accuracies_has_the_error_of_its_linearisation() -> None:
    rows = rows_of(SCORES, TEMPLATES, HALF)
    found = of_accuracies(rows, 0.95)
    by = [rows.right[(t == TEMPLATES) & (side == HALF)].mean() for t in range(8) for side in (True, False)]
    gaps = np.array(by[::2]) - np.array(by[1::2])
    assert found.test is not None
    assert (found.value, found.test.se) == pytest.approx((gaps.mean(), gaps.std(ddof=1) / math.sqrt(8)))
    assert of_accuracies(rows_of(SCORES, TEMPLATES, HALF | True), 0.95).value is None


def test_a_difference_of_accuracies_weighs_sides_by_their_own_numbers() -> None:
    """Seven questions of ten agree with the stereotype: influence values written out, and their t test by template."""
    pro = np.arange(80) % 10 < 7
    rows = rows_of(SCORES, TEMPLATES, pro)
    found = of_accuracies(rows, 0.95)
    one, other = rows.right[pro].mean(), rows.right[~pro].mean()
    added = np.where(pro, (rows.right - one) * 80 / 56, (other - rows.right) * 80 / 24)
    expected = stats.ttest_1samp(one - other + added.reshape(8, 10).mean(axis=1), 0.0)
    assert (found.value, found.p_value) == pytest.approx((one - other, expected.pvalue))


def test_right_answers_that_are_more_often_on_one_side_are_no_bias() -> None:
    pro = np.arange(80) % 10 < 7
    right = RNG.random(80) < 0.8
    rows = rows_of(np.where(pro == right, 1.0, -1.0), TEMPLATES, pro)
    found = bias(rows, 0.95)
    sides = np.where(
        np.stack([RNG.permuted(pro.reshape(8, 10), axis=1).ravel() for _ in range(4000)]), 1.0, -1.0
    )
    exchanged = sides @ np.where(right, 1.0, -1.0)
    assert found.neutral == pytest.approx(exchanged.mean() / 80, abs=0.01)
    assert found.neutral > 0.2
    assert found.value == pytest.approx(rows.score.mean())
    assert found.p_value is not None
    assert found.p_value > 0.05


def test_the_interval_excludes_no_bias_where_the_test_rejects() -> None:
    rng = np.random.default_rng(3)
    found = [
        drawn(TWO_GIANTS, rng, mean, pro) for mean in (0.0, 0.4) for pro in (0.5, 0.7) for _ in range(50)
    ]
    for one in found:
        assert one.interval is not None
        assert one.p_value is not None
        assert (one.p_value <= 0.05) is not (one.interval.low <= one.neutral <= one.interval.high)
    assert 40 < sum((one.p_value or 1) <= 0.05 for one in found) < 150


def test_templates_whose_right_answers_are_all_on_one_side_say_nothing() -> None:
    pro = np.repeat([True, False], 40)
    found = bias(rows_of(np.where(RNG.random(80) < 0.8, 1.0, -1.0), TEMPLATES, pro), 0.95)
    assert (found.p_value, found.interval, found.problem) == (None, None, ONE_SIDED)


def test_one_template_with_all_right_answers_on_one_side_leaves_the_test_to_the_others() -> None:
    pro = np.where(TEMPLATES == 0, True, HALF)
    found = bias(rows_of(SCORES, TEMPLATES, pro), 0.95)
    assert found.p_value is not None
    assert found.interval is not None


def test_the_bias_of_each_category_is_adjusted_over_the_categories() -> None:
    rows = rows_of(SCORES, TEMPLATES)
    rows = rows.assign(category=np.repeat(["Age", "Race"], 40))
    alone = [bias(rows[rows.category == name], 0.95).p_value for name in ("Age", "Race")]
    found = {one.name: one for one in by_category(rows, ("ambiguous",), {}, 0.95)}
    adjusted = [found[f"ambiguous bias, {name}"].p_values[0].value for name in ("Age", "Race")]
    assert adjusted == pytest.approx(holm(alone))
    assert adjusted != pytest.approx(alone)


def test_one_subgroup_alone_is_no_part() -> None:
    rows = rows_of(SCORES, TEMPLATES)
    one, two = (rows.assign(subgroup=np.repeat(some, 40)) for some in (["old", "old"], ["old", "young"]))
    assert [*by_group(one, ("ambiguous",), 0.95)] == []
    assert len([*by_group(two, ("ambiguous",), 0.95)]) == 4
