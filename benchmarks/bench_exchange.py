"""Size and power of permutation tests where words are not exchangeable one by one: families, counterparts, kinds, sizes.

A score is the sum of what its family, its pair of counterparts or its kind of sentence adds, and of its own part; all
have a variance of 1 together, and the shares are given. Lists that scatter unlike have other standard deviations. The
effect is the difference of the two lists in standard deviations. Figures are percent of the sets with p <= .05, two-sided:
words exchanged one by one, and what `exchange_test` exchanges.
Run: python -m benchmarks.bench_exchange [--sets 1000] [--cases 0 1]
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from biascore.stats import permutation_test
from biascore.stats.exchange import Exchange
from biascore.stats.relabelling import exchange_test

from .pages import arguments

ALPHA = 0.05
DRAWS = 999


@dataclass(frozen=True)
class Case:
    """Two lists: their sizes, what their words have in common, and the share of the variance that this is."""

    name: str
    sizes: tuple[int, int]
    families: tuple[int, ...] = ()
    paired: bool = False
    kinds: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    share: float = 0.0
    scatter: tuple[float, float] = (1.0, 1.0)
    effects: tuple[float, ...] = (0.0,)


CASES = (
    *(
        Case(
            f"{n} + {n}, families of {size}, share {share:g}",
            (n, n),
            (size,) * (n // size),
            share=share,
            effects=(0.0, 1.0),
        )
        for n, size in ((8, 2), (18, 3), (18, 6), (32, 4))
        for share in (0.5, 0.8)
    ),
    Case(
        "8 + 8, families of 3 and 5 x 1, share 0.8", (8, 8), (3, 1, 1, 1, 1, 1), share=0.8, effects=(0.0, 1.0)
    ),
    Case("18 + 18, half one family, share 0.8", (18, 18), (9, *(1,) * 9), share=0.8, effects=(0.0, 1.0)),
    *(
        Case(f"{n} pairs, share {share:g}", (n, n), paired=True, share=share, effects=(0.0, 0.5, 1.0))
        for n in (6, 7, 8, 18)
        for share in (0.0, 0.3, 0.6, 0.8)
    ),
    *(
        Case(f"8 + 8, kinds {a} and {b}, share 0.8", (8, 8), kinds=(a, b), share=0.8, effects=(0.0, 1.0))
        for a, b in (((4, 4), (4, 4)), ((4, 3, 1), (4, 3, 1)), ((6, 2), (3, 5)))
    ),
    *(
        Case(f"{a} + {b}, standard deviations {s:g} and {t:g}", (a, b), scatter=(s, t), effects=(0.0, 1.0))
        for a, b in ((5, 25), (25, 5), (8, 25), (10, 19), (3, 8), (5, 8), (18, 18))
        for s, t in ((1.0, 1.0), (2.0, 1.0), (3.0, 1.0))
    ),
)


def scores(case: Case, effect: float, rng: np.random.Generator) -> tuple[list[np.ndarray], Exchange]:
    """Scores of both lists, and what may be exchanged."""
    names = (
        [np.repeat(np.arange(len(case.families)), case.families)] * 2 if case.families else [np.empty(0)] * 2
    )
    pairs = [np.arange(size) for size in case.sizes]
    kinds = [np.repeat(np.arange(len(counts)), counts) for counts in case.kinds]
    added = [rng.normal(size=100) for _ in range(2)]
    found = []
    for side, size in enumerate(case.sizes):
        common = np.zeros(size)
        if case.families:
            common = added[side][names[side]]
        elif case.paired:
            common = added[0][pairs[side]]
        elif case.kinds[0]:
            common = added[0][kinds[side]]
        own = case.scatter[side] * rng.normal(size=size)
        found.append(
            math.sqrt(case.share) * common + math.sqrt(1 - case.share) * own + (effect if side == 0 else 0.0)
        )
    exchange = Exchange.of(
        case.sizes,
        families=tuple(some.tolist() for some in names),
        counterparts=tuple(some.tolist() for some in pairs) if case.paired else ((), ()),
        blocks=tuple(some.tolist() for some in kinds),
    )
    return found, exchange


def main() -> None:
    for line in rows(arguments(__doc__, 1000).parse_args()):
        print(line, flush=True)


def rows(given: argparse.Namespace) -> Iterator[str]:
    """The lines of the table."""
    yield f"{given.sets} sets, {DRAWS} labellings; percent with p <= {ALPHA}"
    yield "| lists | effect | one by one | as exchangeable |"
    yield "|---|---|---|---|"
    for number, case in enumerate(CASES):
        if given.cases and number not in given.cases:
            continue
        for effect in case.effects:
            rng = np.random.default_rng([2026, number, int(10 * effect)])
            rejected = np.zeros(2)
            for _ in range(given.sets):
                (x, y), exchange = scores(case, effect, rng)
                kind = {"method": "monte-carlo", "draws": DRAWS, "rng": rng}
                tests = (
                    permutation_test(x, y, **kind),
                    exchange_test(x, y, exchange, studentized=exchange.unequal, draws=DRAWS, rng=rng),
                )
                rejected += [test.two_sided.p_value <= ALPHA for test in tests]
            cells = " | ".join(f"{100 * share:.1f}" for share in rejected / given.sets)
            yield f"| {case.name} | {effect:g} | {cells} |"


if __name__ == "__main__":
    main()
