"""Random attributes on real Spanish vectors: how often what is no association is detected.

    python -m benchmarks.bench_real_vectors VECTORS NOUNS [SETS]

VECTORS are of Spanish in fastText's text format, NOUNS a table of nouns with word and gender (`Masc`, `Fem`), tabs between.
X and Y are those of the shipped tests, A and B drawn anew: of neutral words, or A masculine and B feminine nouns,
so that grammar alone can tell them apart. Targets of FISE are nouns drawn anew, those of GG-FISE what by its ending is an
adjective or participle with both forms known. p of the targets: target labels permuted, of FISE (its first dimension)
Student's t over words. Each set is measured as any test is.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from biascore.api.metrics import Test
from biascore.designs.effect import EFFECT
from biascore.engine.engine import Engine
from biascore.results.estimates import Estimate
from biascore.results.measurement import Measurement
from biascore.stats import Verdict
from biascore.stimuli.lists import PairList, WordList
from biascore_metrics.fise.estimates import EQUAL, LABELS, WORDS
from biascore_metrics.fise.items import Dimension, FiseTest

TESTS = ("es/gg-weat", "es/GenS", "es/weat2")
ENDINGS = ("os", "ad", "id", "iv")
SIZE, TARGETS = 8, 100
FAST = {"resamples": 100, "draws": 399}
Draw = Callable[[int], tuple[WordList, WordList]]


class Pools:
    """The words that can be drawn: those that the vectors hold."""

    def __init__(self, engine: Engine, vectors: Path, nouns: Path) -> None:
        lines = vectors.read_text(encoding="utf-8").splitlines()[1:]
        self.known = {line.partition(" ")[0] for line in lines}
        self.neutral = self._of(engine.catalogue.word_list("es/neutral/words").words)
        with nouns.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
        self.nouns = {
            gender: self._of([row["word"] for row in rows if row["gender"] == gender])
            for gender in ("Masc", "Fem")
        }
        self.forms = tuple(
            (word, word[:-1] + "a")
            for word in sorted(self.known)
            if word.endswith(tuple(f"{ending}o" for ending in ENDINGS)) and word[:-1] + "a" in self.known
        )

    def _of(self, words: Sequence[str]) -> list[str]:
        return [word for word in dict.fromkeys(words) if word in self.known]

    def draws(self, rng: np.random.Generator) -> dict[str, Draw]:
        """Two lists of so many words, by what is drawn."""

        def lists(one: list[str], other: list[str]) -> tuple[WordList, WordList]:
            return WordList("one", tuple(one)), WordList("other", tuple(other))

        def neutral(size: int) -> tuple[WordList, WordList]:
            words = rng.choice(self.neutral, 2 * size, replace=False).tolist()
            return lists(words[:size], words[size:])

        def gendered(size: int) -> tuple[WordList, WordList]:
            one, other = (
                rng.choice(self.nouns[gender], size, replace=False).tolist() for gender in self.nouns
            )
            return lists(one, other)

        return {"neutral words": neutral, "masculine and feminine nouns": gendered}


def weat_tests(engine: Engine, name: str, draw: Draw, sets: int) -> list[Test]:
    """The shipped X and Y with other attributes."""
    roles = engine.catalogue.test(name).roles
    found = []
    for number in range(sets):
        a, b = draw(SIZE)
        lists = {"X": roles["X"], "Y": roles["Y"], "A": a, "B": b}
        found.append(Test(id=f"es/random-{number}", kind="weat", language="es", roles=lists))
    return found


def fise_tests(
    pools: Pools, draw: Draw, sets: int, rng: np.random.Generator, *, forms: bool
) -> list[FiseTest]:
    """Two dimensions that mean nothing."""
    nouns = [*pools.nouns["Masc"], *pools.nouns["Fem"]]
    found = []
    for number in range(sets):
        drawn = rng.choice(nouns, TARGETS, replace=False).tolist()
        targets = (
            PairList("forms", pools.forms, ("male", "female")) if forms else WordList("nouns", tuple(drawn))
        )
        dimensions = tuple(Dimension(name, *draw(SIZE)) for name in ("one", "two"))
        found.append(
            FiseTest(
                id=f"es/random-{number}", kind="fise", language="es", targets=targets, dimensions=dimensions
            )
        )
    return found


def p_of(estimate: Estimate, name: str) -> float:
    """The p of that name; where words are exchanged one by one that of the targets is the papers' own."""
    there = {p.name: p.value for p in estimate.p_values}
    return there.get(name, there.get("two-sided", np.nan))


def counted(found: Sequence[Measurement], estimate: str, names: Sequence[str]) -> str:
    """Per cent with p <= .05 of each name, and detected."""
    estimates = [one.estimate(estimate) for one in found]
    rates = [np.mean([p_of(one, name) <= 0.05 for one in estimates]) for name in names]
    rates.append(np.mean([one.verdict is Verdict.DETECTED for one in found]))
    return " | ".join(f"{100 * rate:.0f}" for rate in rates)


def rows(vectors: Path, nouns: Path, sets: int) -> Iterator[str]:
    """The lines of the table."""
    yield f"| A and B ({sets} sets) | test | words | p of the targets | p of the attributes | *detected* |"
    yield "|---|---|---|---|---|---|"
    reference = Engine(cache=None)
    pools = Pools(reference, vectors, nouns)
    for kind, draw in pools.draws(np.random.default_rng(1)).items():
        for name in TESTS:
            engine = Engine(cache=None)
            tests = weat_tests(reference, name, draw, sets)
            engine.add_tests(tests)
            found = engine.measure(
                "weat", f"fasttext:{vectors}", [t.id for t in tests], topics="none", **FAST
            )
            used = found[0].coverage.used
            told = counted(list(found), EFFECT, ("two-sided, target labels", "two-sided, attribute labels"))
            yield f"| {kind} | `weat`, X and Y of `{name}` | {used['X']} + {used['Y']} | {told} |"
        for metric, forms in (("fise", False), ("gg-fise", True)):
            engine = Engine(cache=None)
            placed = fise_tests(pools, draw, sets, np.random.default_rng(2), forms=forms)
            engine.add_tests(placed)
            found = engine.measure(metric, f"fasttext:{vectors}", [t.id for t in placed], draws=399)
            words = found[0].coverage.used["targets"]
            told = counted(list(found), EQUAL.format("one"), (WORDS, LABELS))
            yield f"| {kind} | `{metric}`, {'adjectives' if forms else 'nouns'} | {words} | {told} |"


def main() -> None:
    for line in rows(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 200):
        print(line, flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main()
