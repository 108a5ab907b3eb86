"""The charts of a report as Vega-Lite specifications: the page and the files for papers draw the same ones."""

from __future__ import annotations

from collections.abc import Mapping

from biascore.report.charts.bars import bars_chart
from biascore.report.charts.base import Chart, Look, Undrawn, safe
from biascore.report.charts.boxes import boxes_chart, dots_chart
from biascore.report.charts.forest import forest_charts, model_looks
from biascore.report.charts.heat import heat_chart
from biascore.report.charts.histograms import histogram_chart
from biascore.report.charts.items import LABELLED_ITEMS, item_chart
from biascore.report.charts.joined import Entry, Picture, file_name, joined_entries, on_equal_axes
from biascore.report.charts.lines import lines_chart
from biascore.report.charts.orders import order_chart
from biascore.report.charts.planes import plane_chart
from biascore.report.charts.rulers import Comparison, comparisons
from biascore.report.charts.scatter import scatter_chart
from biascore.report.items import plotted_items
from biascore.results.figures import Bars, Dots, Heat, Histogram, Lines, Plane, Point
from biascore.results.measurement import Measurement
from biascore.results.run import Run

__all__ = [
    "Chart",
    "Comparison",
    "Picture",
    "Undrawn",
    "charts_of",
    "comparisons",
    "forest_charts",
    "measurement_charts",
    "run_pictures",
]


def charts_of(run: Run) -> tuple[Chart, ...]:
    """All charts of a run in page order: forest plots, comparisons of methods, joined pictures, then by measurement."""
    compared = [comparison.chart for comparison in comparisons(run)]
    order = order_chart(run)
    joined = [picture.chart for picture in run_pictures(run)]
    of_measurements = [
        chart
        for number, measurement in enumerate(run, start=1)
        for chart in measurement_charts(measurement, number)
    ]
    drawn = (chart for chart in (*compared, order, *joined, *of_measurements) if isinstance(chart, Chart))
    return (*forest_charts(run), *drawn)


def run_pictures(run: Run) -> tuple[Picture, ...]:
    """What measurements declared to be drawn together, one picture for each metric and title.

    Figures of one title that cannot share axes are drawn apart; where none can be drawn, the picture says why.
    """
    pictures: list[Picture] = []
    looks = model_looks(run)
    for family in joined_entries(run):
        metric, title = family[0].measurement.metric, family[0].figure.title
        groups, note = on_equal_axes(family)
        if not groups:
            pictures.append(Picture(metric, Undrawn(title, note)))
        for number, entries in enumerate(groups):
            name = file_name(len(pictures) + 1, entries[0])
            pictures.append(Picture(metric, _joined(entries, name, "" if number else note, looks)))
    return tuple(pictures)


def _joined(entries: list[Entry], name: str, note: str, looks: Mapping[str, Look]) -> Chart | Undrawn:
    if isinstance(entries[0].figure, Point):
        return scatter_chart(entries, name, note, looks)
    if isinstance(entries[0].figure, Dots):
        return dots_chart(entries, name, note)
    if isinstance(entries[0].figure, Heat):
        return heat_chart(entries, name, note)
    return boxes_chart(entries, name, note, looks)


def measurement_charts(measurement: Measurement, number: int) -> tuple[Chart | Undrawn, ...]:
    """The figures of a measurement alone, those that cannot be drawn with the reason; then the item chart.

    Beside a plane, items too many for a name each are not drawn by value as well: the plane shows the same
    points in two dimensions rather than in one. Beside lines, items are not drawn by value either.
    """
    stem = f"{safe(measurement.method)}-{safe(measurement.test)}"
    figures: list[Chart | Undrawn] = []
    on_plane = in_lines = False
    for index, figure in enumerate(measurement.figures, start=1):
        name = f"figure-{number:04d}-{index}-{stem}"
        if isinstance(figure, Plane):
            figures.append(plane_chart(measurement, figure, name))
            on_plane = on_plane or isinstance(figures[-1], Chart)
        elif isinstance(figure, Histogram):
            figures.append(histogram_chart(measurement, figure, name))
        elif isinstance(figure, Bars):
            figures.append(bars_chart(measurement, figure, name))
        elif isinstance(figure, Lines):
            figures.append(lines_chart(measurement, figure, name))
            in_lines = in_lines or isinstance(figures[-1], Chart)
    if in_lines:
        return tuple(figures)
    if on_plane and len(plotted_items(measurement)[0]) > LABELLED_ITEMS:
        return tuple(figures)
    items = item_chart(measurement, number)
    return tuple(figures) if items is None else (*figures, items)
