from __future__ import annotations

import math

import numpy as np
import pytest

from biascore.stats import Interval, ZeroVarianceError, bootstrap_effect, bootstrap_interval, effect_size


def means(batch: tuple[np.ndarray, ...]) -> np.ndarray:
    return np.asarray(batch[0].mean(axis=1))


def mean_errors(batch: tuple[np.ndarray, ...]) -> np.ndarray:
    return np.asarray(batch[0].std(axis=1, ddof=1) / math.sqrt(batch[0].shape[1]))


def ratios(batch: tuple[np.ndarray, ...]) -> np.ndarray:
    return np.asarray(batch[0].mean(axis=1) / batch[1].mean(axis=1))


def assert_close(found: Interval, low: float, high: float, share: float = 0.025) -> None:
    """The ends differ by less than a share of the width; two runs of 40 000 resamples do by about 0.5 %."""
    slack = share * (high - low)
    assert abs(found.low - low) < slack
    assert abs(found.high - high) < slack


def test_interval_of_a_skewed_two_sample_statistic_equals_scipy(rng: np.random.Generator) -> None:
    stats = pytest.importorskip("scipy.stats")
    x, y = rng.exponential(1.0, 12), rng.exponential(2.0, 9) + 0.5
    own = bootstrap_interval(ratios, (x, y), level=0.9, resamples=40_000, rng=rng)
    reference = stats.bootstrap(
        (x, y),
        lambda a, b, axis: a.mean(axis=axis) / b.mean(axis=axis),
        n_resamples=40_000,
        confidence_level=0.9,
        method="bca",
        rng=rng,
    ).confidence_interval
    assert_close(own, reference.low, reference.high)
    assert (own.level, own.method, own.resamples, own.n_degenerate) == (0.9, "bca", 40_000, 0)


def test_studentized_interval_of_a_mean_equals_a_plain_loop(rng: np.random.Generator) -> None:
    sample = rng.exponential(1.0, 15)
    own = bootstrap_interval(means, (sample,), resamples=40_000, rng=rng, standard_error=mean_errors)
    t = []
    for _ in range(10_000):
        drawn = rng.choice(sample, sample.size)
        t.append((drawn.mean() - sample.mean()) / (drawn.std(ddof=1) / math.sqrt(15)))
    error = sample.std(ddof=1) / math.sqrt(15)
    low, high = sample.mean() - np.quantile(t, 0.975) * error, sample.mean() - np.quantile(t, 0.025) * error
    assert_close(own, low, high, share=0.06)
    assert sample.mean() - own.low < own.high - sample.mean()  # a right-skewed mean is more likely too low


@pytest.mark.parametrize(("nx", "ny", "sd_y", "shift"), [(60, 60, 1, 0), (60, 60, 1, 2), (90, 40, 3, 1)])
def test_standard_error_of_fisher_z_equals_the_spread_over_samples(
    nx: int, ny: int, sd_y: float, shift: float, rng: np.random.Generator
) -> None:
    from biascore.stats.bootstrap import _fisher_z, _fisher_z_error

    x, y = rng.normal(shift, 1, (20_000, nx)), rng.normal(0, sd_y, (20_000, ny))
    x, y = x / 20, y / 20  # the functions take scores scaled to at most 1
    r = [
        np.corrcoef(np.r_[a, b], np.r_[np.ones(nx), np.zeros(ny)])[0, 1]
        for a, b in zip(x[:9], y[:9], strict=True)
    ]
    assert _fisher_z((x[:9], y[:9])) == pytest.approx(np.arctanh(r))
    errors = _fisher_z_error((x, y))
    assert math.sqrt(np.mean(errors**2)) == pytest.approx(_fisher_z((x, y)).std(), rel=0.04)


