"""One ground alone is biased, in real vectors: how often it is detected, and how often a run names it, or another one.

    python -m benchmarks.bench_harmless_power glove

In each audit harmless groups that do not ship take the place of all groups. In the tests of gender their vectors are moved
along the direction from Y to X, A one way and B the other, until d is .5, .8 or 1.1. Standard errors are over audits.
"""

from __future__ import annotations

import sys

import numpy as np

from biascore.models.model import Model
from biascore.stats import Adjustment
from biascore.stats.harmless import pair_effects
from tests.metrics.harmless import Group, other_people

from .bench_harmless import of_drawn, tables_of
from .harmless_worlds import Floats, Place, audited, decided, drawn_groups, own_audits, percent, vectors

AUDITS = 400
EFFECTS = (0.5, 0.8, 1.1)
GROUND = "gender"


def main() -> None:
    """Print the table."""
    print(
        "| vectors, injected d | adjusted by | gender's tests detected | gender detected | bias said | gender sure | "
        "another ground detected | another sure |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name, model, _, found in audited(sys.argv[1:]):
        rows(name, model, found, other_people())


def rows(name: str, model: Model, found: list[Place], pool: list[Group]) -> None:
    """The rows of a model."""
    names, usable, units = vectors(model, pool)
    tables = tables_of(found, usable, units)
    drawn = drawn_groups(found, pool, names, AUDITS, np.random.default_rng(5))
    p_values, shares = of_drawn(tables, drawn)
    biased = [number for number, one in enumerate(found) if one.test.concept == GROUND]
    grounds = np.array([one.test.concept for one in found])
    for effect in (0.0, *EFFECTS):
        p_with, share_with = p_values.copy(), shares.copy()
        for number in biased if effect else []:
            place = found[number]
            pairs = [one[number] for one in drawn]
            p_with[:, number], share_with[:, number] = injected(place, pairs, usable, units, effect)
            place.forget()
        for how in (Adjustment.HOLM, Adjustment.BENJAMINI_HOCHBERG):
            audits = own_audits(found, how)
            detected, shared = decided(p_with, share_with, how)
            exceeds = np.array([audits.exceeds(one) for one in shared])
            own = detected[:, biased]
            least = np.where(detected, share_with, 1.0)
            sure = exceeds[:, None] & np.vectorize(audits.exceeds_harmless)(least)
            others = grounds != GROUND
            cells = [
                f"{own.sum(axis=1).mean():.1f} of {len(biased)}",
                percent(own.any(axis=1)),
                percent(exceeds),
                percent(sure[:, biased].any(axis=1)),
                percent(detected[:, others].any(axis=1)),
                percent(sure[:, others].any(axis=1)),
            ]
            shown = f"{effect:.1f}" if effect else "none"
            print(f"| {name}, {shown} | {how.shown} | {' | '.join(cells)} |", flush=True)


def injected(
    place: Place, pairs: list[tuple[int, int]], usable: list[np.ndarray], units: Floats, effect: float
) -> tuple[Floats, Floats]:
    """P-values and shares with the groups of each pair moved until the effect size is this."""
    first = place.first
    along = place.stay[:first].mean(axis=0) - place.stay[first:].mean(axis=0)
    along /= np.linalg.norm(along)
    p_value = np.empty(len(pairs))
    for number, (a, b) in enumerate(pairs):
        low, high = -5.0, 5.0
        for _ in range(30):
            middle = (low + high) / 2
            both = moved(place, units[usable[a]], units[usable[b]], middle * along)
            low, high = (middle, high) if pair_effects(both, first, 1)[0, 1] < effect else (low, middle)
        (p_value[number],) = place.p_values(both)
    return p_value, place.shares([np.full(len(pairs), effect)] * len(place.ordered))


def moved(place: Place, a: Floats, b: Floats, step: Floats) -> Floats:
    """Mean cosines (n, 2) of the words that stay with both groups, the one moved by a step and the other by its opposite."""
    found = []
    for some in (a + step, b - step):
        found.append((place.stay @ (some / np.linalg.norm(some, axis=1, keepdims=True)).T).mean(axis=1))
    return np.column_stack(found)


if __name__ == "__main__":
    main()
