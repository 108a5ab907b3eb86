"""How often robust association finds a difference, in worlds where words, targets or templates vary by themselves.

    python -m benchmarks.bench_robust_association [DATASETS [--page]]

Data sets of ``tests/metrics/robust/drawn.py``, 400 unless told. Prints by world, in percent: at no difference, the paper's
p <= .05 and its verdict (and part R² >= .01), then the rule's verdict, and that without a caution; at 0.2 and 0.4 nats the
paper's verdict and the rule's (``--page``: the worlds of ``SHOWN`` into docs/metrics/robust-association.md).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import pandas as pd

from biascore.designs.clustered import Difference
from biascore_metrics.robust.fits import GROUP, R2_MIN, PairFit, clustered
from biascore_metrics.robust.options import RobustOptions
from tests.metrics.robust.drawn import GROUPS, World

from .pages import into_page

WORLDS = {
    "words alike": World(words=0.0),
    "words alike, variance as 1/perplexity": World(words=0.0, variance="1 / perplexity"),
    "words differ (sd 0.3)": World(),
    "the same, t with 3 df": World(heavy=True),
    "the same, uneven between groups": World(uneven=True),
    "the same, variance as perplexity": World(variance="perplexity"),
    "the same, variance as 1/perplexity": World(variance="1 / perplexity"),
    "the same, 4 words a group": World(n_words=4),
    "the same, 3 words a group": World(n_words=3),
    "the same, 3 targets": World(n_targets=3),
    "targets differ too (sd 0.2)": World(targets=0.2),
    "targets differ too (sd 0.4)": World(targets=0.4),
    "templates differ too (sd 0.2)": World(templates=0.2),
    "targets and templates (sd 0.2)": World(targets=0.2, templates=0.2),
    "94 words a group, 7 targets": World(n_words=94, n_targets=7),
}
SHOWN = (
    "words alike",
    "words differ (sd 0.3)",
    "the same, variance as 1/perplexity",
    "the same, 4 words a group",
    "targets differ too (sd 0.2)",
    "targets differ too (sd 0.4)",
    "templates differ too (sd 0.2)",
)


def told(table: pd.DataFrame) -> tuple[bool, bool, bool, bool]:
    """Whether the paper's p is at most .05, its verdict and the rule's are a bias, and the rule's has no caution."""
    paper = PairFit.of(table, GROUPS, RobustOptions())
    assert paper.fit is not None, paper.problem
    assert paper.test is not None
    significant = paper.test.p_value <= 0.05
    rule = Difference.of(clustered(table), GROUPS, 0.95)
    assert rule.p_value is not None
    detected = rule.p_value <= 0.05
    biased = significant and paper.fit.r2().part[GROUP] >= R2_MIN
    return significant, biased, detected, detected and not rule.caveats(0.05)


def rows(sets: int) -> Iterator[str]:
    """A row for each world."""
    yield f"| world ({sets} sets) | paper's p | verdict | rule | no caution | 0.2 paper, rule | 0.4 paper, rule |"
    yield "|---" * 7 + "|"
    for name, world in WORLDS.items():
        null, *some = (
            np.mean([told(one) for one in world.tables(sets, effect)], axis=0) for effect in (0, 0.2, 0.4)
        )
        power = " | ".join(f"{100 * one[1]:.0f}, {100 * one[2]:.0f}" for one in some)
        p, verdict, rule, silent = (f"{100 * share:.1f}" for share in null)
        yield f"| {name} | {p} | {verdict} | {rule} | {silent} | {power} |"


def main() -> None:
    """Print the table, and put what the page shows into it where that is asked."""
    lines = []
    for line in rows(int(sys.argv[1]) if len(sys.argv) > 1 else 400):
        print(line, flush=True)
        world = line.split("|")[1].strip()
        if world in SHOWN or world not in WORLDS:
            lines.append(line)
    if "--page" in sys.argv:
        into_page("metrics/robust-association.md", "bench_robust_association", lines)


if __name__ == "__main__":
    main()