def test_standard_error_of_fisher_z_equals_numeric_influence_functions(rng: np.random.Generator) -> None:
    from biascore.stats.bootstrap import _fisher_z_error

    x, y = rng.exponential(0.1, 5) + 0.2, rng.normal(0, 0.2, 9)

    def z(weights_x: np.ndarray, weights_y: np.ndarray) -> float:
        mean_x, mean_y = weights_x @ x, weights_y @ y
        within = (5 * weights_x @ (x - mean_x) ** 2 + 9 * weights_y @ (y - mean_y) ** 2) / 14
        between = 45 / 14**2 * (mean_x - mean_y) ** 2
        return math.atanh(math.copysign(math.sqrt(between / (between + within)), mean_x - mean_y))

    even_x, even_y, step = np.full(5, 1 / 5), np.full(9, 1 / 9), 1e-6
    slopes_x = [(z(even_x + step * (e - even_x), even_y) - z(even_x, even_y)) / step for e in np.eye(5)]
    slopes_y = [(z(even_x, even_y + step * (e - even_y)) - z(even_x, even_y)) / step for e in np.eye(9)]
    expected = math.sqrt(np.square(slopes_x).mean() / 4 + np.square(slopes_y).mean() / 8)
    assert _fisher_z_error((x[np.newaxis], y[np.newaxis]))[0] == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("d", [0.0, 1.0])
def test_coverage_is_near_nominal(d: float) -> None:
    """400 samples of 16 + 16 normal scores; benchmarks/bench_interval_coverage.py has the full table."""
    source = np.random.default_rng(31)
    shift = d / math.sqrt(
        1 - d * d / 4
    )  # so that d is the effect size over the deviation of x and y together
    covered = 0
    for _ in range(400):
        x, y = source.normal(shift, 1, 16), source.normal(0, 1, 16)
        interval = bootstrap_effect(x, y, resamples=600, rng=source)
        covered += interval.low <= d <= interval.high
    assert 0.91 < covered / 400 < 0.99


def test_shift_scale_and_sign(rng: np.random.Generator) -> None:
    x, y = rng.normal(0.5, 1, 8), rng.normal(0, 1, 9)

    def ends(a: np.ndarray, b: np.ndarray) -> list[float]:
        found = bootstrap_effect(a, b, resamples=400, rng=np.random.default_rng(1))
        return [found.low, found.high]

    assert ends(3 * x + 2, 3 * y + 2) == pytest.approx(ends(x, y), rel=1e-9)
    assert ends(1e200 * x, 1e200 * y) == pytest.approx(ends(x, y), rel=1e-9)
    assert ends(-x, -y) == pytest.approx([-end for end in reversed(ends(x, y))], rel=1e-9)
    assert ends(x, y) == ends(x, y)


def test_ddof_scales_both_ends_as_it_scales_the_estimate(rng: np.random.Generator) -> None:
    x, y = rng.normal(0.5, 1, 8), rng.normal(0, 1, 8)
    sample, population = (
        bootstrap_effect(x, y, ddof=ddof, resamples=300, rng=np.random.default_rng(2)) for ddof in (1, 0)
    )
    ratio = effect_size(x, y, 0) / effect_size(x, y, 1)
    assert (population.low, population.high) == pytest.approx((sample.low * ratio, sample.high * ratio))
    assert sample.low < effect_size(x, y, 1) < sample.high


def test_a_higher_level_is_wider(rng: np.random.Generator) -> None:
    x, y = rng.normal(0.5, 1, 8), rng.normal(0, 1, 8)
    narrow, wide = (
        bootstrap_effect(x, y, level=level, rng=np.random.default_rng(4)) for level in (0.8, 0.99)
    )
    assert wide.low < narrow.low < narrow.high < wide.high


def test_ends_never_leave_the_range_of_the_effect_size(rng: np.random.Generator) -> None:
    x, y = [0.9, 1.0, 1.1], [-1.0, -1.1, -0.9]  # nearly the largest effect that three and three can have
    interval = bootstrap_effect(x, y, ddof=0, rng=rng)
    assert -2.0 <= interval.low < interval.high <= 2.0


def test_degenerate_resamples_are_left_out_and_counted(rng: np.random.Generator) -> None:
    def positive(batch: tuple[np.ndarray, ...]) -> np.ndarray:
        found = means(batch)
        return np.where(found > 0.0, found, np.nan)

    interval = bootstrap_interval(positive, ([0.0, 1.0, 1.0],), resamples=20_000, rng=rng)
    assert interval.n_degenerate / 20_000 == pytest.approx((1 / 3) ** 3, abs=0.005)
    assert interval.low > 0.0  # a zero for the degenerate ones would have shown
    with pytest.raises(ZeroVarianceError, match=r"samples\[0\] left out"):
        bootstrap_interval(positive, ([0.0, 0.0, 1.0],), rng=rng)


