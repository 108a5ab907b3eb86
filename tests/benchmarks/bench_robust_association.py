"""How often robust association finds a difference, by how much the attribute words differ among themselves.

    python tests/benchmarks/bench_robust_association.py [DATASETS [--page]]

Data sets of ``tests/metrics/robust/drawn.py``, 200 unless told. Prints the share of p <= .05 of the paper's model and
of that with a random effect of the attribute word, by the true difference in nats (``--page``: into
docs/metrics/robust-association.md). The same data sets stand behind all differences of a row.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "metrics" / "robust"))

from drawn import null_tests, rejected
from pages import show

SPREADS = (0.0, 0.3, 0.6)
EFFECTS = (0.0, 0.05, 0.1, 0.2, 0.4, 0.8)
SEED = 1


def rows(datasets: int) -> Iterator[str]:
    """A row for each spread of the words and each model."""
    yield f"| sd of the words, nats ({datasets} data sets) | random effects | {' | '.join(f'{one:g}' for one in EFFECTS)} |"
    yield "|---" * (2 + len(EFFECTS)) + "|"
    for spread in SPREADS:
        for random_attribute in (False, True):
            found = null_tests(datasets, spread, random_attribute=random_attribute, seed=SEED)
            cells = [f"{rejected(found, effect):.3f}" for effect in EFFECTS]
            word = "and the attribute word" if random_attribute else "the paper's"
            yield f"| {spread:g} | {word} | {' | '.join(cells)} |"


def main() -> None:
    """Print the table, and put it into the page where that is asked."""
    lines = rows(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
    show(lines, "metrics/robust-association.md", "bench_robust_association", put="--page" in sys.argv)


if __name__ == "__main__":
    main()
