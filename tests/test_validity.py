"""The page on what verdicts mean holds every metric, and its tables are those that the benchmark writes."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from biascore import Engine

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "validity.md"
MARKED = re.compile(r"<!-- bench_validity: (\w+) -->\n(.*?)<!-- end of (\w+) -->", re.DOTALL)
NOT_YET = "Not measured yet: `python tests/benchmarks/bench_validity.py {}` writes this table."

sys.path.insert(0, str(ROOT / "tests" / "benchmarks"))
from bench_validity import BORROWED, TABLES, fits, precision  # noqa: E402
from pages import from_page  # noqa: E402


@pytest.fixture(scope="module")
def page() -> str:
    return PAGE.read_text(encoding="utf-8")


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def test_every_metric_is_told_what_its_verdict_means_and_what_not(engine: Engine, page: str) -> None:
    section = page.partition("## In one sentence")[2].partition("\n## ")[0]
    told = [cells(line) for line in section.splitlines() if line.startswith("| `")]
    named = [name for row in told for name in re.findall(r"`([\w-]+)`", row[0])]
    assert sorted(named) == sorted(engine.plugins.metrics.names)
    assert all(row[1] for row in told)


def test_the_tables_are_those_of_the_benchmark(page: str) -> None:
    found = MARKED.findall(page)
    assert all(name == end for name, _, end in found)
    written = {name: content for name, content, _ in found}
    assert written.pop("precision").splitlines() == precision()
    assert written.pop("real").startswith("| A and B (")  # of vectors that are not at hand
    for name, source in BORROWED.items():
        assert written.pop(name).splitlines() == from_page(*source)
    assert set(written) == set(TABLES)
    for name, content in written.items():
        if content == f"{NOT_YET.format(name)}\n":
            continue
        head, _, *rows = map(cells, content.strip().splitlines())
        table = TABLES[name]
        assert head == [table.first, *(f"{one.head} ({one.sets})" for one in table.columns)]
        assert [row[0] for row in rows] == list(table.rows)
        for row, (_, world) in zip(rows, table.rows.values(), strict=True):
            for cell, column in zip(row[1:], table.columns, strict=True):
                assert re.fullmatch(r"\d+( \(\d+\))?", cell) if fits(column.metric, world) else cell == "–"


def test_every_metric_that_decides_is_measured_or_said_where(engine: Engine) -> None:
    measured = {column.metric for table in TABLES.values() for column in table.columns}
    elsewhere = {"eec", "robust-association", "robust-association-causal"}  # by BORROWED
    describe = {"analogy", "pairwise-distance", "sc-gg-weat", "valnorm"}
    assert measured | elsewhere | describe == set(engine.plugins.metrics.names)
