"""BBQ where templates differ: how often a bias is detected, and what the intervals of the bias cover.

25 templates of 40 questions. A model picks a person in 60 % of ambiguous questions, and guesses in 60 % of disambiguated
ones, else it is right; which person follows from the bias of the template, which is normal with the bias of all and an sd.
Run: python tests/benchmarks/bench_bbq_validity.py [--sets N] [--cases 0 3 ...] [--page]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from pages import arguments, show

from biascore_metrics.bbq.findings import SIGNED
from biascore_metrics.bbq.inference import Tested, by_template, permuted
from biascore_metrics.bbq.scores import AMBIGUOUS, DISAMBIGUATED, Floats

TEMPLATES, EACH = 25, 40
TEMPLATE = np.repeat(np.arange(TEMPLATES), EACH)
PRO = np.tile(np.arange(EACH) % 2 == 0, TEMPLATES)
GUESSED = 0.6
DRAWS = 2000
SETS = 2000
LEVEL = 0.95


@dataclass(frozen=True)
class World:
    """Questions of a context, the sd of their templates' biases, and how many a model guesses."""

    context: str
    sd: float
    guessed: float = GUESSED

    def biases(self, bias: float, size: int, rng: np.random.Generator) -> Floats:
        """Of templates (size,), as far as the guesses reach."""
        found: Floats = (bias + self.sd * rng.standard_normal(size)).clip(-self.guessed, self.guessed)
        return found

    def scores(self, bias: float, rng: np.random.Generator) -> Floats:
        """Of all questions, as in ``SCORES``."""
        target = 0.5 + self.biases(bias, TEMPLATES, rng)[TEMPLATE] / self.guessed / 2
        guess = np.where(rng.random(TEMPLATE.size) < target, 1.0, -1.0)
        else_ = 0.0 if self.context == AMBIGUOUS else np.where(PRO, 1.0, -1.0)
        found: Floats = np.where(rng.random(TEMPLATE.size) < self.guessed, guess, else_)
        return found

    def tested(self, bias: float, rng: np.random.Generator) -> Tested:
        """What the metric says of a set."""
        scores = self.scores(bias, rng)
        if self.context == AMBIGUOUS:
            return by_template(scores, TEMPLATE, LEVEL, SIGNED)
        return permuted(scores, PRO, TEMPLATE, level=LEVEL, draws=DRAWS, rng=rng)


WORLDS = (
    *(World(context, sd) for context in (AMBIGUOUS, DISAMBIGUATED) for sd in (0.0, 0.1, 0.3)),
    World(AMBIGUOUS, 0.0, 0.02),
    World(DISAMBIGUATED, 0.0, 0.02),
)
BIASES = (0.0, 0.1)


def rejected(world: World, bias: float, sets: int) -> list[bool]:
    """Whether the bias of each set is detected."""
    rng = np.random.default_rng([11, round(100 * world.sd), world.context == AMBIGUOUS])
    return [(found.p_value or 0.0) <= 1 - LEVEL for found in (world.tested(bias, rng) for _ in range(sets))]


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
        detected = [one.p_value is not None and one.p_value <= 1 - LEVEL for one in found]
        cells += [f"{100 * np.mean(detected):.1f}", f"{100 * np.mean(covered):.1f}"]
    cells += ["–"] * (4 - len(cells))
    return f"| {world.context} | {100 * world.guessed:g} % | {world.sd:g} | {' | '.join(cells)} |"


def lines(cases: tuple[World, ...], sets: int) -> Iterator[str]:
    """The table."""
    yield "| questions | guessed | sd of templates | bias 0: detected | covered | bias .1: detected | covered |"
    yield "|---" * 7 + "|"
    for world in cases:
        yield row(world, sets)


def main() -> None:
    parser = arguments(__doc__, SETS)
    parser.add_argument("--page", action="store_true", help="write the table into docs/metrics/bbq.md")
    given = parser.parse_args()
    cases = tuple(WORLDS[i] for i in (given.cases or range(len(WORLDS))))
    show(lines(cases, given.sets), "metrics/bbq.md", "bench_bbq_validity", put=given.page)


if __name__ == "__main__":
    main()
