"""Writes docs/validity.md and drawn-worlds.csv: how often a rule says "detected" with nothing there and with something.

Planted models, each of its own seed, are measured as any model is; scores of other worlds are drawn (drawn_worlds.py);
tables that another benchmark wrote into the page of a metric are taken from there.
Run: python -m benchmarks.bench_validity [--quick] [TABLE ...]
--quick: few models, printed and not written.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from biascore.api.exporters import Measurement
from biascore.engine.engine import Engine
from biascore.stats import Verdict
from biascore.stats.proportions import wilson_interval

from . import drawn_worlds

Shown = TypeVar("Shown")
PAGE = Path(__file__).resolve().parents[1] / "docs" / "validity.md"
DRAWN = PAGE.with_name("drawn-worlds.csv")
HEAD = ("metric", "world", "sets", "nothing there, %", "something there, %", "what")
QUICK = 4
HIGHEST = 0.07
"""Of what is detected with nothing there and has no caveat; the lowest is .03, and less is safe."""
ARBITRARY = "axis=0"
WORDS = {
    "independent words": ARBITRARY,
    "the same, A and B an axis": "",
    "X and Y topics": "axis=0,topics.XY=0.3",
    "X, Y, A and B topics": "axis=0,topics.XYAB=0.3",
    "targets in fours of cosine .5, an axis": "clusters.XY=4x0.5",
    "targets in pairs of cosine .9, an axis": "clusters.XY=2x0.9",
    "X frequent, Y rare; A, B mixed": "axis=0,frequency.X=0.3,frequency.Y=-0.3",
    "X, A frequent; Y, B rare": "axis=0,frequency.XA=0.15,frequency.YB=-0.15",
    "X and A hubs, Y and B less (.3, .1)": "axis=0,anisotropy.XA=0.3,anisotropy.YB=0.1",
    "all words at cosine .8": "axis=0,anisotropy=0.8",
    "A scatters more than B (.3, .5)": "axis=0,anisotropy=0.5,anisotropy.A=0.3",
}
PLANTED = {
    "0.8, an axis": ("0.8", ""),
    "1.6, an axis": ("1.6", ""),
    "1.6, and X, Y, A and B topics": ("1.6", "topics.XYAB=0.3"),
}
PLACED = {
    "independent words": ARBITRARY,
    "targets a topic": "axis=0,topics.T=0.3",
    "undeclared synonyms: A, B in pairs of .7": "axis=0,clusters.AB=2x0.7",
    "A and targets frequent, B rare": "axis=0,frequency.AT=0.2,frequency.B=-0.2",
    "all words at cosine .8": "axis=0,anisotropy=0.8",
    "A scatters more than B (.3, .5)": "axis=0,anisotropy=0.5,anisotropy.A=0.3",
}
PAIRS = {
    "independent pairs": "",
    "templates of five, correlation .3": "templates=5x0.3",
    "templates of ten, correlation .3": "templates=10x0.3",
}
OPEN = {
    "X, Y, A and B topics": "believe it where A and B are words for men and women; it asks no topics",
    "X and A hubs, Y and B less (.3, .1)": "take words that are as near to all others",
    "targets in fours of cosine .5, an axis": "declare them as families",
    "targets in pairs of cosine .9, an axis": "declare them as families",
    "templates of five, correlation .3": "declare them as `template`",
    "templates of ten, correlation .3": "declare them as `template`",
}
"""Worlds that no result can know of, and what to do there."""


@dataclass(frozen=True)
class Column:
    """A metric on a test; ``sets`` models are measured."""

    metric: str
    test: str
    sets: int
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        kind = self.options.get("model_kind")
        return f"`{self.metric}`" + (f", {kind} models" if kind else "")

    @property
    def head(self) -> str:
        return f"{self.name} ({self.sets})"


@dataclass(frozen=True)
class Table:
    """Rows are worlds or effects, by what they are called: the effect planted, and the world."""

    first: str
    columns: tuple[Column, ...]
    rows: Mapping[str, tuple[str, str]]
    everywhere: str = ""
    """Declared in every world."""


def nulls(worlds: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    return {name: ("0", world) for name, world in worlds.items()}


def powers(*effects: str) -> dict[str, tuple[str, str]]:
    return {f"{effect} planted": (effect, "") for effect in effects}


FAST = {"resamples": 100, "draws": 399}
TABLES = {
    "words": Table(
        "nothing planted; planted d",
        (
            Column("weat", "en/weat7", 60, FAST),
            Column("seat", "en/weat7", 20, FAST),
            Column("lpbs", "en/weat7", 20, FAST),
            Column("gg-weat", "es/gg-weat", 60, FAST),
        ),
        {**nulls(WORDS), **PLANTED},
        "topics=0.3,spread=0.3",
    ),
    "single": Table(
        "nothing planted",
        (Column("sc-weat", "en/weat7", 100, FAST),),
        nulls({name: world for name, world in WORDS.items() if "axis=0" in world}),
    ),
    "placed": Table(
        "nothing planted; planted mean bias",
        tuple(
            Column(metric, "it/fise_it1_occupations", 60, {"draws": 399, "duplicates": "keep"})
            for metric in ("fise", "gg-fise")
        ),
        {**nulls(PLACED), **powers("0.3", "0.6")},
    ),
    "pairs": Table(
        "nothing planted; planted nats",
        tuple(
            Column(metric, "en/crows_own", 100, options)
            for metric, options in (
                ("crows-pairs", {}),
                ("crows-pairs", {"model_kind": "causal"}),
                ("crows-pairs-mixed", {}),
            )
        ),
        {**nulls(PAIRS), **powers("0.3", "0.6", "1.2")},
    ),
    "samples": Table(
        "planted log odds (probits)",
        (
            Column("gest-mt", "en/gest_own", 400, {"target": "it"}),
            Column("gest-lm", "en/gest_own", 400, {"templates": [1]}),
            Column("gest-lm", "en/gest_own", 400, {"model_kind": "causal"}),
        ),
        {"nothing planted": ("0", ""), **powers("0.5", "1")},
    ),
}


def bare(found: Measurement) -> bool:
    """Whether nothing with a *detected* makes a reader doubt it: no caution, and it is specific where that is asked."""
    specific = found.specificity is None or found.specificity.specific
    return found.verdict is Verdict.DETECTED and specific and not found.cautions


def shares(detected: float, without: float) -> str:
    """Both in per cent, as one cell."""
    first, second = (f"{100 * one:.0f}" for one in (detected, without))
    return first if first == second else f"{first} / {second}"


def cell(engine: Engine, column: Column, effect: str, world: str, sets: int) -> str:
    """Detected, and detected without a caveat."""
    results = []
    for seed in range(sets):
        engine.seed = seed
        declared = ",".join(filter(None, (f"{column.test}={effect}", world)))
        model = engine.model(f"planted:{declared}", seed=seed)
        results += engine.measure(column.metric, model, column.test, **column.options)
    detected = sum(one.verdict is Verdict.DETECTED for one in results)
    return shares(detected / sets, sum(map(bare, results)) / sets)


def line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def rule(columns: int) -> str:
    return "|---" * columns + "|"


def planted(table: Table, quick: bool) -> Iterator[str]:
    """The lines of a table of planted models."""
    engine = Engine(cache=None)
    yield line(table.first, *(one.head for one in table.columns))
    yield rule(1 + len(table.columns))
    for row, (effect, world) in table.rows.items():
        declared = ",".join(filter(None, (world, table.everywhere)))
        found = (cell(engine, one, effect, declared, QUICK if quick else one.sets) for one in table.columns)
        yield line(row, *found)


def drawn(quick: bool) -> Iterator[tuple[str, ...]]:
    """The rows of drawn-worlds.csv: metric, world, sets, per cent with nothing there and with something, and with what."""
    for one, sets, none, some in drawn_worlds.rows(5 * QUICK if quick else 0):
        yield one.metric, one.world, str(sets), shares(*none), shares(*some), one.told


def drawn_rows() -> list[list[str]]:
    """What was written of drawn worlds."""
    with DRAWN.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]


def by_metric(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The lines of the table of drawn worlds: the largest share with nothing there, and the range with something."""
    yield line("metric", "worlds", "nothing there, at most", "something there")
    yield rule(4)
    of: dict[str, list[list[int]]] = {}
    for metric, _, _, *found, _ in rows:
        of.setdefault(metric, []).append([int(one.split(" / ")[0]) for one in found])
    for metric, some in of.items():
        none, there = zip(*some, strict=True)
        yield line(f"`{metric}`", str(len(some)), str(max(none)), f"{min(there)} to {max(there)}")


