"""What every metric finds on ``planted:`` models: means over seeds by planted effect, and how often p <= .05 under none.

Run: python -m benchmarks.bench_planted [SEEDS NULLS [METRIC ...]]
"""

from __future__ import annotations

import sys

import numpy as np

from biascore.engine.engine import Engine
from tests.metrics.planted_cases import CASES

EFFECTS = (-1.0, -0.5, 0.0, 0.5, 1.0)


def main(seeds: int = 20, nulls: int = 100, *wanted: str) -> None:
    engine = Engine(cache=None)
    for name, case in CASES.items():
        if wanted and name not in wanted:
            continue
        cells = []
        for effect in EFFECTS:
            values = np.array([case.value(engine, effect, seed) for seed in range(seeds)])
            error = values.std(ddof=1) / np.sqrt(seeds)
            cells.append(f"{values.mean():.2f} ({case.truth(effect):.2f}, se {error:.2f})")
        rejected = "" if "," in name else sum(case.rejects(engine, seed) for seed in range(nulls))
        print(f"| `{name}` | {case.test} | {case.estimate} | {' | '.join(cells)} | {rejected} |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]), *sys.argv[3:])
