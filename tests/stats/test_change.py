"""The change of an effect size between two measurements of the same words."""

from __future__ import annotations

import numpy as np
import pytest

from biascore.stats import ZeroVarianceError, effect_size
from biascore.stats.change import bootstrap_effect_change
from biascore.stats.exchange import Exchange


def scores(seed: int = 0, nx: int = 5, ny: int = 4) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    rng = np.random.default_rng(seed)
    before = (rng.normal(0.5, 1, nx), rng.normal(-0.5, 1, ny))
    return before, (
        before[0] * 0.4 + rng.normal(0, 0.3, nx) + 2,
        before[1] * 0.4 + rng.normal(0, 0.3, ny) + 2,
    )


def test_the_standard_error_is_that_of_the_jackknife_and_the_interval_that_of_a_loop() -> None:
    before, after = scores(1, 60, 50)
    rng = np.random.default_rng(7)
    x, y = rng.integers(60, size=(400, 60)), rng.integers(50, size=(400, 50))
    drawn = [
        effect_size(after[0][i], after[1][j]) - effect_size(before[0][i], before[1][j])
        for i, j in zip(x, y, strict=True)
    ]
    # For many words the interval is as wide as four standard errors.
    found = bootstrap_effect_change(before, after, resamples=2000, rng=np.random.default_rng(3))
    assert found.high - found.low == pytest.approx(3.92 * np.std(drawn), rel=0.15)
    assert found.low < np.mean(drawn) < found.high


def test_a_family_of_equal_words_counts_as_one_word() -> None:
    """Standard deviations with ddof 0, which copies do not change."""

    def ends(scores: tuple[tuple[np.ndarray, np.ndarray], ...], exchange: Exchange | None = None) -> tuple:
        found = bootstrap_effect_change(
            *scores, ddof=0, resamples=200, rng=np.random.default_rng(0), exchange=exchange
        )
        return found.low, found.high

    words = scores(2, 8, 7)
    copies = tuple(tuple(np.repeat(some, 3) for some in pair) for pair in words)
    families = tuple([i // 3 for i in range(3 * n)] for n in (8, 7))
    assert ends(copies, Exchange.of((24, 21), families=families)) == pytest.approx(ends(words))
    loose, own = ends(copies), ends(words)
    assert loose[1] - loose[0] < 0.8 * (own[1] - own[0])


def test_neither_scale_nor_offset_nor_order_of_the_words_counts() -> None:
    before, after = scores(2, 8, 8)
    one = bootstrap_effect_change(before, after, resamples=300, rng=np.random.default_rng(0))
    moved = tuple(1e-6 * some + 3e-6 for some in after)
    other = bootstrap_effect_change(before, moved, resamples=300, rng=np.random.default_rng(0))  # type: ignore[arg-type]
    assert (one.low, one.high) == pytest.approx((other.low, other.high))


def test_what_cannot_be_compared_is_refused() -> None:
    before, after = scores()
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="the same words twice"):
        bootstrap_effect_change(before, (after[0][1:], after[1]), rng=rng)
    with pytest.raises(ZeroVarianceError):
        bootstrap_effect_change(before, (np.ones(5), np.ones(4)), rng=rng)
    # Nothing changed: a width of 0 would claim certainty.
    with pytest.raises(ZeroVarianceError):
        bootstrap_effect_change(before, before, rng=np.random.default_rng(0))
