"""Measurements of more items than a page holds: it counts all of them, and lists some by a stated rule."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from biascore.report import write_report
from biascore.report.items import MOST_ITEMS, table_rows
from biascore.results.estimates import Estimate
from biascore.results.figures import Histogram, Range
from biascore.results.run import Run

from ..builders.runs import measurement, random_items, run_of, table
from .drawings import drawing
from .pages import Element, page_of, tables_of

charts_of = pytest.importorskip("biascore.report.charts").charts_of

MANY = 4 * MOST_ITEMS
LISTED = "This page lists 1,000 of the 4,000 items"


def listed(page: Element) -> list[str]:
    return [row[0] for row in list(tables_of(page).values())[-1]["rows"]]


def uneven_items() -> pa.Table:
    """A large group with by far the greatest values, a middling one, and one of few items."""
    rng = np.random.default_rng(3)
    sizes = {"large": (MANY - 604, 9.0), "middling": (600, 0.0), "few": (4, -1.0)}
    return table([
        (f"{group} {i}", group, float(value))
        for group, (size, centre) in sizes.items()
        for i, value in enumerate(rng.normal(centre, 1, size))
    ])  # fmt: skip


def test_a_page_lists_the_most_telling_of_many_items_and_says_so(tmp_path: Path) -> None:
    run = run_of(measurement(), measurement(metric="m", test="en/many", items=uneven_items()))
    section = page_of(run, tmp_path).all("details", "measurement")[1]
    assert LISTED in section.text
    assert "of each group as many with the greatest as with the smallest values" in section.text
    run.save(tmp_path / "run")
    (file,) = re.findall(r"all are in (\S+) in the folder", section.text)
    assert pq.read_table(tmp_path / "run" / file).num_rows == MANY

    by_value = run[1].items_frame().sort_values("value", ascending=False)
    names = listed(section)
    assert len(names) == MOST_ITEMS
    assert names == [name for name in by_value["item"] if name in set(names)]
    for group, of_group in by_value.groupby("group", sort=False)["item"]:
        order = of_group.tolist()
        both = (MOST_ITEMS - 4) // 4 if group != "few" else 2
        assert [name for name in names if name.startswith(group)] == [*order[:both], *order[-both:]]


@pytest.mark.parametrize(("size", "told"), [(MOST_ITEMS, False), (MOST_ITEMS + 1, True)])
def test_items_up_to_the_limit_are_all_on_the_page(size: int, told: bool, tmp_path: Path) -> None:
    run = run_of(measurement(items=random_items(np.random.default_rng(1), size)))
    page = page_of(run, tmp_path)
    assert ("This page lists" in page.text) is told
    assert len(listed(page)) == MOST_ITEMS


def test_items_without_a_value_are_listed_where_there_is_room() -> None:
    made = random_items(np.random.default_rng(2), MOST_ITEMS).to_pylist()
    rows = [(row["item"], row["group"], None if i % 2 else row["value"]) for i, row in enumerate(made * 2)]
    values = [value for _, _, value in table_rows(measurement(items=table(rows)))]
    assert None not in values
    half = table([(name, group, value if i < 700 else None) for i, (name, group, value) in enumerate(rows)])
    values = [value for _, _, value in table_rows(measurement(items=half))]
    assert len(values) == MOST_ITEMS
    assert values.count(None) == MOST_ITEMS - 350


def test_a_table_of_other_columns_keeps_its_first_rows(tmp_path: Path) -> None:
    items = pa.table({"word": [f"w{i}" for i in range(MANY)]})
    page = page_of(run_of(measurement(items=items)), tmp_path)
    assert f"{LISTED}: the first." in page.text
    assert listed(page) == [f"w{i}" for i in range(MOST_ITEMS)]


def chart_data(run: Run) -> dict[str, list[dict[str, float]]]:
    (chart,) = (chart for chart in charts_of(run) if chart.name.startswith("items-"))
    datasets: dict[str, list[dict[str, float]]] = chart.spec["datasets"]
    return datasets


def test_the_chart_of_many_items_counts_all_of_them() -> None:
    run = run_of(measurement(items=uneven_items()))
    frame = run[0].items_frame()
    data = chart_data(run)
    for group, values in frame.groupby("group")["value"]:
        bars = [row for row in data["rows"] if row["group"] == group]
        assert sum(bar["count"] for bar in bars) == len(values)
        assert max(bar["height"] for bar in bars) == 1
        tallest = max(bars, key=lambda bar: bar["count"])
        assert tallest["count"] == values.between(tallest["low"], tallest["high"]).sum()
        assert [row["value"] for row in data["medians"] if row["group"] == group] == [values.median()]
    assert sum(len(rows) for rows in data.values()) < 300


def test_the_size_of_a_page_does_not_grow_with_the_items(tmp_path: Path) -> None:
    def size(items: int) -> int:
        run = run_of(measurement(items=random_items(np.random.default_rng(4), items)))
        return write_report(run, tmp_path / f"{items}.html").stat().st_size

    assert abs(size(8 * MOST_ITEMS) - size(2 * MOST_ITEMS)) < 20_000


@pytest.mark.parametrize("ends", [(-1.7e308, 1.7e308), (1.0, 1.0 + 4e-16)])
def test_values_of_any_range_are_counted(ends: tuple[float, float]) -> None:
    values = [*ends, ends[0] / 2 + ends[1] / 2] * MOST_ITEMS
    run = run_of(measurement(items=table([("i", "X", value) for value in values])))
    assert sum(row["count"] for row in chart_data(run)["rows"]) == len(values)


def test_a_histogram_counts_the_items_by_a_column() -> None:
    perplexity = [2.0**i for i in range(1, 11)] * 2 + [0.0, None]
    rows = [(f"i{i}", "XY"[i % 2], float(i)) for i in range(22)]
    figure = Histogram(title="By perplexity", column="perplexity", log=True)
    one = measurement(items=table(rows, {"perplexity": perplexity})).model_copy(update={"figures": (figure,)})
    chart = next(chart for chart in charts_of(run_of(one)) if chart.title == "By perplexity")
    data = chart.spec["datasets"]
    assert sum(row["count"] for row in data["rows"]) == 20
    ends = [end for row in data["rows"] for end in (row["low"], row["high"])]
    assert (min(ends), max(ends)) == pytest.approx((2.0, 1024.0))
    width = {round(row["high"] / row["low"], 9) for row in data["rows"]}
    assert len(width) == 1
    assert "By perplexity: 20 items." in chart.caption
    assert chart.note == "2 without a value that can be drawn."
    assert {row["group"]: row["value"] for row in data["medians"]} == {"X": 32.0, "Y": 64.0}


def test_a_histogram_of_some_of_the_items() -> None:
    rows = [(f"i{i}", "XY"[i % 2], float(i)) for i in range(20)]
    asked = {"asked": ["anger"] * 12 + ["joy"] * 8}
    figure = Histogram(title="Scores of joy", column="value", only=("asked", "joy"))
    absent = Histogram(title="Scores of fear", column="value", only=("of", "fear"))
    one = measurement(items=table(rows, asked)).model_copy(update={"figures": (figure, absent)})
    chart = next(chart for chart in charts_of(run_of(one)) if chart.title == "Scores of joy")
    assert sum(row["count"] for row in chart.spec["datasets"]["rows"]) == 8
    assert "Scores of joy: 8 items." in chart.caption
    assert not chart.note
    assert "only" not in Histogram(title="All", column="value").model_dump()
    assert not [chart for chart in charts_of(run_of(one)) if chart.title == "Scores of fear"]


@pytest.mark.parametrize(
    ("column", "reason"),
    [
        ("absent", "no column “absent”"),
        ("item", "holds no numbers"),
        ("value", "its items do not have two values"),
    ],
)
def test_a_histogram_that_cannot_be_drawn_says_why(column: str, reason: str, tmp_path: Path) -> None:
    figure = Histogram(title="By something", column=column, log=True)
    one = measurement(items=table([("a", "X", -1.0), ("b", "Y", -2.0)]))
    page = page_of(run_of(one.model_copy(update={"figures": (figure,)})), tmp_path)
    assert reason in page.text


def test_estimates_of_ranges_stand_above_the_histogram(tmp_path: Path) -> None:
    rows = [(f"i{i}", "XY"[i % 2], float(i)) for i in range(20)]
    of_ranges = [
        Estimate(name=name, value=value, unit="nats", n={"rows": 20})
        for name, value in [("few", 0.5), ("none", None), ("many", -0.25)]
    ]
    edges = [(0.0, 8.0), (8.0, 9.0), (9.0, 5000.0)]
    ranges = tuple(
        Range(low=a, high=b, estimate=one.name) for (a, b), one in zip(edges, of_ranges, strict=True)
    )
    figure = Histogram(title="By perplexity", column="perplexity", log=True, ranges=ranges)
    one = measurement(items=table(rows, {"perplexity": [2.0**i for i in range(1, 11)] * 2}))
    one = one.model_copy(update={"figures": (figure,), "estimates": (*one.estimates, *of_ranges)})
    chart = next(chart for chart in charts_of(run_of(one)) if chart.title == "By perplexity")
    # From the least to the greatest number that is there, as the axis has no 0.
    assert [
        (row["from"], row["to"], row["middle"], row["estimate"]) for row in chart.spec["datasets"]["ranges"]
    ] == [
        (pytest.approx(2), 8, pytest.approx(4), 0.5),
        (9, pytest.approx(1024), pytest.approx(96), -0.25),
    ]
    assert chart.note == "Without an estimate: 8 to 9."
    assert "Above, a point is the estimate (nats)" in chart.caption
    assert "no bias" in chart.caption
    points = [mark for mark in drawing(run_of(one), chart.name) if "Range: " in mark.label]
    told = [part for point in points for part in point.label.split("; ") if part.startswith("Range: ")]
    assert told == ["Range: 0 to 8", "Range: 9 to 5000"]
    unknown = figure.model_copy(update={"ranges": (Range(low=0, high=1, estimate="absent"),)})
    page = page_of(run_of(one.model_copy(update={"figures": (unknown,)})), tmp_path)
    assert "the measurement has no estimate “absent”" in page.text
