"""How far d shrinks with few or diffuse attribute words: mean d of WEAT where all attribute words together would give .8.

25 + 25 target words lean by .8 standard deviations along an axis; attribute words of each side have a mean cosine with each
other, along either end of the axis, and are noise otherwise.
Run: python -m benchmarks.bench_diffuse [SETS]
"""

from __future__ import annotations

import math
import sys

import numpy as np

from biascore.stats import association, cosine_matrix, effect_size

DIMENSIONS, TARGETS, D = 300, 25, 0.8
SIZES = (4, 8, 25, 100)
COSINES = (0.06, 0.2, 0.5)


def one(size: int, cosine: float, rng: np.random.Generator) -> float:
    """d of one set; the axis is the first dimension."""
    apart = D / math.sqrt(1 - D * D / 4)  # within the lists, so that d over both is D
    targets = rng.normal(size=(2 * TARGETS, DIMENSIONS))
    targets[:, 0] += np.repeat([apart / 2, -apart / 2], TARGETS)
    attributes = math.sqrt(1 - cosine) * rng.normal(size=(2 * size, DIMENSIONS))
    attributes[:, 0] += np.repeat([1.0, -1.0], size) * math.sqrt(cosine * DIMENSIONS)
    cosines = cosine_matrix(targets, attributes)
    s = association(cosines[:, :size], cosines[:, size:])
    return effect_size(s[:TARGETS], s[TARGETS:])


def main() -> None:
    """Print the table."""
    sets = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print(f"{sets} sets, mean d\n\n| cosine of attribute words | {' | '.join(f'{n} + {n}' for n in SIZES)} |")
    print("|---" * (1 + len(SIZES)) + "|")
    for cosine in COSINES:
        rng = np.random.default_rng([2026, int(100 * cosine)])
        means = (np.mean([one(size, cosine, rng) for _ in range(sets)]) for size in SIZES)
        print(f"| {cosine:g} | {' | '.join(f'{mean:.2f}' for mean in means)} |", flush=True)


if __name__ == "__main__":
    main()
