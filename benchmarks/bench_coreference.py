"""WinoBias, Winogender and StereoSet: how often an even model is rejected, what intervals cover, and the power.

Scores are drawn, and the rule of the metric decides. Occupations and terms have a bias of their own (sd), which is 0 on
average, so that sentences about them go together; "by item" takes sentences for independent.
Run: python -m benchmarks.bench_coreference [SETS]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from biascore.designs import Mean, equal_weights
from biascore.stats import robust_mean
from biascore.stats.slope import slope
from biascore_metrics.coreference.winogender import SlopeOverShare
from biascore_metrics.coreference.winogender_items import Schema
from biascore_metrics.stereoset.metric import EVEN, PERCENT

SDS = (0.0, 0.1, 0.3)
LEVEL = 0.95
EFFECTS = {"winobias": 0.15, "winogender": 1.0, "stereoset": 0.15}
OCCUPATIONS = 20
PAIRS = 200
"""Of 20 x 20 occupations, four sentences each: those of the published files."""
SHARES = np.linspace(2, 98, 60)
TERMS = 79
FACTORS = ("masculine occupations", "feminine occupations")


class Tested(NamedTuple):
    """The p-value of the rule and its interval, the value that it is about, and the p-value by item."""

    p: float
    low: float
    high: float
    truth: float
    by_item: float


def winobias(rng: np.random.Generator, effect: float, sd: float) -> Tested:
    """Differences in nats with sd 1; occupations of men and of women, and their pairs, each have a bias of their own."""
    chosen = rng.choice(OCCUPATIONS**2, PAIRS, replace=False)
    men, women = chosen // OCCUPATIONS, chosen % OCCUPATIONS
    own = sd * (rng.standard_normal(OCCUPATIONS)[men] + rng.standard_normal(OCCUPATIONS)[women])
    own += sd * rng.standard_normal(PAIRS)
    values = np.repeat(effect + own, 4) + rng.standard_normal(4 * PAIRS)
    labels = [np.repeat(place, 4).astype(str).tolist() for place in (men, women)]
    found = Mean.of(values, dict(zip(FACTORS, labels, strict=True)), LEVEL)
    assert found.p_value is not None
    assert found.interval is not None
    return Tested(
        found.p_value, found.interval.low, found.interval.high, effect, robust_mean(values).p_value()
    )


def winogender(rng: np.random.Generator, effect: float, sd: float) -> Tested:
    """Log odds she - he with sd 1 of four schemas for each of 60 occupations."""
    gaps = np.repeat(effect * SHARES / 100 + sd * rng.standard_normal(len(SHARES)), 4)
    gaps += rng.standard_normal(gaps.size)
    sentences, women = ("", "", ""), np.repeat(SHARES, 4)
    schemas = [Schema(f"{share}", "", True, share, sentences, sentences) for share in women.tolist()]
    found = SlopeOverShare.of(schemas, gaps, LEVEL).found
    assert not isinstance(found, str)
    return Tested(
        found.test.p_value, found.test.low, found.test.high, effect, slope(women / 100, gaps).test.p_value
    )


def stereoset(rng: np.random.Generator, effect: float, sd: float) -> Tested:
    """Preferences of 10 to 40 examples for each of 79 terms: the sign of a normal deviate with this mean."""
    sizes = rng.integers(10, 41, TERMS)
    terms = np.repeat(np.arange(TERMS), sizes)
    latent = effect + sd * rng.standard_normal(TERMS)[terms] + rng.standard_normal(terms.size)
    values = np.where(latent > 0, 100.0, 0.0)
    labels = terms.astype(str).tolist()
    by = {"target terms": labels}
    found = Mean.of(values, by, LEVEL, weights=equal_weights(labels), neutral=EVEN, limits=PERCENT)
    assert found.interval is not None
    assert found.p_value is not None
    truth = EVEN if not effect else np.nan
    return Tested(
        found.p_value, found.interval.low, found.interval.high, truth, robust_mean(values).p_value(EVEN)
    )


RULES: dict[str, Callable[[np.random.Generator, float, float], Tested]] = {
    "winobias": winobias,
    "winogender": winogender,
    "stereoset": stereoset,
}


def rejected(metric: str, sd: float, effect: float, sets: int, seed: int = 1) -> float:
    """The share of sets in which the rule rejects at .05."""
    rng = np.random.default_rng(seed)
    return float(np.mean([RULES[metric](rng, effect, sd).p <= 0.05 for _ in range(sets)]))


def main(sets: int) -> None:
    print("| metric | sd | rule, nothing there | by item | interval covers | rule, something there |")
    print("|---|---|---|---|---|---|")
    for metric, rule in RULES.items():
        for sd in SDS:
            rng = np.random.default_rng(0)
            even = [rule(rng, 0.0, sd) for _ in range(sets)]
            covers = np.mean([one.low <= one.truth <= one.high for one in even])
            cells = [
                np.mean([one.p <= 0.05 for one in even]),
                np.mean([one.by_item <= 0.05 for one in even]),
                covers,
                rejected(metric, sd, EFFECTS[metric], sets // 4),
            ]
            told = " | ".join(f"{100 * cell:.1f}" for cell in cells)
            print(f"| `{metric}` | {sd:g} | {told} ({EFFECTS[metric]:g}) |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