def test_studentized_leaves_out_resamples_without_a_standard_error(rng: np.random.Generator) -> None:
    interval = bootstrap_effect([0.1, 0.5], [0.0, 0.3], resamples=20_000, rng=rng)
    # Both sets shrink to one value each with probability 1/2 * 1/2, which leaves no variance within.
    assert interval.n_degenerate / 20_000 == pytest.approx(0.25, abs=0.02)


def test_certainty_is_refused(rng: np.random.Generator) -> None:
    with pytest.raises(ZeroVarianceError, match="neither x nor y varies"):
        bootstrap_effect([1.0, 1.0], [0.0, 0.0], rng=rng)
    with pytest.raises(ZeroVarianceError, match="all 4 scores are equal"):
        bootstrap_effect([1.0, 1.0], [1.0, 1.0], rng=rng)
    with pytest.raises(ZeroVarianceError, match="binomial"):
        bootstrap_interval(means, ([1.0, 1.0, 1.0],), rng=rng)
    with pytest.raises(ZeroVarianceError, match="no value for these samples"):
        bootstrap_interval(lambda batch: means(batch) * np.nan, ([1.0, 2.0],), rng=rng)
    with pytest.raises(ZeroVarianceError, match="all resamples are degenerate"):
        bootstrap_interval(
            lambda batch: (
                np.where(np.ptp(batch[0], axis=1) == 4, 1.0, np.nan)
                if batch[0].shape[0] == 1
                else np.full(batch[0].shape[0], np.nan)
            ),
            ([1.0, 5.0],),
            rng=rng,
        )
    with pytest.raises(ZeroVarianceError, match="standard error"):
        bootstrap_interval(
            means,
            ([1.0, 2.0, 3.0],),
            rng=rng,
            standard_error=lambda batch: np.where(batch[0].shape[0] == 1, 0.0, mean_errors(batch)),
        )


def test_bca_stays_finite_where_all_resamples_lie_on_one_side(rng: np.random.Generator) -> None:
    interval = bootstrap_interval(lambda batch: batch[0].max(axis=1), ([0.1, 0.4, 0.9, 2.0],), rng=rng)
    assert 0.1 <= interval.low <= interval.high <= 2.0


@pytest.mark.parametrize("rows_at_once", [1, 3])
def test_acceleration_is_the_same_in_any_chunking(
    rows_at_once: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    from biascore.stats import bootstrap

    sample = rng.exponential(1.0, 10)
    # The acceleration of a mean is its skewness over 6 sqrt(n), Efron 1987.
    skewness = np.mean((sample - sample.mean()) ** 3) / sample.std() ** 3
    monkeypatch.setattr(bootstrap, "_CHUNK", rows_at_once * 10)
    found = bootstrap._acceleration(means, (sample,))
    assert found == pytest.approx(skewness / (6 * math.sqrt(10)))


def test_bad_input_is_refused(rng: np.random.Generator) -> None:
    good = [1.0, 2.0, 4.0]
    with pytest.raises(ValueError, match="samples is empty"):
        bootstrap_interval(means, (), rng=rng)
    with pytest.raises(ValueError, match="y has one score"):
        bootstrap_effect(good, [1.0], rng=rng)
    with pytest.raises(ValueError, match=r"samples\[0\] has one score"):
        bootstrap_interval(means, ([1.0],), rng=rng)
    with pytest.raises(ValueError, match="x holds a NaN"):
        bootstrap_effect([1.0, math.nan], good, rng=rng)
    with pytest.raises(ValueError, match="level is 95"):
        bootstrap_effect(good, good, level=95, rng=rng)
    with pytest.raises(ValueError, match="resamples is 1"):
        bootstrap_effect(good, good, resamples=1, rng=rng)
    with pytest.raises(ValueError, match="it must give"):
        bootstrap_interval(lambda batch: batch[0], (good,), rng=rng)
