"""How often robust association finds a difference, by how much the attribute words differ among themselves.

    python tests/benchmarks/bench_robust_association.py [DATASETS [DIFFERENCE ...]]

Data sets of the paper's size for one dimension: 6 templates x 7 target words x 94 + 94 attribute words, weights
1 / perplexity with log-normal perplexities, residual sd 0.5 at weight 1. Prints the share of p <= .05 of the paper's
model and of that with a random effect of the attribute word.
"""

from __future__ import annotations

import sys

import numpy as np

from biascore.stats import lmm
from biascore_metrics.robust.fits import Table, difference, fit
from biascore_metrics.robust.options import RobustOptions

TEMPLATES, TARGETS, WORDS = 6, 7, 94
GROUPS = ("male", "female")
RESIDUAL = 0.5
SPREADS = (0.0, 0.3, 0.6)


def table(rng: np.random.Generator, spread: float, effect: float) -> Table:
    """One data set; ``spread`` is the sd of the attribute words, ``effect`` the true difference, both in nats."""
    group, word, template, target = (
        axis.ravel()
        for axis in np.meshgrid(np.arange(2), np.arange(WORDS), np.arange(TEMPLATES), np.arange(TARGETS))
    )
    weight = np.exp(-rng.normal(3.0, 1.0, group.size).clip(0.0, None))
    values = (
        effect * (group == 0)
        + rng.normal(0.0, 0.5, TEMPLATES)[template]
        + rng.normal(0.0, 0.3, TARGETS)[target]
        + rng.normal(0.0, spread, (2, WORDS))[group, word]
        + rng.normal(0.0, RESIDUAL, group.size) / np.sqrt(weight)
    )
    names = np.array(GROUPS)[group]
    words = np.char.add(np.char.add(names, " "), word.astype(str))
    return Table(
        names,
        np.char.add("t", template.astype(str)),
        np.char.add("w", target.astype(str)),
        words,
        values,
        weight,
    )


def rejected(datasets: int, spread: float, effect: float, *, random_attribute: bool, seed: int = 1) -> float:
    """The share of data sets with p <= .05."""
    options = RobustOptions(random_attribute=random_attribute)
    count = 0
    for i in range(datasets):
        found = fit(table(np.random.default_rng([seed, i]), spread, effect), GROUPS, options)
        assert isinstance(found, lmm.Fit), found
        count += difference(found, GROUPS, 0.95).p_value <= 0.05
    return count / datasets


def main() -> None:
    """Print a row for each true difference and spread of the words."""
    datasets = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    effects = [float(one) for one in sys.argv[2:]] or [0.0]
    print(f"share of p <= .05 in {datasets} data sets")
    print("difference  sd of words  paper's model  with random effect of the word")
    for effect in effects:
        for spread in SPREADS:
            shares = [rejected(datasets, spread, effect, random_attribute=one) for one in (False, True)]
            print(f"{effect:10g}  {spread:11g}  {shares[0]:13.3f}  {shares[1]:.3f}", flush=True)


if __name__ == "__main__":
    main()
