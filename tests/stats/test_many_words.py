"""Lists of 10,000 words: no test holds a table of draws and words, and none takes their square."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

from biascore.stats import cosine_matrix, permutation_test
from biascore.stats.bootstrap import bootstrap_effect, bootstrap_interval
from biascore.stats.cosines import Cosines
from biascore.stats.exchange import Exchange
from biascore.stats.inversion import shift_interval
from biascore.stats.labels import Labelled
from biascore.stats.relabelling import exchange_test
from biascore.stats.tightness import Tightness, direction_test
from biascore.stats.two_way import two_way_intervals
from biascore.stats.units import bootstrap_difference, bootstrap_effect_of_units

MANY = 10_000
BOUND_MB = 100
"""The arrays of 1,000 draws of 20,000 words take 160 MB each, one of 20,000 by 20,000 words 3,200."""


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


X, Y = rng().normal(size=(2, MANY))
FAMILIES = [i // 2 for i in range(MANY)]
OF_FAMILIES = Exchange.of((MANY, MANY), families=(FAMILIES, FAMILIES))
OF_PAIRS = Exchange.of((MANY, MANY), counterparts=(range(MANY), range(MANY)))
VECTORS = rng(1).normal(size=(4 * MANY, 10))


def direction() -> object:
    targets, attributes = VECTORS[:MANY], VECTORS[MANY : MANY + 100]
    labelled = Labelled(cosine_matrix(targets, attributes), 50, Exchange.of((50, 50)))
    among = Tightness.of(cosine_matrix(attributes, attributes), labelled.exchange)
    return direction_test(labelled, among, draws=1000, rng=rng())


CASES: dict[str, Callable[[], object]] = {
    "permutation": lambda: permutation_test(X, Y, draws=1000, rng=rng()),
    "permutation of families": lambda: exchange_test(X, Y, OF_FAMILIES, draws=1000, rng=rng()),
    "permutation within pairs": lambda: exchange_test(X, Y, OF_PAIRS, draws=100, rng=rng()),
    "permutation, studentized": lambda: exchange_test(
        X, Y[:2500], Exchange.of((MANY, 2500)), studentized=True, draws=1000, rng=rng()
    ),
    "inverted permutation": lambda: shift_interval(X, Y, draws=500, rng=rng()),
    "bootstrap": lambda: bootstrap_effect(X, Y, resamples=500, rng=rng()),
    "bca": lambda: bootstrap_interval(lambda b: b[0].mean(axis=1), (X[:2000],), resamples=500, rng=rng()),
    "bootstrap of families": lambda: bootstrap_effect_of_units(X, Y, OF_FAMILIES, resamples=300, rng=rng()),
    "bootstrap of pairs": lambda: bootstrap_difference(X, Y, OF_PAIRS, resamples=300, rng=rng()),
    "bootstrap of four lists": lambda: two_way_intervals(
        Cosines.of(VECTORS[: 2 * MANY], VECTORS[2 * MANY :]), MANY, MANY, resamples=100, rng=rng()
    ),
    "direction of two lists": direction,
}


@pytest.mark.parametrize("case", CASES)
def test_tests_of_20_000_words_hold_no_table_of_draws_and_words(case: str) -> None:
    tracemalloc.start()
    try:
        CASES[case]()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < BOUND_MB * 1e6
