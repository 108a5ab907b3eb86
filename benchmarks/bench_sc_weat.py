"""SC-WEAT: how often words are found associated, alone and against control words.

Run: python -m benchmarks.bench_sc_weat [--sets 200] [--words 16 50 32]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from biascore.stats import cosine_matrix, holm
from biascore.stats.each import each_word_test
from biascore.stats.exchange import Exchange
from biascore_metrics.weat.control import AGAINST, EACH, LARGER, Control, ScWeatOptions

Floats = npt.NDArray[np.float64]
D, CONTROL = 100, 120
ATTRIBUTES = {16: 8, 50: 8, 32: 18}
"""Words of A and of B, by the number of target words."""
OPTIONS = ScWeatOptions(draws=1999)


def unit(place: int) -> Floats:
    return np.eye(D)[place]


class World:
    """Target words in two halves, control words, A and B: noise of length 1 in D directions, and what a case adds."""

    def __init__(self, rng: np.random.Generator, words: int, attributes: int) -> None:
        self.rng = rng
        self.words, self.control = self.noise(words), self.noise(CONTROL)
        self.a, self.b = self.noise(attributes), self.noise(attributes)

    def noise(self, n: int) -> Floats:
        return self.rng.standard_normal((n, D)) / np.sqrt(D)

    def halves(self) -> tuple[Floats, Floats]:
        half = len(self.words) // 2
        return self.words[:half], self.words[half:]


def real(world: World) -> None:
    """A and B part along an axis; no word leans more than any other."""
    world.a += 0.5 * unit(1)
    world.b -= 0.5 * unit(1)


def offset(world: World) -> None:
    real(world)
    world.words -= 0.3 * unit(1)
    world.control -= 0.3 * unit(1)


def scatter(world: World) -> None:
    world.a *= 1.3
    for one in (world.words, world.control, world.a, world.b):
        one += unit(0)


def topics(world: World) -> None:
    """Both halves are about a topic, and A and B have no meaning."""
    for half in world.halves():
        half += 0.7 * world.noise(1)


def real_topics(world: World) -> None:
    real(world)
    topics(world)


def lean(by: float) -> Callable[[World], None]:
    """The halves lean either way by so many standard deviations of words."""

    def case(world: World) -> None:
        real(world)
        for half, sign in zip(world.halves(), (1, -1), strict=True):
            half += sign * by / np.sqrt(D) * unit(1)

    return case


def few(by: float) -> Callable[[World], None]:
    """A quarter of the words lean to A."""

    def case(world: World) -> None:
        real(world)
        world.words[: len(world.words) // 4] += by / np.sqrt(D) * unit(1)

    return case


CASES = {
    "A and B without a meaning, targets of two topics": topics,
    "a real axis, random target words": real,
    "the same, all words lean to B": offset,
    "A scatters 1.3 times as far as B, no axis": scatter,
    "a real axis, targets of two topics": real_topics,
    "POWER: halves lean by .5 sd": lean(0.5),
    "POWER: by 1 sd": lean(1.0),
    "POWER: by 2 sd": lean(2.0),
    "POWER: a quarter leans by 2 sd": few(2.0),
}


def rejections(case: Callable[[World], None], words: int, attributes: int, sets: int) -> dict[str, float]:
    """Share of sets that each rule calls detected at 5 %, and the shares of words associated."""
    rng = np.random.default_rng(20263)
    exchange = Exchange.of((attributes, attributes))
    found: dict[str, list[float]] = {}
    for _ in range(sets):
        world = World(rng, words, attributes)
        case(world)
        both = np.concatenate([world.a, world.b])
        own, control = cosine_matrix(world.words, both), cosine_matrix(world.control, both)
        alone = each_word_test(own, exchange, draws=OPTIONS.draws, rng=rng)
        held = Control.of(own, control, exchange, "xx/neutral/words", OPTIONS, rng)
        p = {one.name: one.value for one in held.p_values(OPTIONS)}
        shares = held.shares(OPTIONS) or (np.nan, np.nan)
        for name, value in {
            "at least one word": holm(list(alone.two_sided)).min() <= 0.05,
            "at least one, from the centre": p[EACH] <= 0.05,
            "against control words": p[AGAINST] <= 0.05,
            "**the verdict**": p[LARGER] <= 0.05,
            "share of words": shares[0],
            "of control words": shares[1],
        }.items():
            found.setdefault(name, []).append(float(value))
    return {name: float(np.mean(values)) for name, values in found.items()}


def rows(words: int, sets: int) -> Iterator[str]:
    """The lines of the table of so many target words."""
    attributes, header = ATTRIBUTES[words], ""
    for name, case in CASES.items():
        found = rejections(case, words, attributes, sets)
        if not header:
            header = f"| {words} words, {attributes} + {attributes}, {sets} sets | {' | '.join(found)} |"
            yield header
            yield "|---" * (len(found) + 1) + "|"
        yield f"| {name} | " + " | ".join(f"{100 * value:.0f}" for value in found.values()) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--words", type=int, nargs="*", default=list(ATTRIBUTES), choices=list(ATTRIBUTES))
    given = parser.parse_args()
    for words in given.words:
        for line in rows(words, given.sets):
            print(line, flush=True)


if __name__ == "__main__":
    main()
