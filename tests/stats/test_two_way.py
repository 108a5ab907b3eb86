"""Two-way intervals against plain loops over resampled words, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

from biascore.stats import ZeroVarianceError, association, effect_size
from biascore.stats.exchange import Exchange
from biascore.stats.two_way import TWO_WAY, two_way_intervals

RNG = np.random.default_rng(11)
TABLE = RNG.normal(size=(9, 7)) + np.outer(np.r_[np.ones(5), -np.ones(4)], np.r_[np.ones(3), -np.ones(4)]) / 3


def by_loops(table, groups_of_rows, groups_of_columns, resamples, seed, ddof=1):
    """Effect sizes and differences, a resample at a time, words repeated as often as they are drawn.

    The units that are drawn among themselves come in order; the draws are those of the code under test.
    """
    rng = np.random.default_rng(seed)
    picks = [
        [rng.integers(len(units), size=(resamples, len(units))) for units in groups]
        for groups in (groups_of_rows, groups_of_columns)
    ]
    found = []
    for r in range(resamples):
        rows, columns = (
            [word for units, drawn in zip(groups, pick, strict=True) for i in drawn[r] for word in units[i]]
            for groups, pick in zip((groups_of_rows, groups_of_columns), picks, strict=True)
        )
        x, y = [i for i in rows if i < 5], [i for i in rows if i >= 5]
        a, b = [j for j in columns if j < 3], [j for j in columns if j >= 3]
        s = {i: association(table[[i]][:, a], table[[i]][:, b])[0] for i in set(rows)}
        one, other = [s[i] for i in x], [s[i] for i in y]
        found.append((effect_size(one, other, ddof), np.mean(one) - np.mean(other)))
    return np.array(found)


ALONE = (
    [[[i] for i in range(5)], [[i] for i in range(5, 9)]],
    [[[j] for j in range(3)], [[j] for j in range(3, 7)]],
)


@pytest.mark.parametrize("ddof", [0, 1])
def test_equals_plain_loops(ddof):
    got = two_way_intervals(TABLE, 5, 3, ddof=ddof, resamples=60, rng=np.random.default_rng(4))
    effects, differences = by_loops(TABLE, *ALONE, 60, 4, ddof).T
    for interval, drawn in ((got.effect, effects), (got.difference, differences)):
        assert (interval.low, interval.high) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])))
        assert (interval.method, interval.resamples, interval.n_degenerate) == (TWO_WAY, 60, 0)


def test_words_of_one_unit_are_drawn_together():
    """Rows 0 and 1 are a family of X; columns 2 and 3, one of A and one of B, are counterparts."""
    rows, columns = [0, 0, 1, 2, 3, 4, 5, 6, 7], [0, 1, 2, 2, 3, 4, 5]
    got = two_way_intervals(
        TABLE, 5, 3, resamples=60, rng=np.random.default_rng(4), rows=rows, columns=columns
    )
    groups = [[[0, 1], [2], [3], [4]], [[5], [6], [7], [8]]], [[[0], [1]], [[4], [5], [6]], [[2, 3]]]
    drawn = by_loops(TABLE, *groups, 60, 4)
    ends = got.effect.low, got.effect.high, got.difference.low, got.difference.high
    assert ends == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975], axis=0).T.ravel()))


def test_a_scale_of_the_table_scales_the_difference_alone():
    one, other = (
        two_way_intervals(scale * TABLE, 5, 3, resamples=50, rng=np.random.default_rng(2))
        for scale in (1.0, 1e-200)
    )
    assert (other.effect.low, other.effect.high) == pytest.approx((one.effect.low, one.effect.high))
    assert other.difference.high == pytest.approx(1e-200 * one.difference.high)


def test_attributes_that_differ_widen_it_and_attributes_that_agree_do_not():
    words = np.r_[RNG.normal(size=12) + 0.5, RNG.normal(size=12)]
    sides = np.r_[np.ones(8), -np.ones(8)]
    alike = np.outer(words, sides) / 2
    unlike = alike + np.outer(np.r_[np.ones(12), -np.ones(12)], RNG.normal(size=16))
    s = words
    rng = np.random.default_rng(1)
    fixed = [effect_size(rng.choice(s[:12], 12), rng.choice(s[12:], 12)) for _ in range(5000)]
    low, high = np.quantile(fixed, [0.025, 0.975])
    agree = two_way_intervals(alike, 12, 8, rng=np.random.default_rng(1)).effect
    assert agree.high - agree.low == pytest.approx(high - low, rel=0.05)
    differ = two_way_intervals(unlike, 12, 8, rng=np.random.default_rng(1)).difference
    assert differ.high - differ.low > 1.5 * (agree.high - agree.low)


def test_pairs_of_counterparts_and_families_are_what_is_drawn_together():
    families = Exchange.of((3, 2), families=(["a", "a", "b"], ["c", "d"]))
    assert families.together == (0, 0, 1, 2, 3)
    first, alone, second, last = Exchange.of((2, 2), counterparts=(["he", None], ["he", None])).together
    assert first == second != alone
    assert last == alone or last not in (first, alone)


@pytest.mark.parametrize(
    ("change", "error", "told"),
    [
        ({"cut": 2}, ZeroVarianceError, r"a list of the columns has 2 independent word\(s\)"),
        ({"rows": [0] * 5 + [1, 2, 3, 4]}, ZeroVarianceError, "a list of the rows has 1 independent"),
        ({"first": 9}, ValueError, "first is 9"),
        ({"columns": [0, 1]}, ValueError, "columns numbers 2 of 7 words"),
        ({"resamples": 1}, ValueError, "resamples is 1"),
        ({"level": 1.0}, ValueError, "level is 1"),
        ({"table": np.ones((9, 7))}, ZeroVarianceError, "all 9 scores are equal"),
        ({"table": TABLE * np.nan}, ValueError, "table holds a NaN"),
    ],
)
def test_what_has_no_interval_is_refused(change, error, told):
    given = {"table": TABLE, "first": 5, "cut": 3, "rng": np.random.default_rng(0), "resamples": 20} | change
    with pytest.raises(error, match=told):
        two_way_intervals(given.pop("table"), given.pop("first"), given.pop("cut"), **given)
