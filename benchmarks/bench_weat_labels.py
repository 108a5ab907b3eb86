"""Size and power of WEAT's tests where targets are two topics: target labels, attribute labels, the larger of the two.

A word is a unit vector of a direction of its own and of its list's topic, so that two words of a list have a given cosine.
Without an association the attributes are random words ("arbitrary"), words of two other topics, or the targets are no
topics at all (one pool parted at random) beside attributes that are. An association of ``e`` adds that share of the
difference of X and Y to arbitrary attributes, to A with a plus and to B with a minus, each of which leans by a little
then; or, where A and B are the "opposed" ends of one axis, as pleasant and unpleasant are, that share of it to the targets.

All p-values are two-sided, alpha is .05, and figures are percent of the sets.
With ``--two-way N`` there is one column more, "larger and two-way": the larger p is at most alpha, and the interval of d
from N two-way resamples leaves out 0.
Run: python -m benchmarks.bench_weat_labels [--sets 400] [--cases 0 1] [--two-way 400]
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from biascore.stats import association, cosine_matrix, effect_size, permutation_test
from biascore.stats.two_way import two_way_intervals

from .pages import arguments

DIMENSIONS = 300
ALPHA = 0.05
DRAWS = 999
COLUMNS = ("targets", "attributes", "larger", "mean abs d")


@dataclass(frozen=True)
class Case:
    """Sizes of X and Y, and of A and B, each; the cosine of two words of a list; what the attributes are."""

    targets: int
    attributes: int
    cosine: float = 0.3
    lists: str = "arbitrary"
    association: float = 0.0
    common: float = 0.0

    def __str__(self) -> str:
        more = f", common mean {self.common:g}" if self.common else ""
        e = f", e = {self.association:g}" if self.association else ""
        sizes = " / ".join(f"{n}+{n}" for n in (self.targets, self.attributes))
        return f"{sizes}, cos {self.cosine:g}, {self.lists}{e}{more}"


CASES = (
    *(Case(n, n) for n in (8, 18, 25, 32)),
    Case(8, 8, 0.15),
    Case(25, 8),
    Case(8, 25),
    Case(8, 8, common=2.0),
    Case(8, 8, lists="other topics"),
    Case(25, 25, lists="other topics"),
    Case(8, 8, lists="targets parted at random"),
    Case(25, 25, lists="targets parted at random"),
    *(Case(n, n, association=e) for n in (8, 25) for e in (0.01, 0.02, 0.04)),
    Case(18, 8, association=0.01),
    Case(18, 8, association=0.02),
    *(Case(n, n, lists="opposed", association=e) for n in (8, 25) for e in (0.0, 0.05, 0.1, 0.2)),
)


def words(count: int, cosine: float, rng: np.random.Generator, topic: np.ndarray | None = None) -> np.ndarray:
    """So many words (count, DIMENSIONS) with this cosine between two of them, along the topic or one that is drawn."""
    along = rng.normal(size=DIMENSIONS) if topic is None else topic
    own = rng.normal(size=(count, DIMENSIONS))
    return math.sqrt(cosine) * along + math.sqrt(1 - cosine) * own


def measure(case: Case, resamples: int, rng: np.random.Generator) -> tuple[float, ...]:
    """Both p-values, |d|, and whether the interval holds 0."""
    topics = rng.normal(size=(2, DIMENSIONS))
    if case.lists == "targets parted at random":
        topics[1] = topics[0]
    x, y = (words(case.targets, case.cosine, rng, topic) for topic in topics)
    topical = case.lists != "arbitrary"
    poles = rng.normal(size=(2, DIMENSIONS))
    if case.lists == "opposed":  # pleasant and unpleasant: two ends of one axis, on which the targets lean
        poles[1] = -poles[0]
        x, y = x + case.association * poles[0], y - case.association * poles[0]
    a, b = (words(case.attributes, case.cosine if topical else 0.0, rng, pole) for pole in poles)
    if case.lists == "arbitrary":
        axis = topics[0] - topics[1]
        a, b = a + case.association * axis, b - case.association * axis
    common = case.common * rng.normal(size=DIMENSIONS)
    x, y, a, b = (some + common for some in (x, y, a, b))
    n = len(x)
    cosines = cosine_matrix(np.concatenate([x, y]), np.concatenate([a, b]))
    k = len(a)
    s = association(cosines[:, :k], cosines[:, k:])
    g = cosines[:n].mean(axis=0) - cosines[n:].mean(axis=0)
    p = [
        permutation_test(*pair, method="monte-carlo", draws=DRAWS, rng=rng).two_sided.p_value
        for pair in ((s[:n], s[n:]), (g[:k], g[k:]))
    ]
    d = abs(effect_size(s[:n], s[n:]))
    held = 0.0
    if resamples:
        ends = two_way_intervals(cosines, n, k, resamples=resamples, rng=rng.spawn(1)[0]).effect
        held = float(ends.low <= 0 <= ends.high)
    return p[0], p[1], d, held


def main() -> None:
    parser = arguments(__doc__, 400)
    parser.add_argument("--two-way", type=int, default=0, metavar="N", help="resamples; no such column")
    for line in rows(parser.parse_args()):
        print(line, flush=True)


def rows(given: argparse.Namespace) -> Iterator[str]:
    """The lines of the table."""
    yield f"{given.sets} sets of {DIMENSIONS} dimensions; percent, d aside"
    columns = [*COLUMNS, *["larger and two-way"] * bool(given.two_way)]
    yield f"| targets / attributes | {' | '.join(columns)} |"
    yield "|" + "---|" * (1 + len(columns))
    for number, case in enumerate(CASES):
        if given.cases and number not in given.cases:
            continue
        rng = np.random.default_rng([2026, number])
        found = np.array([measure(case, given.two_way, rng) for _ in range(given.sets)])
        own, across = (found[:, column] <= ALPHA for column in range(2))
        cells = [f"{100 * share.mean():.1f}" for share in (own, across, own & across)]
        cells.append(f"{found[:, 2].mean():.2f}")
        if given.two_way:
            cells.append(f"{100 * (own & across & (found[:, 3] == 0)).mean():.1f}")
        yield f"| {case} | {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