def beyond(found: str, sets: int) -> bool:
    """Whether a cell is surely above the highest rate that is accepted, of what has no caveat."""
    detected = round(float(found.split(" / ")[-1]) / 100 * sets)
    return wilson_interval(detected, sets).low > HIGHEST


def unknown(page: str) -> Iterator[str]:
    """The rows of the tables on the page that are detected too often and have no caveat, and why; "" where none is known."""
    found_in: dict[tuple[str, str, str], list[str]] = {}
    for name, table in TABLES.items():
        for cells in rows_of(page, name):
            null = table.rows[cells[0]][0] == "0"
            for column, found in zip(table.columns, cells[1:], strict=True):
                if null and beyond(found, column.sets):
                    found_in.setdefault((cells[0], found, OPEN.get(cells[0], "")), []).append(column.name)
    open_ = {(one.metric, one.world): one.open for one in drawn_worlds.WORLDS}
    for metric, world, sets, found, *_ in drawn_rows():
        if beyond(found, int(sets)):
            found_in.setdefault((world, found, open_[metric, world]), []).append(f"`{metric}`")
    yield from (line("metric", "world", "%", "what to do"), rule(4))
    yield from (line("; ".join(metrics), *row) for row, metrics in found_in.items())


def rows_of(page: str, name: str) -> list[list[str]]:
    """The cells of a table on the page, without its head."""
    between = page.partition(f"<!-- bench_validity: {name} -->\n")[2].partition(f"<!-- end of {name} -->")[0]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in between.splitlines()[2:]]


