"""A million items: fewer draws and resamples are made, and the result states how many."""

from __future__ import annotations

import numpy as np
import pytest

from biascore.stats import bootstrap, permutation
from biascore.stats.bootstrap import bootstrap_effect, bootstrap_interval
from biascore.stats.contrasts import contrast_change
from biascore.stats.exchange import Exchange
from biascore.stats.inversion import shift_interval
from biascore.stats.paired import bootstrap_mean, sign_flip_test
from biascore.stats.units import Units


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> int:
    """The bounds a thousandth, so that 1,000 items are as many as a million."""
    monkeypatch.setattr(permutation, "MOST_LABELS", 10**6)
    monkeypatch.setattr(bootstrap, "LEAST_RESAMPLES", 1000)
    return 1000


def test_draws_and_resamples_are_bounded_and_stated(few: int) -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(0.1, 1.0, few)
    flipped = sign_flip_test(values, draws=100_000, rng=rng)
    assert flipped.n_total == 8_000  # of octets of signs
    assert flipped.p_value >= 1 / 8_001
    assert bootstrap_mean(values, rng=rng).resamples == 1000
    assert bootstrap_effect(values[:500], values[500:], rng=rng).resamples == 1000
    assert shift_interval(values[:500], values[500:], draws=5000, rng=rng).resamples == 1000
    changed = contrast_change(values, values + 1.0, np.arange(few) % 3, (1.0, -0.5, -0.5), rng=rng)
    assert changed.n_total == 1000


def test_few_items_have_all_the_draws_that_are_asked_for() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(0.1, 1.0, 5000)
    assert sign_flip_test(values, draws=2_000, rng=rng).n_total == 2_000
    assert bootstrap_mean(values, resamples=700, rng=rng).resamples == 700


def test_leaving_out_groups_gives_nearly_the_acceleration_of_leaving_out_items(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    values = np.random.default_rng(3).exponential(size=2_000)

    def ends() -> tuple[float, float]:
        found = bootstrap_interval(
            lambda batch: batch[0].mean(axis=1), (values,), resamples=1000, rng=np.random.default_rng(1)
        )
        return found.low, found.high

    one_by_one = ends()
    monkeypatch.setattr(permutation, "MOST_LABELS", 10**6)  # 500 groups
    width = one_by_one[1] - one_by_one[0]
    assert ends() == pytest.approx(one_by_one, abs=0.02 * width)


def test_units_of_many_words_are_found_in_one_pass() -> None:
    """It took the square of their number: 100,000 words had no end."""
    many = 50_000
    scores = np.random.default_rng(0).normal(size=2 * many)
    units = Units.of(scores[:many], scores[many:], Exchange.of((many, many)))
    assert [some.size for some in units.strata] == [many, many]
