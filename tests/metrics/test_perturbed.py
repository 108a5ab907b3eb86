"""How far a change of one thing moves a score, against pairs compared one by one."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from biascore.designs.perturbed import Shift, describe_shifts, t_of_units

RNG = np.random.default_rng(3)
ROWS = [
    (unit, age, level)
    for unit in ("loan", "flat", "visa")
    for age in (20, 60)
    for level in ("man", "woman", "other")
]
SCORES = RNG.normal(0, 1, len(ROWS))


def shift(rows: list[tuple[str, int, str]] = ROWS, **more: bool) -> Shift:
    return Shift.of(
        "gender",
        SCORES[: len(rows)],
        units=[unit for unit, _, _ in rows],
        same=[age for _, age, _ in rows],
        level=[level for _, _, level in rows],
        levels=("man", "woman", "other"),
        **more,
    )


def test_all_pairs_that_differ_in_one_thing():
    found = shift()
    pairs = [
        (a, b)
        for a, b in combinations(range(len(ROWS)), 2)
        if ROWS[a][:2] == ROWS[b][:2] and ROWS[a][2] != ROWS[b][2]
    ]
    assert sorted(found.absolute) == pytest.approx(sorted(abs(SCORES[a] - SCORES[b]) for a, b in pairs))
    for place, unit in enumerate(("loan", "flat", "visa")):
        own = [SCORES[b] - SCORES[a] for a, b in pairs if ROWS[a][0] == unit]
        assert found.of_units[place] == pytest.approx(np.mean(np.abs(own)))
        assert found.signed[place] == pytest.approx(np.mean(own))
    assert found.mean == pytest.approx(found.of_units.mean())
    assert found.quantile(0.9) == pytest.approx(np.quantile(found.absolute, 0.9))


def test_the_order_of_rows_does_not_matter_and_that_of_levels_is_the_sign():
    order = RNG.permutation(len(ROWS))
    units, ages, levels = zip(*(ROWS[place] for place in order), strict=True)
    other = Shift.of(
        "gender", SCORES[order], units=units, same=ages, level=levels, levels=("other", "woman", "man")
    )
    assert sorted(other.signed) == pytest.approx(sorted(-shift().signed))
    assert other.mean == pytest.approx(shift().mean)


def test_a_constant_between_levels_is_found_exactly():
    by = {"man": 0.0, "woman": 0.25, "other": 0.25}
    scores = np.array([{"loan": 4.0, "flat": -2.0, "visa": 0.0}[unit] + by[level] for unit, _, level in ROWS])
    two = [place for place, row in enumerate(ROWS) if row[2] != "other"]
    found = Shift.of(
        "gender",
        scores[two],
        units=[ROWS[place][0] for place in two],
        same=[ROWS[place][1] for place in two],
        level=[ROWS[place][2] for place in two],
        levels=("man", "woman"),
    )
    assert found.signed == pytest.approx([0.25] * 3)
    assert found.mean == pytest.approx(0.25)
    assert found.estimates("logit", "questions", 0.95)[0].interval is None  # it does not vary


def test_without_a_pair_there_is_nothing():
    found = shift(ROWS[:1])
    assert found.mean is None
    assert found.quantile(0.9) is None
    assert [one.value for one in found.estimates("logit", "questions", 0.95)] == [None, None]
    assert describe_shifts([shift()], [found], "the logit") == ""


def test_the_sentence_has_both_sides():
    one = shift()
    said = describe_shifts([one], [shift(neutral=True)], "the logit")
    assert said == (
        f"One change moves the logit on average {one.mean:.2g} by gender, and if it is neutral {one.mean:.2g} by gender."
    )
    names = [estimate.name for estimate in shift(neutral=True).estimates("logit", "questions", 0.95)]
    assert names == [
        "absolute change by gender (neutral)",
        "absolute change by gender (neutral), 90th percentile",
    ]


def test_the_t_test_of_units():
    from scipy.stats import ttest_1samp

    values = np.array([0.1, 0.4, -0.2, 0.6])
    found, expected = t_of_units(values, 0.9, 1.0), ttest_1samp(values, 0.0)
    assert found is not None
    assert found.p_value == pytest.approx(expected.pvalue)
    assert (found.low, found.high) == pytest.approx(tuple(expected.confidence_interval(0.9)))
    assert t_of_units(values[:1], 0.9, 1.0) is None
    assert t_of_units(np.array([0.1, 0.1 + 1e-16, 0.1]), 0.9, 1.0) is None