def precision() -> Iterator[str]:
    """Wilson's intervals of a rate, by the number of models behind it."""
    rates = (0.0, 0.05, 0.5)
    yield line("models", *(f"{100 * rate:g} % seen" for rate in rates))
    yield rule(4)
    for models in (10, 20, 60, 100, 400, 2000):
        found = [wilson_interval(round(rate * models), models) for rate in rates]
        yield line(str(models), *(f"{100 * i.low:.0f} to {100 * i.high:.0f}" for i in found))


def write(name: str, lines: Iterable[str]) -> None:
    """Put the lines between the markers of that name."""
    page = PAGE.read_text(encoding="utf-8")
    begin, end = f"<!-- bench_validity: {name} -->\n", f"<!-- end of {name} -->"
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(end)
    PAGE.write_text("\n".join([before + begin.rstrip("\n"), *lines, end + after]), encoding="utf-8")


def shown(lines: Iterable[Shown]) -> list[Shown]:
    """All lines, each printed when it is there."""
    found = []
    for one in lines:
        print(one, flush=True)
        found.append(one)
    return found


def main(*given: str) -> None:
    quick = "--quick" in given
    wanted = [name for name in given if name != "--quick"] or ["drawn", *TABLES]
    for name in wanted:
        if name == "drawn":
            rows = shown(drawn(quick))
            if not quick:
                with DRAWN.open("w", encoding="utf-8", newline="") as file:
                    csv.writer(file, lineterminator="\n").writerows([HEAD, *rows])
        else:
            lines = shown(planted(TABLES[name], quick))
            if not quick:
                write(name, lines)
    if not quick:
        write("drawn", by_metric(drawn_rows()))
        write("precision", precision())
        write("open", unknown(PAGE.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main(*sys.argv[1:])
