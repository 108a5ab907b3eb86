"""A mean bias at equal tightness of its lists: against loops over all labellings, and what it takes away."""

import itertools

import numpy as np
import pytest

from biascore.stats import cosine_matrix
from biascore.stats.exchange import Exchange
from biascore.stats.labels import Labelled
from biascore.stats.relabelling import exchange_test
from biascore.stats.tightness import Tightness, direction_test


def lists(scatter: float, sizes: tuple[int, int] = (5, 5), common: float = 1.0, seed: int = 3):
    """Targets and two lists round one direction in 40 dimensions; the first list scatters ``scatter`` times as far."""
    rng = np.random.default_rng(seed)
    centre = common * np.eye(40)[0]
    a, b, words = (
        centre + far * rng.normal(0, 0.15, (n, 40))
        for far, n in ((scatter, sizes[0]), (1, sizes[1]), (1, 30))
    )
    return words, a, b


def measured(words, a, b, exchange: Exchange | None = None):
    both = np.vstack([a, b])
    dimension = Labelled(cosine_matrix(words, both), len(a), exchange or Exchange.of((len(a), len(b))))
    return dimension, Tightness.of(cosine_matrix(both, both), dimension.exchange)


def slow(cosines: np.ndarray, among: np.ndarray, chosen: tuple[int, ...], unit: tuple[int, ...]) -> float:
    """The mean bias at equal tightness by its definition, the words ``chosen`` as A."""
    b = [i for i in range(len(among)) if i not in chosen]
    within = [
        np.mean([among[i, j] for i, j in itertools.product(one, other) if unit[i] != unit[j]])
        for one, other in ((chosen, chosen), (b, b), (chosen, b))
    ]
    q = (within[0] - within[1]) / (within[0] + within[1] + 2 * within[2])
    means = cosines.mean(axis=0)
    return float((1 - q) * means[list(chosen)].mean() - (1 + q) * means[b].mean())


def test_the_test_counts_all_labellings_each_with_its_own_tightness():
    dimension, tightness = measured(*lists(1.5))
    among, unit = tightness.among, tuple(range(10))
    found = [slow(dimension.cosines, among, chosen, unit) for chosen in itertools.combinations(range(10), 5)]
    test = direction_test(dimension, tightness, draws=1000, rng=np.random.default_rng(0))
    assert test.statistic == pytest.approx(found[0])
    assert tightness.equalled(dimension).mean() == pytest.approx(found[0])
    assert test.two_sided.p_value == np.mean(np.abs(found) >= abs(found[0]) - 1e-12)
    assert test.method == "exact"


def test_words_of_one_family_say_nothing_of_tightness():
    words, a, b = lists(1.0)
    twice = np.vstack([a, a[:1] + 1e-3])
    exchange = Exchange.of((6, 5), families=([0, 1, 2, 3, 4, 0], list(range(5))))
    dimension, tightness = measured(words, twice, b, exchange)
    expected = slow(dimension.cosines, tightness.among, tuple(range(6)), exchange.unit)
    assert tightness.equalled(dimension).mean() == pytest.approx(expected)


def test_scatter_alone_moves_the_mean_bias_and_not_that_at_equal_tightness():
    rng = np.random.default_rng(1)
    plain, equal = 0, 0
    for seed in range(40):
        dimension, tightness = measured(*lists(2.0, (8, 8), seed=seed))
        means = dimension.cosines.mean(axis=0)
        test = exchange_test(means[:8], means[8:], dimension.exchange, draws=200, rng=rng)
        plain += test.two_sided.p_value <= 0.05
        equal += direction_test(dimension, tightness, draws=200, rng=rng).two_sided.p_value <= 0.05
    assert plain >= 38
    assert equal <= 8  # more have probability below .0002 at 5 %


def test_without_a_common_direction_nothing_is_taken_away():
    dimension, tightness = measured(*lists(2.0, common=0.0))
    assert tightness.difference == 0
    assert tightness.equalled(dimension) == pytest.approx(dimension.scores)


def test_a_list_of_one_family_has_no_tightness():
    exchange = Exchange.of((4, 4), families=(["a"] * 4, list("bcde")))
    dimension, tightness = measured(*lists(2.0, (4, 4)), exchange)
    assert not tightness.comparable
    assert tightness.difference == 0
    assert (
        direction_test(dimension, tightness, draws=200, rng=np.random.default_rng(0)).two_sided.p_value
        == 1 / 5
    )
    with pytest.raises(ValueError, match="draws is 0"):
        direction_test(dimension, tightness, draws=0, rng=np.random.default_rng(0))


def test_counterparts_are_exchanged_within_their_pairs():
    places = list(range(5))
    exchange = Exchange.of((5, 5), counterparts=(places, places))
    dimension, tightness = measured(*lists(1.0), exchange)
    test = direction_test(dimension, tightness, draws=1000, rng=np.random.default_rng(0))
    assert (test.method, test.two_sided.n_total) == ("exact", 2**5)
