"""How often the interval of a change of effect size holds the true change.

    python -m benchmarks.bench_change_coverage [samples]

Scores before and after are bivariate normal with the correlation given, shifted together by a common offset afterwards.
"""

from __future__ import annotations

import math
import sys
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.stats.change import bootstrap_effect_change

Floats = npt.NDArray[np.float64]
EFFECTS: Final = ((0.0, 0.0), (1.0, 1.0), (1.0, 0.5), (1.5, 0.2))
RESAMPLES: Final = 600
OFFSET: Final = 0.3


def draw(
    rng: np.random.Generator, n: int, before: float, after: float, correlation: float
) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    mixed = np.linalg.cholesky([[1, correlation], [correlation, 1]]).T
    half = np.array([d / math.sqrt(1 - d * d / 4) / 2 for d in (before, after)])
    x = rng.standard_normal((n, 2)) @ mixed + half + [0, OFFSET]
    y = rng.standard_normal((n, 2)) @ mixed - half + [0, OFFSET]
    return (x[:, 0], y[:, 0]), (x[:, 1], y[:, 1])


def main(samples: int) -> None:
    print("n+n  d before  after  r    holds it, in %")
    for n in (8, 16, 32):
        for old, new in EFFECTS:
            for correlation in (0.9, 0.5):
                rng = np.random.default_rng([n, round(10 * old), round(10 * new), round(10 * correlation)])
                held = 0
                for _ in range(samples):
                    before, after = draw(rng, n, old, new, correlation)
                    interval = bootstrap_effect_change(before, after, ddof=0, resamples=RESAMPLES, rng=rng)
                    held += interval.low <= new - old <= interval.high
                print(f"{n:3}  {old:8}  {new:5}  {correlation}  {100 * held / samples:.1f}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
