"""How often ``eec`` finds an effect, by the p-value that is read: all rows independent, clustered by name, permutation.

    python tests/benchmarks/bench_eec.py [DATASETS [--page]]

Scores of the planted model (``biascore_adapters.planted.equity``) for corpora of 35 sentences a name, 100 data sets unless
told; with ``--page`` both tables go into docs/metrics/eec.md. First the share of p <= .05 where nothing is planted, of each
kind of effect, with 3 names a cell and with 10 as in the published corpora; then, by permutation, the power by number of
names and effect, in standard deviations between the names of a group.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.special import expit, logit

sys.path.insert(0, str(Path(__file__).parents[2]))

from pages import show

from biascore.stats import beta, cluster_means, ols, treatment
from biascore_adapters.planted.equity import PERSONS, Emotions
from biascore_metrics.eec.fits import effects_of
from biascore_metrics.eec.options import EecOptions
from biascore_metrics.eec.rows import Rows, rows_of
from tests.metrics.eec.corpora import corpus

QUANTITY = "anger"
WORDS = {QUANTITY: ("angry", "annoyed", "enraged", "furious", "irritated")}
TEMPLATES = {f"t{i}": "{person} number " + str(i) + " feels {state}" for i in range(7)}
METHODS = ("OLS", "Beta", "clustered by name (CR2)", "permutation of names")
OPTIONS = EecOptions(draws=999)
NAMES, EFFECTS = (5, 10, 20, 40), (0.0, 0.25, 0.5, 0.75, 1.0)


def chosen(names: int) -> tuple[Rows, Emotions]:
    """The rows of a corpus with so many names a cell, and the scores of its sentences where nothing is planted."""
    test = corpus(names, templates=TEMPLATES, emotions=WORDS)
    planted = Emotions()
    planted.plant(test, 0.0)
    return rows_of(test, test.rows(), QUANTITY, OPTIONS), planted


def drawn(rows: Rows, planted: Emotions, seed: int) -> np.ndarray:
    """Scores (n,)."""
    return np.array([planted.score(text, QUANTITY, seed) for text in rows.sentence.tolist()])


def p_values(rows: Rows, scores: np.ndarray, seed: int) -> Iterator[tuple[float, ...]]:
    """Of each effect, by each method."""
    design = treatment(rows.factors, levels=rows.levels, order=2)
    plain, smooth = ols.fit(scores, design), beta.fit(scores, design)
    for effect in effects_of(rows, scores, OPTIONS, np.random.default_rng(seed)):
        assert effect.clustered is not None
        assert effect.permutation is not None
        yield (
            plain.marginal_effect(effect.change).p_value,
            smooth.marginal_effect(effect.change).p_value,
            effect.clustered.p_value,
            effect.permutation.two_sided.p_value,
        )


def race_p(rows: Rows, scores: np.ndarray, rng: np.random.Generator) -> float:
    """Of the first factor, by permutation of names."""
    names = cluster_means(scores, rows.person, rows.factors)
    factor, (reference, level) = next(iter(rows.levels.items()))
    return names.test({factor: (level, reference)}, draws=OPTIONS.draws, rng=rng).two_sided.p_value


def share(found: np.ndarray) -> str:
    """Of p <= .05."""
    return f"{float(np.mean(found <= 0.05)):.3f}"


def sizes(datasets: int) -> Iterator[str]:
    """Where nothing is planted, by effect and method."""
    yield f"| effect | {' | '.join(METHODS)} |"
    yield "|---" * (1 + len(METHODS)) + "|"
    for names in (3, 10):
        rows, planted = chosen(names)
        found = np.array([list(p_values(rows, drawn(rows, planted, seed), seed)) for seed in range(datasets)])
        for place, effect in enumerate(("first factor", "second factor", "both")):
            cells = " | ".join(share(found[:, place, k]) for k in range(len(METHODS)))
            yield f"| {names} names a cell, {effect} | {cells} |"


def powers(datasets: int) -> Iterator[str]:
    """By permutation, by names and effect."""
    yield f"| names a cell, {datasets} data sets | {' | '.join(f'{effect:g}' for effect in EFFECTS)} |"
    yield "|---" * (1 + len(EFFECTS)) + "|"
    for names in NAMES:
        rows, planted = chosen(names)
        side = np.where(rows.factors["origin"] == rows.levels["origin"][1], 0.5, -0.5) * PERSONS
        power = []
        for seed in range(datasets):
            none = logit(drawn(rows, planted, seed))
            rng = np.random.default_rng([names, seed])
            power.append([race_p(rows, expit(none + effect * side), rng) for effect in EFFECTS])
        yield f"| {names} | {' | '.join(share(p) for p in np.array(power).T)} |"


def main() -> None:
    """Print both tables, and put them into the page where that is asked."""
    datasets = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    for name, table in (("size", sizes(datasets)), ("power", powers(datasets))):
        show(table, "metrics/eec.md", f"bench_eec: {name}", put="--page" in sys.argv)


if __name__ == "__main__":
    main()
