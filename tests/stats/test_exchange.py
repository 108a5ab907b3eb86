"""What may be exchanged between two lists: families as a whole, counterparts and kinds within themselves."""

from __future__ import annotations

from itertools import product
from typing import Literal

import numpy as np
import pytest

from biascore.stats import permutation_test
from biascore.stats.exchange import Exchange, both_reaching
from biascore.stats.relabelling import exchange_test

SIX = tuple("abcdef")


def p(found) -> float:
    return found.two_sided.p_value


@pytest.fixture
def scores(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    return rng.normal(0.7, 1.0, 6), rng.normal(size=6)


def test_words_one_by_one_are_the_permutation_test(scores, rng: np.random.Generator) -> None:
    assert exchange_test(*scores, Exchange.of((6, 6)), rng=rng) == permutation_test(*scores, rng=rng)


def test_counterparts_are_exchanged_within_their_pair(scores, rng: np.random.Generator) -> None:
    x, y = scores
    pairs = Exchange.of((6, 6), counterparts=(SIX, SIX))
    found = exchange_test(x, y, pairs, rng=rng)
    sums = [abs(np.dot(signs, x - y)) for signs in product((1, -1), repeat=6)]
    assert p(found) == np.mean(np.array(sums) >= abs((x - y).sum()) - 1e-9)
    assert (found.n_partitions, found.attainable("two-sided", "target words").limited_by) == (
        64,
        "6 pairs of target words",
    )
    assert found.attainable("two-sided", "words").p_value == 2 / 64
    common = rng.normal(size=6) * 9  # what both words of a pair have in common cancels
    assert p(exchange_test(x + common, y + common, pairs, rng=rng)) == p(found)
    shuffled = rng.permutation(6)  # words need not stand in the order of their pairs
    moved = Exchange.of((6, 6), counterparts=([SIX[i] for i in shuffled], SIX))
    assert p(exchange_test(x[shuffled], y, moved, rng=rng)) == p(found)


def test_pairs_that_share_a_family_are_one(scores, rng: np.random.Generator) -> None:
    forms = ("he", "he", "he", "man", "boy", "son")
    both = Exchange.of((6, 6), families=(forms, forms), counterparts=(SIX, SIX))
    assert (both.told("words"), both.labellings, both.smallest_p()) == (
        "4 pairs of families of words",
        16,
        2 / 16,
    )
    assert exchange_test(*scores, both, rng=rng).attainable("greater", "words").p_value == 1 / 16


def test_a_word_without_its_counterpart_says_nothing(scores, rng: np.random.Generator) -> None:
    x, y = scores
    whole = exchange_test(x[1:], y[1:], Exchange.of((5, 5), counterparts=(SIX[1:], SIX[1:])), rng=rng)
    lone = Exchange.of((6, 5), counterparts=(SIX, SIX[1:]))
    assert lone.exchanging == 5
    for value in (-50.0, 50.0):
        moved = np.concatenate([[value], x[1:]])
        assert p(exchange_test(moved, y[1:], lone, rng=rng)) == pytest.approx(p(whole))


def test_words_without_counterparts_are_exchanged_with_one_another() -> None:
    names = (*"abcd", None, None)
    assert Exchange.of((6, 6), counterparts=(names, names)).labellings == 2**4 * 6


def test_kinds_are_exchanged_within_themselves(scores, rng: np.random.Generator) -> None:
    kinds = ("n", "n", "n", "a", "a", "v"), ("n", "n", "n", "n", "a", "a")
    within = Exchange.of((6, 6), blocks=kinds)
    assert (within.labellings, within.mirrored) == (35 * 6, False)
    added = [np.array([{"n": 0.0, "a": 5.0, "v": -9.0}[kind] for kind in some]) for some in kinds]
    moved = [score + more for score, more in zip(scores, added, strict=True)]
    assert p(exchange_test(*moved, within, rng=rng)) == pytest.approx(
        p(exchange_test(*scores, within, rng=rng))
    )
    assert within.told("words") == "6 + 6 words, within their kinds"


def test_drawn_labellings_agree_with_all_of_them(scores, rng: np.random.Generator) -> None:
    for exchange in (
        Exchange.of((6, 6), counterparts=(SIX, SIX)),
        Exchange.of((6, 6), families=("aabbbc", "abcdef")),
        Exchange.of((6, 6), blocks=("aaabbb", "aabbbb")),
    ):
        exact = exchange_test(*scores, exchange, rng=rng)
        drawn = exchange_test(*scores, exchange, method="monte-carlo", draws=20_000, rng=rng)
        assert (exact.method, drawn.method) == ("exact", "monte-carlo")
        assert p(drawn) == pytest.approx(p(exact), abs=0.015)
        assert exact.greater.p_value == pytest.approx(drawn.greater.p_value, abs=0.015)


def test_too_few_pairs_are_exchanged_across() -> None:
    five = Exchange.of((5, 5), counterparts=(SIX[:5], SIX[:5]))
    assert five.reaching(0.05).plain
    assert five.reaching(0.5) == five
    eight = Exchange.of((8, 8), counterparts=(range(8), range(8)))
    assert eight.reaching(0.05) == eight  # 2 in 256
    with_kinds = Exchange.of((5, 5), blocks=("nnnna", "nnnna"), counterparts=(SIX[:5], SIX[:5])).reaching(0.2)
    assert (with_kinds.labellings, with_kinds.paired) == (140, False)  # kinds are kept where they reach
    kept = Exchange.of((5, 5), families=("aabcd", "abcde"), counterparts=(SIX[:5], SIX[:5])).reaching(0.05)
    assert (kept.units, kept.paired) == ((4, 5), False)  # families stay, for they are needed


def test_kinds_are_kept_on_one_side_at_least() -> None:
    many = Exchange.of((8, 8), blocks=("nnnnaaaa", "nnnnaaaa"))
    none = Exchange.of((4, 4), blocks=("nnnn", "aaaa"))
    assert both_reaching(many, many, 0.05) == (many, many)
    rows, columns = both_reaching(many, none, 0.05)
    assert (rows, columns.labellings) == (many, 70)
    rows, columns = both_reaching(none, many, 0.05)
    assert (rows.labellings, columns) == (70, many)
    rows, columns = both_reaching(none, none, 0.05)
    assert (rows.labellings, columns.labellings) == (1, 70)
    pairs = Exchange.of((8, 8), blocks=("nnnnaaaa", "nnnnaaaa"), counterparts=(range(8), range(8)))
    assert both_reaching(pairs, none, 0.05)[0] == pairs
    few = Exchange.of((5, 5), blocks=("nnnna", "nnnna"), counterparts=(SIX[:5], SIX[:5]))
    assert both_reaching(few, few, 0.05) == (few.coarser[0], few.coarser[2])


@pytest.mark.parametrize("method", ["exact", "monte-carlo"])
def test_unequal_shares_of_kinds_move_the_middle(
    rng: np.random.Generator, method: Literal["exact", "monte-carlo"]
) -> None:
    """x is of the high kind mostly: the difference is above 0, and less than its kinds make it."""
    x, y = np.array([5.0, 5.1, 4.9, 0.0]), np.array([5.5, 0.5, 0.6, 0.4])
    kinds = Exchange.of((4, 4), blocks=("hhhl", "hlll"))
    found = exchange_test(x, y, kinds, method=method, rng=rng)
    expected = (5.0 + 5.1 + 4.9 + 5.5) / 4 * 0.5 - (0.5 + 0.6 + 0.4 + 0.0) / 4 * 0.5
    assert found.middle == pytest.approx(expected, abs=1e-9 if method == "exact" else 0.02)
    assert (found.statistic > 0, found.direction) == (True, -1.0)
    assert exchange_test(x, y, Exchange.of((4, 4)), rng=rng).direction == 1.0


def test_size_holds_where_words_one_by_one_reject_too_often(rng: np.random.Generator) -> None:
    """Nearly equal words in families of three; a small list that scatters three times as much."""
    thirds = Exchange.of((18, 18), families=(np.repeat(range(6), 3).tolist(),) * 2)
    sizes = Exchange.of((5, 25))
    assert sizes.unequal
    assert not thirds.unequal
    wrong, right = np.zeros(2), np.zeros(2)
    for _ in range(120):
        families = [np.repeat(rng.normal(size=6), 3) + 0.3 * rng.normal(size=18) for _ in range(2)]
        scatter = [3.0 * rng.normal(size=5), rng.normal(size=25)]
        for i, (samples, exchange) in enumerate(((families, thirds), (scatter, sizes))):
            few = {"method": "monte-carlo", "draws": 99, "rng": rng}
            wrong[i] += p(permutation_test(*samples, **few)) <= 0.05
            right[i] += (
                p(exchange_test(*samples, exchange, studentized=exchange.unequal, draws=99, rng=rng)) <= 0.05
            )
    assert (wrong > 0.18 * 120).all()
    assert (right < 0.12 * 120).all()


def test_wrong_input_is_named(rng: np.random.Generator) -> None:
    with pytest.raises(ValueError, match="counterparts names 2 of 3 words"):
        Exchange.of((3, 3), counterparts=("ab", "abc"))
    with pytest.raises(ValueError, match=r"2 \+ 3 scores and an exchange of 3 \+ 3"):
        exchange_test([1, 2], [1, 2, 3], Exchange.of((3, 3)), rng=rng)
    with pytest.raises(ValueError, match="two units in each list"):
        exchange_test([1], [1, 2, 3], Exchange.of((1, 3)), studentized=True, rng=rng)
    many = Exchange.of((30, 30), counterparts=(range(30), range(30)))
    with pytest.raises(ValueError, match="an exact test would count"):
        exchange_test(range(30), range(30), many, method="exact", rng=rng)
