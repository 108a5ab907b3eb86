"""Data sets of the paper's size for one dimension whose true difference and spread of the words are known.

6 templates x 7 target words x 94 + 94 attribute words, weights 1 / perplexity with log-normal perplexities,
residual sd 0.5 at weight 1.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from biascore.stats import lmm
from biascore_metrics.robust.fits import Table, difference, fit
from biascore_metrics.robust.options import RobustOptions

TEMPLATES, TARGETS, WORDS = 6, 7, 94
GROUPS = ("male", "female")
RESIDUAL = 0.5


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


def null_tests(datasets: int, spread: float, *, random_attribute: bool, seed: int) -> list[lmm.TTest]:
    """The test of each data set without a difference; data set i is drawn from the seed (``seed``, i)."""
    options = RobustOptions(random_attribute=random_attribute)
    found = []
    for i in range(datasets):
        one = fit(table(np.random.default_rng([seed, i]), spread, 0.0), GROUPS, options)
        assert isinstance(one, lmm.Fit), one
        found.append(difference(one, GROUPS, 0.95))
    return found


def rejected(found: list[lmm.TTest], effect: float) -> float:
    """The share of p <= .05, were the true difference ``effect`` nats.

    A difference between the groups is a fixed effect: it moves the coefficient by itself, and neither its standard
    error nor its degrees of freedom, so that one fit serves all of them.
    """
    t = np.array([(test.estimate + effect) / test.se for test in found])
    return float(np.mean(2 * stats.t.sf(np.abs(t), [test.df for test in found]) <= 0.05))
