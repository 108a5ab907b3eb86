"""What a gate ``no_worse_than`` says of a harmless retraining: 50 WEAT tests of two models that differ by their seed alone.

    python -m benchmarks.bench_gates [audits] [sd of what is common to a topic]

Four topics of 8 words a test. The second model has the same words with new noise, own to each word and common to each topic,
so that words are no independent witnesses. The sizes are chosen to give what four seeds of word2vec gave on one corpus: |d|
about 1, a change of .12 on average, and p at most .05 in 9 % of tests. Percent of tests by what the gate says; of audits,
where any fails.
"""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from biascore.audits.evaluating_gates import increase
from biascore.results.estimates import ConfidenceInterval
from biascore.stats import bootstrap_effect
from biascore.stats.contrasts import contrast_change

WORDS: Final = 8
TESTS: Final = 50
OWN, CENTRE = 0.18, 0.9
MARGINS: Final = (0.0, 0.1, 0.2, 0.3, 0.5)


def scores(rng: np.random.Generator, topic: float) -> list[npt.NDArray[np.float64]]:
    """The associations of the words of X and Y, in either model."""
    words = rng.standard_normal((4, WORDS, 50)) + CENTRE * rng.standard_normal((4, 1, 50))
    found = []
    for _ in range(2):
        new = words + OWN * rng.standard_normal(words.shape) + topic * rng.standard_normal((4, 1, 50))
        x, y, a, b = new / np.linalg.norm(new, axis=2, keepdims=True)
        found.append(np.concatenate([x, y]) @ (a.mean(axis=0) - b.mean(axis=0)))
    return found


def growth(rng: np.random.Generator, topic: float) -> tuple[float, float, float, float]:
    """The ends of the growth, |change| and p."""
    old, new = scores(rng, topic)
    groups = np.repeat([0, 1], WORDS)
    change = contrast_change(old, new, groups, (1.0, -1.0), ddof=1, resamples=500, draws=999, rng=rng)
    was = bootstrap_effect(old[:WORDS], old[WORDS:], ddof=1, resamples=300, rng=rng)
    assert change.interval is not None
    ends = ConfidenceInterval.of(change.interval)
    side: Any = SimpleNamespace(value=change.old, on_same_items=None, interval=was)
    difference: Any = SimpleNamespace(old=side, neutral=0.0)
    return (*increase(difference, ends), abs(change.value), change.p_value)


def main(audits: int, topic: float) -> None:
    rng = np.random.default_rng(1)
    found = np.array([[growth(rng, topic) for _ in range(TESTS)] for _ in range(audits)])
    low, high, change, p = np.moveaxis(found, 2, 0)
    print(
        f"{audits} audits of {TESTS} tests; mean change {change.mean():.2f}, p <= .05 {100 * np.mean(p <= 0.05):.1f} %"
    )
    print("margin   fails   holds   inconclusive   audits in which a test fails")
    for margin in MARGINS:
        fails, holds = low > margin, high <= margin
        shares = 100 * np.array([fails.mean(), holds.mean(), 1 - fails.mean() - holds.mean()])
        print(
            f"{margin:>6}{shares[0]:>8.2f}{shares[1]:>8.0f}{shares[2]:>15.0f}{100 * fails.any(axis=1).mean():>31.0f}"
        )


if __name__ == "__main__":
    given = [*sys.argv[1:], *("100", "0.03")[len(sys.argv) - 1 :]]
    main(int(given[0]), float(given[1]))
