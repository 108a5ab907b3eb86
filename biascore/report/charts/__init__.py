"""The charts of a report as Vega-Lite specifications: the page and the files for papers draw the same ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from biascore.report.charts.across import boxes_plot, dots_plot, heat_plot
from biascore.report.charts.bars import bars_plot
from biascore.report.charts.base import ROWS, Chart, Plot, Undrawn, safe
from biascore.report.charts.forest import FEWEST, families_of, forest_charts, model_looks
from biascore.report.charts.histograms import histogram_plot
from biascore.report.charts.items import LABELLED_ITEMS, items_plot
from biascore.report.charts.joined import Picture, file_name, joined_entries, on_equal_axes
from biascore.report.charts.lines import lines_plot
from biascore.report.charts.planes import plane_plot
from biascore.report.charts.scatter import scatter_plot
from biascore.report.charts.slide import slide_charts
from biascore.report.items import plotted_items
from biascore.results.figures import Bars, Boxes, Dots, Heat, Histogram, Lines, Plane, Point
from biascore.results.measurement import Measurement
from biascore.results.run import Run

__all__ = [
    "FEWEST",
    "Chart",
    "Picture",
    "Undrawn",
    "charts_of",
    "forest_charts",
    "measurement_charts",
    "run_pictures",
    "slide_charts",
]


OF_MEASUREMENT: Final[dict[type, Callable[[Measurement, Any], Plot | str]]] = {
    Plane: plane_plot,
    Histogram: histogram_plot,
    Bars: bars_plot,
    Lines: lines_plot,
}
OF_RUN: Final = {Point: scatter_plot, Boxes: boxes_plot, Heat: heat_plot, Dots: dots_plot}
"""How each kind of figure is drawn; a text says why it cannot be."""


def charts_of(run: Run) -> tuple[Chart, ...]:
    """All charts of a run: forest plots, joined pictures and those of measurements in page order, then those for a slide."""
    joined = [picture.chart for picture in run_pictures(run, FEWEST)]
    of_measurements = [
        chart
        for number, measurement in enumerate(run, start=1)
        for chart in measurement_charts(measurement, number)
    ]
    drawn = (chart for chart in (*joined, *of_measurements) if isinstance(chart, Chart))
    return (*forest_charts(run, FEWEST), *drawn, *slide_charts(run))


def run_pictures(run: Run, least: int = 1) -> tuple[Picture, ...]:
    """What measurements declared to be drawn together, one picture for each metric and title.

    Figures of one title that cannot share axes are drawn apart; where none can be drawn, the picture says why. Those of
    fewer than ``least`` points are left out.
    """
    pictures: list[Picture] = []
    looks = model_looks(run)
    in_forests = {
        id(m): m.headline.name for family in families_of(run, FEWEST, folded=False) for m, _ in family
    }
    for family in joined_entries(run, in_forests):
        metric, title = family[0].measurement.metric, family[0].figure.title
        groups, note = on_equal_axes(family)
        if not groups:
            pictures.append(Picture(metric, Undrawn(title, note)))
        for place, entries in enumerate(groups):
            plot = OF_RUN[type(entries[0].figure)](entries, looks)
            if isinstance(plot, Plot) and len(plot.drawing.data[ROWS.name]) < least:
                continue
            if isinstance(plot, Plot) and not place:
                plot = plot._replace(notes=(note, *plot.notes))
            name = file_name(len(pictures) + 1, entries[0])
            pictures.append(Picture(metric, _chart(plot, name, title)))
    return tuple(pictures)


def measurement_charts(measurement: Measurement, number: int) -> tuple[Chart | Undrawn, ...]:
    """The figures of a measurement alone, those that cannot be drawn with the reason; then the item chart.

    Next to a plane, items too many for a name each are not drawn by value as well: the plane shows the same
    points in two dimensions rather than in one. Next to lines, items are not drawn by value either.
    """
    stem = f"{number:04d}-{{}}{safe(measurement.method)}-{safe(measurement.test)}"
    about = f"{measurement.test_title}."
    figures: list[Chart | Undrawn] = []
    drawn: set[type] = set()
    for index, figure in enumerate(measurement.figures, start=1):
        if type(figure) not in OF_MEASUREMENT:
            continue
        plot = OF_MEASUREMENT[type(figure)](measurement, figure)
        if isinstance(plot, Plot):
            drawn.add(type(figure))
            plot = plot._replace(about=plot.about or about)
        name = f"figure-{stem.format(f'{index}-')}-{safe(figure.title)}"
        figures.append(_chart(plot, name, figure.title))
    many = len(plotted_items(measurement)[0]) > LABELLED_ITEMS
    items = None if Lines in drawn or (Plane in drawn and many) else items_plot(measurement)
    if items is not None:
        figures.append(items._replace(about=about).chart(f"items-{stem.format('')}", "Items"))
    return tuple(figures)


def _chart(plot: Plot | str, name: str, title: str) -> Chart | Undrawn:
    return Undrawn(title, plot) if isinstance(plot, str) else plot.chart(name, title)
