"""A run as one self-contained HTML page, and its charts as SVG and PNG files for papers.

Importing this module needs no extra; calling it needs ``biascore[report]``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any, Final, Literal

from biascore.basics.suggest import did_you_mean
from biascore.basics.surface import either
from biascore.errors import MissingExtraError, RunError, UnknownNameError
from biascore.files.writing import check_file, write_file
from biascore.results.run_files import REPORT_MARK

if TYPE_CHECKING:
    import altair as alt

    from biascore.basics.progress import Progress
    from biascore.board import Board
    from biascore.comparing import Comparison
    from biascore.results.run import Run

__all__ = ["ChartFormat", "plot", "write_board", "write_charts", "write_comparison", "write_report"]

ChartFormat = Literal["svg", "pdf", "png"]
CHART_MARK: Final = b"biascore chart"
"""What every chart file holds, and so what tells it from other pictures."""
PDF: Final = ".pdf"
PDF_MARK: Final = b"biascore report"
"""A comment after the end of every PDF of a report."""
PAGES: Final = (".html", ".htm", PDF)
"""How the files of pages end."""
_OF_THE_WHOLE: Final = ("$schema", "config", "background", "autosize", "datasets")
"""What a chart of several charts states once."""
EXTRA_MODULES: Final = ("altair", "jinja2", "vl_convert")


def write_report(
    run: Run, path: str | Path, *, overwrite: bool = False, progress: Progress | None = None
) -> Path:
    """Write the run as one HTML file that loads nothing from anywhere, or as PDF (``.pdf``), and return its path.

    The file is written whole or not at all. Raises RunError where the file exists (unless ``overwrite``), cannot be
    written, ends as another form does, or is a PDF and no browser prints it; MissingExtraError without ``biascore[report]``.
    """
    check_installed()
    from biascore.report.page import render

    target = check_report(path, overwrite=overwrite)
    _write(target, path, render(run, progress))
    return Path(path)


def write_comparison(found: Comparison, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write a comparison as one HTML file that loads nothing from anywhere, and return its path.

    Raises what `write_report` does.
    """
    check_installed()
    from biascore.report.comparison import render_comparison

    target = check_report(path, overwrite=overwrite)
    _write(target, path, render_comparison(found))
    return Path(path)


def write_board(found: Board, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write a board as one HTML file that loads nothing from anywhere, and return its path.

    Raises what `write_report` does.
    """
    check_installed()
    from biascore.report.board import render_board

    target = check_report(path, overwrite=overwrite)
    _write(target, path, render_board(found))
    return Path(path)


def _write(target: Path, path: str | Path, page: str) -> None:
    from biascore.report.printing import printed

    if Path(path).suffix.lower() == PDF:
        write_file(target, b"%s\n%% %s\n" % (printed(page), PDF_MARK))
    else:
        write_file(target, page.encode("utf-8"))


def write_charts(
    run: Run,
    folder: str | Path,
    formats: Sequence[ChartFormat] = ("svg", "pdf", "png"),
    *,
    width: float | None = None,
    overwrite: bool = False,
) -> tuple[Path, ...]:
    """Write the page's charts as files into a folder, which is made, and return their paths in page order.

    ``width``: of each picture in millimetres, such as 85 or 175, the columns of journals; up to 100 it is drawn
    narrower, so that its words are as large as in a wide one. All charts are drawn before the first file is written.
    Raises RunError for an unknown format or width, and where one of the files exists (unless ``overwrite``) or cannot
    be written; MissingExtraError without ``biascore[report]``.
    """
    check_installed()
    from biascore.report.charts import charts_of
    from biascore.report.vega import draw

    names = [(f"{chart.name}.{format_}", chart, format_) for chart in charts_of(run) for format_ in formats]
    targets = [check_file(Path(folder) / name, overwrite=overwrite, mark=CHART_MARK) for name, _, _ in names]
    drawings = [draw(chart.spec, format_, width, chart.pixels) for _, chart, format_ in names]
    for target, drawing in zip(targets, drawings, strict=True):
        write_file(target, drawing)
    return tuple(Path(folder) / name for name, _, _ in names)


def plot(run: Run, metric: str = "", *, slide: bool = False) -> alt.TopLevelMixin:
    """The forest plots of a run, or its pictures for a slide, one above the other; as ``Run.plot`` says."""
    check_installed()
    import altair as alt

    from biascore.report.charts import forest_charts, slide_charts

    metrics = tuple(dict.fromkeys(measurement.metric for measurement in run))
    if metric and metric not in metrics:
        raise UnknownNameError(
            f"the run holds no measurement of {metric!r}. {did_you_mean(metric, metrics)}It holds: {', '.join(metrics)}"
        )
    mine = [one for one in run if one.metric == metric] if metric else list(run)
    part = run.model_copy(update={"measurements": tuple(mine)})
    specs = [dict(chart.spec) for chart in (slide_charts if slide else forest_charts)(part)]
    if slide and not specs:
        raise RunError(
            "no picture for a slide: the run has fewer than 3 findings of one metric on a model. "
            "Call run.plot() without slide=True"
        )
    if len(specs) == 1:
        return alt.Chart.from_dict(specs[0])
    shared = {name: specs[0][name] for name in ("$schema", "config", "background") if specs}
    datasets = {
        f"{n}-{name}": rows for n, spec in enumerate(specs) for name, rows in spec["datasets"].items()
    }
    parts = [
        {name: _of_set(part, n) for name, part in spec.items() if name not in _OF_THE_WHOLE}
        for n, spec in enumerate(specs)
    ]
    apart = {"scale": {"yOffset": "independent"}}
    return alt.VConcatChart.from_dict({**shared, "datasets": datasets, "vconcat": parts, "resolve": apart})


def _of_set(part: Any, number: int) -> Any:
    """A part of a specification whose data sets are named with the number of their chart."""
    if isinstance(part, list):
        return [_of_set(one, number) for one in part]
    if not isinstance(part, dict):
        return part
    renamed = {name: _of_set(one, number) for name, one in part.items()}
    data = renamed.get("data")
    if isinstance(data, dict) and "name" in data:
        renamed["data"] = {**data, "name": f"{number}-{data['name']}"}
    return renamed


def check_report(path: str | Path, *, overwrite: bool) -> Path:
    """Where a report can be written: ``path``, or what it links to; raises RunError where it cannot."""
    suffix = Path(path).suffix.lower()
    if suffix and suffix not in PAGES:
        raise RunError(
            f"{path}: a page ends in {', '.join(PAGES)}, not in {suffix}. Change the ending; for another form of a run: "
            + either("biascore report RUN --format FORM --out FILE", "run.report(FILE, form=FORM)")
        )
    if suffix == PDF:
        from biascore.report.printing import find_browser

        find_browser()
    return check_file(Path(path), overwrite=overwrite, mark=PDF_MARK if suffix == PDF else REPORT_MARK)


def check_installed() -> None:
    """Raise MissingExtraError where the libraries that reports need are not installed."""
    with _start_page():
        for name in EXTRA_MODULES:
            try:
                import_module(name)
            except ModuleNotFoundError as error:
                raise MissingExtraError("a report or a chart", "report") from error


@contextmanager
def _start_page() -> Iterator[None]:
    """A user without a home has one while altair is imported, which asks where a cache of data sets would lie."""
    try:
        Path.home()
    except RuntimeError:
        os.environ["HOME"] = gettempdir()
        try:
            yield
        finally:
            del os.environ["HOME"]
    else:
        yield
