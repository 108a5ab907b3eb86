"""How often ``eec`` finds an effect, by the p-value that is read: all rows independent, clustered by name, of the names.

    python -m benchmarks.bench_eec [DATASETS [--page]]

Scores of the planted model (``biascore_metrics.eec.planted``) for corpora of 35 sentences a name, 100 data sets unless
told; with ``--page`` both tables go into docs/metrics/eec.md. First the share of p <= .05 where the groups of names do not
differ: of each kind of effect, with 3 names a cell and 10 (the published corpora), and with 30 and 5, the few or the many
three times as spread; of the first factor where its gap differs by template; of gender where a word of one template tells
it, as *herself* does. Then the power for the first factor by number of names and effect, in standard deviations between the
names of a group.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import numpy as np
from scipy.special import expit, logit

from biascore.stats.welch import welch
from biascore_metrics.eec.corpora import Corpora, Rows
from biascore_metrics.eec.fits import Fitted, framed
from biascore_metrics.eec.options import EecOptions
from biascore_metrics.eec.planted import PERSONS, Emotions
from tests.metrics.eec.corpora import corpus

from .pages import show

QUANTITY = "anger"
WORDS = {QUANTITY: ("angry", "annoyed", "enraged", "furious", "irritated")}
TEMPLATES = {f"t{i}": "{person} number " + str(i) + " feels {state}" for i in range(7)}
AGREEING = {**TEMPLATES, "t6": "{person} finds {self:gender} {state}"}
METHODS = ("OLS", "clustered by name (CR2)", "Welch", "p that decides")
OPTIONS = EecOptions()
WORD = 7.0
"""What the agreeing word adds, in standard deviations between names: 1 on average over seven templates."""
NAMES, EFFECTS = (5, 10, 20, 40), (0.0, 0.25, 0.5, 0.75, 1.0)


def chosen(names: int, templates: dict[str, str] = TEMPLATES) -> tuple[Rows, Emotions]:
    """The rows of a corpus with so many names a cell, and the scores of its sentences where nothing is planted."""
    test = corpus(names, templates=templates, emotions=WORDS)
    planted = Emotions()
    planted.plant(test, 0.0, 0)
    return Corpora((test,), OPTIONS).rows(QUANTITY), planted


def drawn(rows: Rows, planted: Emotions, seed: int) -> np.ndarray:
    """Scores (n,)."""
    return np.array([planted.scored(text, QUANTITY, seed) for text in rows["sentence"].tolist()])


def side_of(rows: Rows, factor: str) -> np.ndarray:
    """Half the standard deviation between names, with the sign of the level (n,)."""
    return np.where(rows.factors[factor] == rows.levels[factor][1], 0.5, -0.5) * PERSONS


def p_values(rows: Rows, scores: np.ndarray) -> Iterator[tuple[float, ...]]:
    """Of each effect, by each method."""
    fitted = Fitted.of(rows, scores, OPTIONS, frozenset({"gender"}))
    clustered = framed(rows, scores).clustered(rows["person"])
    for effect in fitted.effects:
        assert effect.own_p is not None
        assert effect.p_value is not None
        yield (
            fitted.plain.marginal_effect(effect.change).p_value,
            clustered.marginal_effect(effect.change).p_value,
            effect.own_p,
            effect.p_value,
        )


def race_p(rows: Rows, scores: np.ndarray) -> float:
    """Of the first factor."""
    factor, (reference, level) = next(iter(rows.levels.items()))
    return welch(framed(rows, scores), rows["person"], {factor: (level, reference)}).p_value


def unequal(few: float, many: float) -> tuple[Rows, Callable[[int], np.ndarray]]:
    """30 names a cell of the first level and 5 of the second, and scores by seed; their deviations in those of names."""
    rows, planted = chosen(30)
    number = np.array([int("".join(filter(str.isdigit, person))) for person in rows["person"].tolist()])
    other = next(iter(rows.factors.values())) == next(iter(rows.levels.values()))[1]
    rows = rows.where(~other | (number < 5))
    names, of_row = np.unique(rows["person"], return_inverse=True)
    spread = np.where(next(iter(rows.factors.values())) == next(iter(rows.levels.values()))[1], few, many)
    more = PERSONS * np.sqrt(spread**2 - 1.0)  # each name has a deviation of 1 already

    def scores(seed: int) -> np.ndarray:
        drawn_names = np.random.default_rng([2, seed]).standard_normal(names.size)
        return expit(logit(drawn(rows, planted, seed)) + more * drawn_names[of_row])

    return rows, scores


def share(found: np.ndarray) -> str:
    """Of p <= .05."""
    return f"{float(np.mean(found <= 0.05)):.3f}"


def sizes(datasets: int) -> Iterator[str]:
    """Where the groups do not differ, by effect and method."""
    yield f"| effect | {' | '.join(METHODS)} |"
    yield "|---" * (1 + len(METHODS)) + "|"

    def row(told: str, place: int, found: np.ndarray) -> str:
        return f"| {told} | {' | '.join(share(p) for p in found[:, place].T)} |"

    for names in (3, 10):
        rows, planted = chosen(names)
        found = np.array([list(p_values(rows, drawn(rows, planted, seed))) for seed in range(datasets)])
        for place, effect in enumerate(("first factor", "second factor", "both")):
            yield row(f"{names} names a cell, {effect}", place, found)
    for told, few, many in (("few", 3.0, 1.0), ("many", 1.0, 3.0)):
        rows, scores = unequal(few, many)
        found = np.array([list(p_values(rows, scores(seed))) for seed in range(datasets)])
        for place, effect in ((0, "first factor"), (2, "both")):
            yield row(f"30 and 5, the {told} three times as spread, {effect}", place, found)
    rows, planted = chosen(10)
    _, template = np.unique(rows["template"], return_inverse=True)
    gaps = [np.random.default_rng(seed).standard_normal(len(TEMPLATES)) for seed in range(datasets)]
    worlds = [
        ("10, gap of the first factor by template", 0, rows, planted, [g[template] for g in gaps], "origin")
    ]
    rows, planted = chosen(10, AGREEING)
    word = np.where(rows.agreement, WORD, 0.0)
    worlds.append(("10, grammar alone, second factor", 1, rows, planted, [word] * datasets, "gender"))
    for told, place, of, model, added, factor in worlds:
        side = side_of(of, factor)
        every = (expit(logit(drawn(of, model, seed)) + side * added[seed]) for seed in range(datasets))
        yield row(told, place, np.array([list(p_values(of, one)) for one in every]))


def powers(datasets: int) -> Iterator[str]:
    """For the first factor, by names and effect."""
    yield f"| names a cell, {datasets} data sets | {' | '.join(f'{effect:g}' for effect in EFFECTS)} |"
    yield "|---" * (1 + len(EFFECTS)) + "|"
    for names in NAMES:
        rows, planted = chosen(names)
        side = side_of(rows, "origin")
        power = []
        for seed in range(datasets):
            none = logit(drawn(rows, planted, seed))
            power.append([race_p(rows, expit(none + effect * side)) for effect in EFFECTS])
        yield f"| {names} | {' | '.join(share(p) for p in np.array(power).T)} |"


def main() -> None:
    """Print both tables, and put them into the page where that is asked."""
    datasets = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    for name, table in (("size", sizes(datasets)), ("power", powers(datasets))):
        show(table, "metrics/eec.md", f"bench_eec: {name}", put="--page" in sys.argv)


if __name__ == "__main__":
    main()
