"""How often weat-change tells of a change, by the labels of the targets, of the attributes, and the larger p of the two.

X and Y are two topics of 16 words, A and B 10 arbitrary words each, or the ends of an axis on which the targets lean; a
transform takes away what tells X from Y, another direction, or the axis. Percent of the sets with p <= .05, two-sided.
Run: python tests/benchmarks/bench_change_labels.py [SETS]
"""

from __future__ import annotations

import sys

import numpy as np

from biascore.stats import association, cosine_matrix, permutation_test
from biascore.stats.change import standardised_changes
from biascore.stats.exchange import Exchange
from biascore_metrics.grammatical_gender.change import _changes_across
from biascore_metrics.weat.effect import Across

DIMENSIONS = 100
TARGETS, ATTRIBUTES = 16, 10
CASES = {
    "arbitrary A and B, X - Y removed": (0.0, "topics"),
    "arbitrary A and B, another direction removed": (0.0, "another"),
    "A and B the ends of an axis, which is removed": (0.3, "axis"),
}


def p_values(lean: float, removed: str, rng: np.random.Generator) -> list[float]:
    """The p of target labels and that of attribute labels."""
    topics, axis = rng.normal(size=(2, DIMENSIONS)), rng.normal(size=DIMENSIONS)
    x, y = (
        0.55 * topic + 0.85 * rng.normal(size=(TARGETS, DIMENSIONS)) + sign * lean * axis
        for topic, sign in zip(topics, (1, -1), strict=True)
    )
    a, b = (rng.normal(size=(ATTRIBUTES, DIMENSIONS)) + sign * 3 * lean * axis for sign in (1, -1))
    gone = {"topics": topics[0] - topics[1], "another": rng.normal(size=DIMENSIONS), "axis": axis}[removed]
    gone /= np.linalg.norm(gone)
    scores, across = [], []
    for strength in (0.0, 1.0):
        rows = [some - strength * np.outer(some @ gone, gone) for some in (x, y, a, b)]
        cosines = cosine_matrix(np.concatenate(rows[:2]), np.concatenate(rows[2:]))
        s = association(cosines[:, :ATTRIBUTES], cosines[:, ATTRIBUTES:])
        scores.append((s[:TARGETS], s[TARGETS:]))
        across.append(Across.of(cosines, TARGETS, ATTRIBUTES, Exchange.of((ATTRIBUTES, ATTRIBUTES))))
    pairs = standardised_changes(*scores), _changes_across(*scores, (across[0], across[1]), 1)
    return [
        permutation_test(*pair, method="monte-carlo", draws=399, rng=rng).two_sided.p_value for pair in pairs
    ]


def main() -> None:
    sets = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print(f"{sets} sets: target labels, attribute labels, the larger p")
    for number, (name, (lean, removed)) in enumerate(CASES.items()):
        rng = np.random.default_rng([2026, number])
        found = np.array([p_values(lean, removed, rng) for _ in range(sets)])
        shares = 100 * np.mean(np.column_stack([found, found.max(axis=1)]) <= 0.05, axis=0)
        print(name, *(f"{share:.1f}" for share in shares), flush=True)


if __name__ == "__main__":
    main()
