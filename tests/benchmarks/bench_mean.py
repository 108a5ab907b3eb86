"""How often the one mean of items in clusters detects a bias that is not there, and one that is, and what it covers.

    python tests/benchmarks/bench_mean.py [SETS]

Next to it, the t of the items by themselves, and the t of the clusters without the two rules for few of them.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

from tests.metrics.mean_worlds import WORLDS

ALPHA = 0.05
BIAS = 0.12


def main(sets: int) -> None:
    """Print the table, in per cent of so many sets."""
    print(
        f"| templates of questions | nothing there | interval covers | without the rule for few | bias {BIAS:g} |"
    )
    print("|---|---|---|---|---|")
    for name, world in WORLDS.items():
        rng = np.random.default_rng(1)
        even = [world(rng, 0.0) for _ in range(sets)]
        biased = [world(rng, BIAS) for _ in range(sets // 4)]
        p = np.array([1.0 if one.p_value is None else one.p_value for one in even])
        plain = np.array([one.test.p_value if one.test else p[k] for k, one in enumerate(even)])
        found = np.mean([one.p_value is not None and one.p_value <= ALPHA for one in biased])
        covers = [one.interval.low <= 0.0 <= one.interval.high for one in even if one.interval]
        cells = (np.mean(p <= ALPHA), np.mean(covers), np.mean(plain <= ALPHA), found)
        print(f"| {name} | {' | '.join(f'{100 * one:.1f}' for one in cells)} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
