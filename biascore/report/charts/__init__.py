"""The charts of a report as Vega-Lite specifications: the page and the files for papers draw the same ones."""

from __future__ import annotations

from biascore.measurement import Measurement, Plane
from biascore.report.charts.bars import bars_chart
from biascore.report.charts.base import Chart, Undrawn, safe
from biascore.report.charts.forest import forest_charts
from biascore.report.charts.items import LABELLED_ITEMS, item_chart
from biascore.report.charts.planes import plane_chart
from biascore.report.charts.rulers import Comparison, comparisons
from biascore.report.items import plotted_items
from biascore.run import Run

__all__ = [
    "Chart",
    "Comparison",
    "Undrawn",
    "charts_of",
    "comparisons",
    "forest_charts",
    "measurement_charts",
]


def charts_of(run: Run) -> tuple[Chart, ...]:
    """All charts of a run in page order: forest plots, comparisons of methods, then those of each measurement."""
    compared = [comparison.chart for comparison in comparisons(run)]
    of_measurements = [
        chart
        for number, measurement in enumerate(run, start=1)
        for chart in measurement_charts(measurement, number)
    ]
    drawn = (chart for chart in (*compared, *of_measurements) if isinstance(chart, Chart))
    return (*forest_charts(run), *drawn)


def measurement_charts(measurement: Measurement, number: int) -> tuple[Chart | Undrawn, ...]:
    """The figures that the metric asked for, those that cannot be drawn with the reason; then the item chart.

    Beside a plane, items too many for a name each are not drawn by value as well: the plane shows the same
    points in two dimensions rather than in one.
    """
    stem = f"{safe(measurement.method)}-{safe(measurement.test)}"
    figures: list[Chart | Undrawn] = []
    on_plane = False
    for index, figure in enumerate(measurement.figures, start=1):
        name = f"figure-{number:04d}-{index}-{stem}"
        if isinstance(figure, Plane):
            figures.append(plane_chart(measurement, figure, name))
            on_plane = on_plane or isinstance(figures[-1], Chart)
        else:
            figures.append(bars_chart(measurement, figure, name))
    if on_plane and len(plotted_items(measurement)[0]) > LABELLED_ITEMS:
        return tuple(figures)
    items = item_chart(measurement, number)
    return tuple(figures) if items is None else (*figures, items)
