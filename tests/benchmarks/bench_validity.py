"""Writes the tables of docs/validity.md: how often metrics say "detected" where there is nothing, and where something is.

Each set is a planted model of its own seed, measured as any model is. Tables that another benchmark wrote into the page of
a metric are taken from there.
Run: python tests/benchmarks/bench_validity.py [TABLE ...]
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from biascore_metrics.weat.placebo import REACH
from direction import Difference, DifferenceOptions
from pages import from_page

from biascore.engine import Engine
from biascore.plugins_api import Transform
from biascore.stats import Verdict
from biascore.stats.proportions import wilson_interval

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "validity.md"
FAST = {"resamples": 100, "draws": 399}
LISTS = {"en/weat7": "8 + 8", "en/weat4": "18 + 18", "en/weat3": "32 + 32"}

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
    "all words at cosine .8": "axis=0,anisotropy=0.8",
    "A scatters more than B (.3, .5)": "axis=0,anisotropy=0.5,anisotropy.A=0.3",
    "X of three sub-tokens, .5 nats each": "length.X=3,lift=0.5",
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
    "sent_more a token longer in 60 %, 4 nats": "longer=0.6x4",
}


@dataclass(frozen=True)
class Column:
    """A metric on a test; ``sets`` models are measured.

    ``beyond``: what counts is detected, and of its placebo lists no larger share reaches the effect.
    """

    metric: str
    test: str
    sets: int
    options: Mapping[str, Any] = field(default_factory=dict)
    heading: str = ""
    transforms: tuple[Transform[Any], ...] = ()
    beyond: float | None = None

    @property
    def head(self) -> str:
        return self.heading or f"`{self.metric}`"


def removal(roles: str) -> Column:
    """weat-change where the direction between these lists of en/weat7 is projected out."""
    told = f"`weat-change`, {roles[0]} and {roles[1]} made one"
    taken = Difference(DifferenceOptions(test="en/weat7", roles=roles))
    return Column("weat-change", "en/weat7", 40, FAST, told, (taken,))


@dataclass(frozen=True)
class Table:
    """Rows are worlds or effects, by what they are called: the effect planted, and the world."""

    first: str
    columns: tuple[Column, ...]
    rows: Mapping[str, tuple[str, str]]


def nulls(worlds: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    return {name: ("0", world) for name, world in worlds.items()}


WEAT = Column("weat", "en/weat7", 200, {**FAST, "placebo": 0})
WITH_LISTS = Column("weat", "en/weat7", 40, {**FAST, "placebo": 200})
BEYOND = replace(WITH_LISTS, heading="`weat`, and 5 % of placebo lists or fewer reach it", beyond=0.05)
SEAT = Column("seat", "en/weat7", 40, {**FAST, "placebo": 0})
LPBS = Column("lpbs", "en/weat7", 100, {**FAST, "placebo": 0})
SC_WEAT = Column("sc-weat", "en/weat7", 100, FAST)
FISE = Column("fise", "it/fise_it1_occupations", 30, {"draws": 399, "duplicates": "keep"})
GG_FISE = Column("gg-fise", "it/fise_it1_occupations", 30, {"draws": 399, "duplicates": "keep"})
CROWS = Column("crows-pairs", "en/crows_own", 60, {})
CAUSAL = Column("crows-pairs-causal", "en/crows_own", 60, {})
GEST_MT = Column("gest-mt", "en/gest_own", 400, {"target": "it", "resamples": 100})
GEST_MLM = Column("gest-mlm", "en/gest_own", 400, {"resamples": 100, "templates": [1]})
GEST_CAUSAL = Column("gest-causal", "en/gest_own", 400, {"resamples": 100})

GG_WEAT = Column("gg-weat", "es/gg-weat", 100, FAST)

BORROWED = {
    "persons": ("metrics/eec.md", "bench_eec: size"),
    "names": ("metrics/eec.md", "bench_eec: power"),
    "associations": ("metrics/robust-association.md", "bench_robust_planted"),
    "spreads": ("metrics/robust-association.md", "bench_robust_association"),
}
TABLES = {
    "nouns": Table(
        "planted d, world",
        (GG_WEAT,),
        {
            **nulls({name: world for name, world in WORDS.items() if "length" not in world}),
            **{f"{effect}, independent words, an axis": (effect, "") for effect in ("0.5", "1", "1.5")},
        },
    ),
    "changes": Table(
        "planted d before, world",
        (removal("AB"), removal("XY")),
        {
            "0, independent words": ("0", ARBITRARY),
            "0, X and Y topics": ("0", WORDS["X and Y topics"]),
            "0, X, Y, A and B topics": ("0", WORDS["X, Y, A and B topics"]),
            **{f"{effect}, independent words, an axis": (effect, "") for effect in ("0", "0.8", "1.6")},
        },
    ),
    "mixed": Table(
        "planted nats, world",
        (
            Column("crows-pairs-mixed", "en/crows_own", 60, {"resamples": 100}),
            Column(
                "crows-pairs-mixed",
                "en/crows_own",
                60,
                {"resamples": 100, "random_pair": False},
                "`crows-pairs-mixed`, `random_pair=false`",
            ),
        ),
        {
            **{f"0, {name}": ("0", world) for name, world in PAIRS.items() if "longer" not in world},
            **{f"{effect}, independent pairs": (effect, "") for effect in ("0.3", "0.6", "1.2")},
        },
    ),
    "sentences": Table(
        "planted d, world",
        (SEAT,),
        {
            **{
                name: ("0", WORDS[name])
                for name in ("independent words", "X, Y, A and B topics", "X, A frequent; Y, B rare")
            },
            **{f"{effect}, independent words, an axis": (effect, "") for effect in ("0", "0.8", "1.6")},
        },
    ),
    "single": Table(
        "world, nothing planted",
        (SC_WEAT,),
        nulls({name: world for name, world in WORDS.items() if "axis=0" in world}),
    ),
    "placebo": Table(
        "planted d, world",
        (WITH_LISTS, BEYOND),
        {
            "0, independent words": ("0", "axis=0,spread=0.3"),
            "0, X, Y, A and B topics": ("0", "axis=0,topics.XYAB=0.3,spread=0.3"),
            "0, X, A frequent; Y, B rare": ("0", "axis=0,frequency.XA=0.15,frequency.YB=-0.15,spread=0.3"),
            "0.8, independent words, an axis": ("0.8", "spread=0.3"),
            "1.6, independent words, an axis": ("1.6", "spread=0.3"),
            "1.6, and X, Y, A and B topics": ("1.6", "topics.XYAB=0.3,spread=0.3"),
        },
    ),
    "words": Table("world, nothing planted", (WEAT, LPBS), nulls(WORDS)),
    "placed": Table("world, nothing planted", (FISE, GG_FISE), nulls(PLACED)),
    "pairs": Table("world, nothing planted", (CROWS, CAUSAL), nulls(PAIRS)),
    "further": Table(
        "planted",
        (GEST_MT, GEST_MLM, GEST_CAUSAL),
        {name: (name, "") for name in ("0", "0.5", "1")},
    ),
    "lists": Table(
        "planted d",
        tuple(
            Column("weat", test, 40, {**FAST, "placebo": 0}, f"`weat`, {told}")
            for test, told in LISTS.items()
        ),
        {name: (name, "") for name in ("0", "0.5", "1", "1.5")},
    ),
    "power": Table(
        "planted d",
        (FISE, GG_FISE, CROWS, CAUSAL),
        {name: (name, "") for name in ("0.3", "0.6", "1.2")},
    ),
}


def cell(engine: Engine, column: Column, effect: str, world: str) -> str:
    """Detected and negligible, in per cent of the sets."""
    detected = negligible = 0
    for seed in range(column.sets):
        engine.seed = seed
        declared = ",".join(filter(None, (f"{column.test}={effect}", world)))
        model = engine.model(f"planted:{declared}", seed=seed, transforms=column.transforms)
        (found,) = engine.measure(column.metric, model, column.test, **column.options)
        counts = column.beyond is None or (found.estimate(REACH).value or 0.0) <= column.beyond
        detected += found.verdict is Verdict.DETECTED and counts
        negligible += found.verdict is Verdict.NEGLIGIBLE
    shown = f"{100 * detected / column.sets:.0f}"
    return f"{shown} ({100 * negligible / column.sets:.0f})" if negligible else shown


def fits(metric: str, world: str) -> bool:
    """Whether nothing is there for this metric in that world, and it could see what is."""
    only = {"length": "lpbs", "longer": "crows-pairs-causal"}
    return all(metric == one for condition, one in only.items() if condition in world)


def precision() -> list[str]:
    """Wilson's intervals of a rate, by the number of models behind it."""
    rates = (0.0, 0.05, 0.5, 0.95)
    lines = ["| models | " + " | ".join(f"{100 * rate:g} % seen" for rate in rates) + " |", "|---" * 5 + "|"]
    for models in sorted({column.sets for table in TABLES.values() for column in table.columns}):
        found = [wilson_interval(round(rate * models), models) for rate in rates]
        lines.append(
            f"| {models} | {' | '.join(f'{100 * i.low:.0f} to {100 * i.high:.0f}' for i in found)} |"
        )
    return lines


def write(name: str, lines: Iterable[str]) -> None:
    """Put the lines between the markers of that name."""
    page = PAGE.read_text(encoding="utf-8")
    begin, end = f"<!-- bench_validity: {name} -->\n", f"<!-- end of {name} -->"
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(end)
    PAGE.write_text("\n".join([before + begin.rstrip("\n"), *lines, end + after]), encoding="utf-8")


def main(*wanted: str) -> None:
    write("precision", precision())
    for name, (page, mark) in BORROWED.items():
        write(name, from_page(page, mark))
    engine = Engine(cache=None)
    for name in wanted or TABLES:
        table = TABLES[name]
        heads = [f"{one.head} ({one.sets})" for one in table.columns]
        lines = [f"| {table.first} | {' | '.join(heads)} |", "|---" * (1 + len(heads)) + "|"]
        for row, (effect, world) in table.rows.items():
            cells = []
            for column in table.columns:
                cells.append(cell(engine, column, effect, world) if fits(column.metric, world) else "–")
            lines.append(f"| {row} | {' | '.join(cells)} |")
            print(lines[-1], flush=True)
        write(name, lines)


if __name__ == "__main__":
    main(*sys.argv[1:])
