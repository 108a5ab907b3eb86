"""Ranks of all systems as a map of colours: a cell for each value, groups parted, numbers where there is room."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

from biascore.report.charts import Chart, Undrawn, run_pictures
from biascore.results.run import Run

from ..builders.runs import run_of
from .pictured import STEREOTYPES, systems_run


def heat(run: Run) -> Chart | Undrawn:
    return next(picture.chart for picture in run_pictures(run) if picture.chart.title == "Ranks by system")


def rows(chart: Chart | Undrawn, data: str = "rows") -> list[dict[str, Any]]:
    assert isinstance(chart, Chart)
    found: list[dict[str, Any]] = chart.spec["datasets"][data]
    return found


@pytest.fixture(scope="module")
def run() -> Run:
    return systems_run()


def test_every_value_has_a_cell_and_groups_are_parted(run: Run) -> None:
    chart = heat(run)
    assert isinstance(chart, Chart)
    assert len(rows(chart)) == len(run) * len(STEREOTYPES)
    assert len({row["column"] for row in rows(chart)}) == len(run)
    assert [row["label"] for row in rows(chart, "edges")] == [STEREOTYPES[7]]
    assert "1 (dark orange) is the most feminine, 16 (dark purple) the most masculine" in chart.caption
    assert "From above: about women, about men" in chart.caption


def test_numbers_stand_in_the_cells_of_few_columns(run: Run) -> None:
    few, many = heat(run_of(*list(run)[:6])), heat(run)
    assert isinstance(few, Chart)
    assert isinstance(many, Chart)
    marks = [[layer["mark"]["type"] for layer in chart.spec["layer"]] for chart in (few, many)]
    assert marks == [["rect", "rule", "text"], ["rect", "rule"]]
    first, last = (next(row for row in rows(few) if row["value"] == value) for value in (1, 8))
    assert (first["dark"], last["dark"]) == ("yes", "no")


def test_what_has_no_value_is_counted_and_rows_keep_their_order(run: Run) -> None:
    first = run[0].model_copy(
        update={
            "estimates": tuple(
                one.model_copy(update={"value": None}) if one.name == f"rank {STEREOTYPES[0]}" else one
                for one in run[0].estimates
            )
        }
    )
    chart = heat(run_of(first, run[1]))
    assert isinstance(chart, Chart)
    assert chart.note == "1 value not estimable and so not drawn."
    assert next(iter(rows(chart)))["label"] == STEREOTYPES[0]
    gone = run[0].model_copy(
        update={"estimates": tuple(one.model_copy(update={"value": None}) for one in run[0].estimates)}
    )
    assert heat(run_of(gone)) == Undrawn("Ranks by system", "none of its estimates has a value")
