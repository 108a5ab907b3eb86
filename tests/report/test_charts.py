"""Charts as files: what stands in which, legends and rows, and that no text of the user is computed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from biascore.errors import RunError
from biascore.report import write_charts

from ..builders.runs import measurement, model_used, random_items, run_of, table
from .drawings import marks_of, points, texts
from .pages import leaves, page_of
from .pictured import plane_measurement

alt = pytest.importorskip("altair")
vl_convert = pytest.importorskip("vl_convert")
charts_of = pytest.importorskip("biascore.report.charts").charts_of
draw = pytest.importorskip("biascore.report.vega").draw
vega_lite_version = pytest.importorskip("biascore.report.vega").vega_lite_version


def test_each_unit_has_a_forest_plot_of_three_points_at_least(tmp_path: Path) -> None:
    run = run_of(
        measurement(),
        measurement(value=0.3, variant="token level"),
        *(measurement(test=f"t{i}", name="stereotype rate", unit="share") for i in range(3)),
        measurement(model="other"),
        *(measurement(test=f"t{i}", name="chart of two", unit="nats") for i in range(2)),
    )
    names = [p.name for p in write_charts(run, tmp_path, ("svg",)) if p.name.startswith("forest")]
    assert names == [
        "forest-01-weat-effect-size-d.svg",
        "forest-02-weat-stereotype-rate.svg",
    ]


def test_charts_are_svg_and_png_of_the_specifications_on_the_page(tmp_path: Path) -> None:
    run = run_of(measurement(), measurement(items=random_items(np.random.default_rng(2), 300)))
    paths = write_charts(run, tmp_path / "new" / "folder", ("svg", "png"))
    page = page_of(run, tmp_path)
    names = [d.attributes["data-name"] for d in page.all("div", "chart")]
    assert [p.stem for p in paths] == [name for name in names for _ in range(2)]
    for path in paths:
        content = path.read_bytes()
        if path.suffix == ".png":
            assert content.startswith(b"\x89PNG\r\n\x1a\n")
            width = int.from_bytes(content[16:20], "big")
            assert width == 3 * 720
        else:
            root = ElementTree.fromstring(content)
            assert root.tag == "{http://www.w3.org/2000/svg}svg"
            assert float(root.attrib["width"]) == 720
    marks = ElementTree.parse(paths[0]).iter("{http://www.w3.org/2000/svg}path")
    assert sum("Item: word" in mark.get("aria-label", "") for mark in marks) == 16


@pytest.mark.parametrize("count", [12, pytest.param(120, marks=pytest.mark.slow)])
def test_no_text_of_the_user_enters_an_expression(count: int) -> None:
    """Vega-Lite writes titles of axes and domains of colours into expressions: these must be fixed texts."""
    mark = "ZZ-user-text-ZZ"
    ends: dict[str, list[Any]] = {"ci_low": [0.0] * count, "ci_high": [9.0] * count}
    items = table([(f"{mark}{i}", f"{mark}{i % 2}", i / 10) for i in range(count)], ends)
    texts: dict[str, Any] = dict.fromkeys(("test", "title", "metric", "variant", "name", "unit"), mark)
    texts["items"] = items
    run = run_of(
        measurement(model=f"{mark}1", **texts),
        measurement(model=f"{mark}2", **texts),
        *(measurement(model=f"{mark}1", **texts | {"test": f"{mark}{i}"}) for i in range(2)),
    )
    charts = charts_of(run)
    assert len(charts) == 6  # a forest, the items of each, and a slide
    for chart in charts:
        alt.LayerChart.from_dict(chart.spec)  # raises where the specification breaks the Vega-Lite schema
        compiled = vl_convert.vegalite_to_vega(chart.spec, vl_version=vega_lite_version())
        places = {key for key, text in leaves(compiled) if mark in text}
        data = {
            f"data.values.{name}" for name in ("label", "test", "model", "method", "series", "item", "group")
        }
        titles = {"title.text", "title.subtitle"}
        assert {"description"} < places <= {"description", *titles, *data}, chart.name


def test_models_with_equal_tests_share_a_row_and_repeats_get_their_own(tmp_path: Path) -> None:
    run = run_of(measurement(), measurement(), measurement(model="other"), models=(model_used(),))
    svg = next(p for p in write_charts(run, tmp_path, ("svg",)) if p.name.startswith("forest"))
    marks = list(ElementTree.parse(svg).iter("{http://www.w3.org/2000/svg}g"))
    assert sum("role-legend-symbol" in g.get("class", "") for g in marks) == 2  # one legend, of two models
    labels = ["".join(e.itertext()) for e in ElementTree.parse(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert sum(label.startswith("WEAT 6: male and female") for label in labels) == 2


@pytest.mark.parametrize("length", [20, 38, 80])
def test_names_that_differ_in_their_ends_are_told_apart_in_a_legend(tmp_path: Path, length: int) -> None:
    names = ["e" * length, "e" * length + " after"]
    run = run_of(*(measurement(model=name) for name in [*names, "c"]), models=(model_used(),))
    svg = next(p for p in write_charts(run, tmp_path, ("svg",)) if p.name.startswith("forest"))
    labels = ["".join(e.itertext()) for e in ElementTree.parse(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert [label for label in labels if label.startswith("eee")] == names


def test_charts_are_as_wide_as_the_column_of_a_journal(tmp_path: Path) -> None:
    for width, drawn in ((85, 432), (175, 720)):
        run = run_of(*(measurement(test=f"t{i}", items=table([])) for i in range(3)))
        paths = write_charts(run, tmp_path / str(width), width=width)
        by = {path.suffix: path.read_bytes() for path in paths if path.name.startswith("forest")}
        root = ElementTree.fromstring(by[".svg"])
        points = width / 25.4 * 72
        assert float(root.attrib["width"].removesuffix("pt")) == pytest.approx(points, abs=0.01)
        assert root.attrib["viewBox"].split()[2] == str(drawn)
        texts = root.iter("{http://www.w3.org/2000/svg}text")
        (below_table,) = (e for e in texts if (e.text or "").startswith("effect size d ("))
        # Of one column the labels take half: what stands in the middle of the rest would be cut at the right.
        assert below_table.attrib["text-anchor"] == ("end" if width == 85 else "middle")
        assert int.from_bytes(by[".png"][16:20], "big") == pytest.approx(points / 72 * 300, abs=2)
        (box,) = re.findall(rb"MediaBox ?\[([^\]]*)\]", by[".pdf"])
        assert float(box.split()[2]) == pytest.approx(points, abs=1)
    with pytest.raises(RunError, match="cannot be 5 mm wide"):
        write_charts(run_of(measurement()), tmp_path / "new", width=5)


def test_a_plane_in_a_column_of_a_journal_keeps_its_scales_and_the_names_inside() -> None:
    run = run_of(plane_measurement(600, 3))
    chart = next(chart for chart in charts_of(run) if chart.name.startswith("figure-0001-1-"))
    marks = marks_of(draw(chart.spec, "svg", 85))
    at, places = points(marks), {row["item"]: row for row in chart.spec["datasets"]["rows"]}
    one, other = (
        choose(places, key=lambda item: places[item]["x"] + places[item]["y"]) for choose in (min, max)
    )
    across, up = (
        (getattr(at[other], axis) - getattr(at[one], axis)) / (places[other][axis] - places[one][axis])
        for axis in ("x", "y")
    )
    assert across == pytest.approx(-up, rel=0.02)
    named = texts([m for m in marks if m.attributes.get("font-size") == "11px"], set(places))
    assert len(named) >= 6
    for text, mark in named.items():
        left = {"start": 0.0, "middle": 0.5, "end": 1.0}[mark.attributes.get("text-anchor", "start")]
        assert 0 <= mark.x - left * 5.5 * len(text) <= 432 - 5.5 * len(text)
