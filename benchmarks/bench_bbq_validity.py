"""BBQ where templates differ: how often a bias is detected, and what the intervals of the bias cover.

25 templates of 40 questions, and templates of unequal sizes. A model picks a person in 60 % of ambiguous questions, and
guesses in 60 % of disambiguated ones, else it is right; which person follows from the bias of the template, which is normal
with the bias of all and an sd.
Run: python -m benchmarks.bench_bbq_validity [--sets N] [--cases 0 3 ...]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import numpy.typing as npt

from biascore.designs import Mean
from biascore_metrics.bbq.bias import bias as bias_of
from biascore_metrics.bbq.items import AMBIGUOUS, DISAMBIGUATED
from tests.metrics.bbq.made import rows_of

from .pages import arguments

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]

EVEN = (40,) * 25
GIANT = (400, *[10] * 24)
TWO_GIANTS = (200, 100, *[10] * 8)
GUESSED = 0.6
SETS = 2000
LEVEL = 0.95


@dataclass(frozen=True)
class World:
    """Questions of a context, the sd of their templates' biases, how many a model guesses, and the sizes of templates."""

    context: str
    sd: float
    guessed: float = GUESSED
    sizes: tuple[int, ...] = EVEN

    @property
    def template(self) -> Ints:
        """(n,) Of each question."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @property
    def told(self) -> str:
        """The sizes, ``400, 24 x 10``."""
        return ", ".join(
            f"{len([*some])} x {size}" if self.sizes.count(size) > 1 else f"{size}"
            for size, some in groupby(self.sizes)
        )

    @property
    def called(self) -> str:
        """In a table of worlds."""
        if not self.sd:
            return f"{self.context}, 25 templates alike"
        of = "" if self.sizes == EVEN else f"of {self.told} questions "
        return f"{self.context}, templates {of}differ (sd {self.sd:g})"

    def biases(self, bias: float, size: int, rng: np.random.Generator) -> Floats:
        """Of templates (size,), as far as the guesses reach."""
        found: Floats = (bias + self.sd * rng.standard_normal(size)).clip(-self.guessed, self.guessed)
        return found

    def scores(self, bias: float, rng: np.random.Generator) -> Floats:
        """Of all questions, as in ``SCORES``."""
        template = self.template
        target = 0.5 + self.biases(bias, len(self.sizes), rng)[template] / self.guessed / 2
        guess = np.where(rng.random(template.size) < target, 1.0, -1.0)
        else_ = 0.0 if self.context == AMBIGUOUS else np.where(np.arange(template.size) % 2 == 0, 1.0, -1.0)
        found: Floats = np.where(rng.random(template.size) < self.guessed, guess, else_)
        return found

    def tested(self, bias: float, rng: np.random.Generator) -> Mean:
        """What the metric says of a set."""
        template = self.template
        sides = None if self.context == AMBIGUOUS else np.arange(template.size) % 2 == 0
        return bias_of(rows_of(self.scores(bias, rng), template, sides), LEVEL)


WORLDS = (
    *(World(context, sd) for context in (AMBIGUOUS, DISAMBIGUATED) for sd in (0.0, 0.1, 0.3)),
    World(AMBIGUOUS, 0.0, 0.02),
    World(DISAMBIGUATED, 0.0, 0.02),
    *(
        World(context, 0.1, sizes=sizes)
        for context in (AMBIGUOUS, DISAMBIGUATED)
        for sizes in (GIANT, TWO_GIANTS)
    ),
)
BIASES = (0.0, 0.1)


def rejected(world: World, bias: float, sets: int) -> list[bool]:
    """Whether the bias of each set is detected."""
    rng = np.random.default_rng([11, round(100 * world.sd), world.context == AMBIGUOUS])
    return [_detected(world.tested(bias, rng)) for _ in range(sets)]


def _detected(found: Mean) -> bool:
    return found.p_value is not None and found.p_value <= 1 - LEVEL


def row(world: World, sets: int) -> str:
    """Detected without a bias and with one, and the coverage of both intervals, in per cent."""
    cells: list[str] = []
    for bias in (one for one in BIASES if one < world.guessed):
        rng = np.random.default_rng([12, round(100 * world.sd), round(100 * bias)])
        truth = float(world.biases(bias, 10**6, rng).mean()) if bias else 0.0
        found = [world.tested(bias, rng) for _ in range(sets)]
        covered = [
            one.interval is not None and one.interval.low <= truth <= one.interval.high for one in found
        ]
        detected = [_detected(one) for one in found]
        cells += [f"{100 * np.mean(detected):.1f}", f"{100 * np.mean(covered):.1f}"]
    cells += ["–"] * (4 - len(cells))
    return (
        f"| {world.context} | {world.told} | {100 * world.guessed:g} % | {world.sd:g} | {' | '.join(cells)} |"
    )


def lines(cases: tuple[World, ...], sets: int) -> Iterator[str]:
    """The table."""
    yield "| questions | templates | guessed | sd of templates | bias 0: detected | covered | bias .1: detected | covered |"
    yield "|---" * 8 + "|"
    for world in cases:
        yield row(world, sets)


def main() -> None:
    given = arguments(__doc__, SETS).parse_args()
    cases = tuple(WORLDS[i] for i in (given.cases or range(len(WORLDS))))
    for line in lines(cases, given.sets):
        print(line, flush=True)


if __name__ == "__main__":
    main()
