"""How often robust association finds a difference, by how much the attribute words differ among themselves.

    python tests/benchmarks/bench_robust_association.py [DATASETS [DIFFERENCE ...]]

Data sets of ``tests/metrics/robust/drawn.py``, 200 unless told. Prints the share of p <= .05 of the paper's model and
of that with a random effect of the attribute word, by the true difference in nats, with binomial standard errors. The
same data sets stand behind all differences of a row.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "metrics" / "robust"))

from drawn import null_tests, rejected

SPREADS = (0.0, 0.3, 0.6)
SEED = 1


def main() -> None:
    """Print a row for each true difference and spread of the words."""
    datasets = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    effects = [float(one) for one in sys.argv[2:]] or [0.0, 0.05, 0.1, 0.2, 0.4, 0.8]
    print(f"share of p <= .05 in {datasets} data sets (standard error)")
    print("sd of words  random effect  " + "".join(f"{effect:>15g}" for effect in effects))
    for spread in SPREADS:
        for random_attribute in (False, True):
            found = null_tests(datasets, spread, random_attribute=random_attribute, seed=SEED)
            shares = [rejected(found, effect) for effect in effects]
            cells = [f"{share:.3f} ({(share * (1 - share) / datasets) ** 0.5:.3f})" for share in shares]
            word = "of the word" if random_attribute else "paper's"
            print(f"{spread:11g}  {word:13}  " + "".join(f"{cell:>15}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
