"""How often the log ratio of advised numbers is found where it is 0, and where it is .1, in drawn worlds.

    python -m benchmarks.bench_advice [SETS]

Next to it, what texts as observations give: least squares with fixed effects of templates, all texts independent.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np

from biascore.stats import ols, treatment
from biascore_metrics.advice.effects import Difference, Floats, Table
from tests.metrics.advice.worlds import WORLDS, World

ALPHA = 0.05
FURTHER = {"names of sd .05": World(names=0.05), "16 + 16 names of sd .05": World(names=0.05, each=8)}


def by_text(table: Table, values: Floats) -> bool:
    """Whether the ratio is found where texts are the observations."""
    design = treatment({"group": table.group, "stratum": table.stratum}, levels={"group": ("B", "A")})
    fit = ols.fit(values, design, absorb={"template": table.template})
    return fit.coefficients["group: A"].p_value <= ALPHA


def main(sets: int) -> None:
    """Print the table, in per cent of so many sets."""
    print("| world | found where it is 0 | interval covers | texts as observations | found where it is .1 |")
    print("|---|---|---|---|---|")
    for name, world in {**WORLDS, **FURTHER}.items():
        rng = np.random.default_rng(1)
        even = [world.drawn(rng) for _ in range(sets)]
        tests = [Difference.of(*one, 0.95) for one in even]
        biased = [Difference.of(*replace(world, ratio=0.1).drawn(rng), 0.95) for _ in range(sets)]
        cells = (
            np.mean([one.p_value is not None and one.p_value <= ALPHA for one in tests]),
            np.mean([one.test.low <= 0.0 <= one.test.high for one in tests if one.test]),
            np.mean([by_text(*one) for one in even]),
            np.mean([one.p_value is not None and one.p_value <= ALPHA for one in biased]),
        )
        print(f"| {name} | {' | '.join(f'{100 * one:.1f}' for one in cells)} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
