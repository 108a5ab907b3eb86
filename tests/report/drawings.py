"""Charts as they are drawn: the elements of an SVG file with their places."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree import ElementTree

from biascore.results.run import Run

LINE_COLOUR = "#8a8a8a"


@dataclass(frozen=True)
class Mark:
    """An element of a drawing, where it lies, counted from the upper left corner of the drawing."""

    tag: str
    x: float
    y: float
    text: str
    attributes: dict[str, str]

    @property
    def label(self) -> str:
        return self.attributes.get("aria-label", "")


def marks_of(svg: bytes) -> list[Mark]:
    found: list[Mark] = []

    def walk(element: ElementTree.Element, x: float, y: float) -> None:
        moved = re.match(r"translate\(([-\d.e]+),\s*([-\d.e]+)\)", element.get("transform", ""))
        if moved:
            x, y = x + float(moved[1]), y + float(moved[2])
        tag = element.tag.rpartition("}")[2]
        found.append(Mark(tag, x, y, "".join(element.itertext()), dict(element.attrib)))
        for child in element:
            walk(child, x, y)

    walk(ElementTree.fromstring(svg), 0.0, 0.0)
    return found


def drawing(run: Run, start: str) -> list[Mark]:
    """The only chart of the run whose file name so starts, drawn alone: each takes a while."""
    from biascore.report.charts import Chart, charts_of, forest_charts, run_pictures
    from biascore.report.vega import draw

    made = [one.chart for one in run_pictures(run)] if start.startswith("run-") else charts_of(run)
    made = forest_charts(run) if start.startswith("forest") else made
    wanted = [chart for chart in made if isinstance(chart, Chart) and chart.name.startswith(start)]
    assert len(wanted) == 1, wanted
    return marks_of(draw(wanted[0].spec, "svg"))


def points(marks: list[Mark]) -> dict[str, Mark]:
    """The points by item: a point has the item in its label for screen readers."""
    return {m[1]: mark for mark in marks if (m := re.search(r"Item: (.*?);", mark.label))}


def texts(marks: list[Mark], wanted: set[str]) -> dict[str, Mark]:
    return {mark.text: mark for mark in marks if mark.tag == "text" and mark.text in wanted}


def lines(marks: list[Mark]) -> list[Mark]:
    return [m for m in marks if m.tag == "line" and m.attributes.get("stroke") == LINE_COLOUR]


def shape_of(mark: Mark) -> str:
    return re.sub(r"[-\d.e,]+", "", mark.attributes["d"])
