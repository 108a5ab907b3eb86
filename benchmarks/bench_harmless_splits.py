"""Is the level right on average over pools? The shipped and the other groups of people, put together and split at random.

    python -m benchmarks.bench_harmless_splits glove

Of each split one part, of as many groups as ship, is the pool; pairs of the other part are put in the place of the tests'
groups, as in bench_harmless.py. First the shipped groups as the pool, then the others, then 8 splits, with their standard
deviation.
"""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np

from biascore.models.model import Model
from biascore.stats import Adjustment
from biascore.stats.harmless import NEAR, HarmlessPairs, group_means, leave_two_out, pair_effects
from biascore.stimuli import Catalogue
from tests.metrics.harmless import Group, other_people

from .bench_harmless import of_drawn
from .harmless_worlds import Floats, Place, audited, decided, drawn_groups, own_audits, vectors

SPLITS = 8
DRAWS = 5
AUDITS = 400


def main() -> None:
    """Print the table."""
    print("| vectors, pool | tests detected | own harmless audits | called biased, % |\n|---|---|---|---|")
    for name, model, catalogue, found in audited(sys.argv[1:]):
        rows(name, model, catalogue, found)


def rows(name: str, model: Model, catalogue: Catalogue, found: list[Place]) -> None:
    """The rows of a model."""
    shipped = [Group(one.name, one.words, one.about) for one in catalogue.file("en", "people").lists]
    pool = shipped + [one._replace(name=f"other {one.name}") for one in other_people()]
    names, usable, units = vectors(model, pool)
    count = sum(not name.startswith("other ") for name in names)
    tables = [table_of(one, usable, units) for one in found]
    rng = np.random.default_rng(3)

    every = list(range(len(names)))
    for told, kept in (("shipped groups", every[:count]), ("other groups", every[count:])):
        one = of_split(found, pool, names, tables, set(kept), rng)
        print(f"| {name}, {told} | {one[0]:.2f} of {len(found)} | {one[1]:.2f} | {one[2]:.1f} |", flush=True)
    parts = [set(rng.permutation(len(names))[:count].tolist()) for _ in range(SPLITS)]
    splits = np.array([of_split(found, pool, names, tables, kept, rng) for kept in parts])
    cells = [
        f"{mean:.2f} (sd {sd:.2f})"
        for mean, sd in zip(splits.mean(axis=0), splits.std(axis=0, ddof=1), strict=True)
    ]
    gaps = splits[:, 0] - splits[:, 1]
    print(f"| {name}, {SPLITS} splits | {' | '.join(cells)} |")
    print(
        f"<!-- tests detected less own harmless audits: {gaps.mean():.2f} ({gaps.std(ddof=1) / SPLITS**0.5:.2f}) -->",
        flush=True,
    )


def table_of(place: Place, usable: list[np.ndarray], units: Floats) -> tuple[list[Floats], Floats]:
    """|d| (t, t) in each draw of words, and p-values (t, t), of a test with each pair of groups."""
    scores = place.stay @ units.T
    sizes = [
        np.abs(pair_effects(group_means(scores, usable, place.length, place.rng), place.first, 1))
        for _ in range(DRAWS)
    ]
    p_values = np.ones((len(usable), len(usable)))
    whole = np.column_stack([scores[:, some].mean(axis=1) for some in usable])
    p_values[np.triu_indices(len(usable), 1)] = place.p_values(whole)
    place.forget()
    return sizes, np.minimum(p_values, p_values.T)


def of_split(
    found: list[Place],
    pool: list[Group],
    names: list[str],
    tables: list[tuple[list[Floats], Floats]],
    kept: set[int],
    rng: np.random.Generator,
) -> tuple[float, float, float]:
    """Tests detected, mean of the harmless audits, and percent called biased, with the groups ``kept`` as the pool."""
    about = {one.name: set(one.about) for one in pool}
    ranked: list[Any] = []
    compared: list[Any] = []
    for place, (sizes, p_values) in zip(found, tables, strict=True):
        own = [
            at for at, name in enumerate(names) if at in kept and not about[name] & set(place.test.touches)
        ]
        above, part = np.triu_indices(len(own), 1), np.ix_(own, own)
        level = np.mean([leave_two_out(one[part]) for one in sizes], axis=0)
        pairs = HarmlessPairs(tuple(names[at] for at in own), *above, level, p_values[part][above])
        ordered = [np.sort(one[part][above]) for one in sizes]
        share = np.mean(
            [
                (1 + len(some) - np.searchsorted(some, one - NEAR)) / (1 + len(some))
                for some, one in zip(ordered, sizes, strict=True)
            ],
            axis=0,
        )
        ranked.append((sizes[0], share, p_values))
        compared.append(SimpleNamespace(test=place.test, pairs=pairs))
    others = [name for at, name in enumerate(names) if at not in kept]
    drawn = drawn_groups(compared, pool, others, AUDITS, rng)
    at = [names.index(name) for name in others]
    moved = [{test: (at[a], at[b]) for test, (a, b) in one.items()} for one in drawn]
    detected, shared = decided(*of_drawn(ranked, moved), Adjustment.HOLM)
    audits = own_audits(compared, Adjustment.HOLM)
    biased = np.mean([audits.exceeds(one) for one in shared])
    return float(detected.sum(axis=1).mean()), audits.mean, 100 * float(biased)


if __name__ == "__main__":
    main()
