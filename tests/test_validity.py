"""The tables of the page on verdicts are those that the benchmark writes."""

from __future__ import annotations

import re

import pytest

from benchmarks.bench_validity import PAGE, TABLES, by_metric, drawn_rows, precision, rows_of, unknown
from benchmarks.drawn_worlds import WORLDS
from biascore import Engine

MARKED = re.compile(r"<!-- bench_validity: (\w+) -->\n(.*?)<!-- end of (\w+) -->", re.DOTALL)


@pytest.fixture(scope="module")
def page() -> str:
    return PAGE.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def written(page: str) -> dict[str, list[str]]:
    found = MARKED.findall(page)
    assert all(name == end for name, _, end in found)
    return {name: content.splitlines() for name, content, _ in found}


def test_every_metric_has_its_rule(engine: Engine) -> None:
    assert all(engine.plugins.metrics.get(name).rule for name in engine.plugins.metrics.names)


def test_the_tables_are_those_of_the_benchmark(page: str, written: dict[str, list[str]]) -> None:
    assert set(written) == {*TABLES, "drawn", "open", "precision"}
    assert written["precision"] == list(precision())
    for name, table in TABLES.items():
        assert written[name][0] == f"| {table.first} | {' | '.join(one.head for one in table.columns)} |"
        rows = rows_of(page, name)
        assert [row[0] for row in rows] == list(table.rows)
        assert all(re.fullmatch(r"\d+( / \d+)?", cell) for row in rows for cell in row[1:])
    assert written["drawn"] == list(by_metric(drawn_rows()))
    assert [row[:2] for row in drawn_rows()] == [[one.metric, one.world] for one in WORLDS]


def test_what_is_detected_too_often_has_a_caveat_or_is_named_with_what_to_do(
    page: str, written: dict[str, list[str]]
) -> None:
    assert written["open"] == list(unknown(page))
    assert all(row[-1] for row in rows_of(page, "open"))


def test_every_metric_that_decides_is_measured(engine: Engine) -> None:
    measured = {column.metric for table in TABLES.values() for column in table.columns}
    measured |= {one.metric for one in WORLDS}
    describe = {
        name for name in engine.plugins.metrics.names if "Describes" in engine.plugins.metrics.get(name).rule
    }
    assert measured | describe == set(engine.plugins.metrics.names)
