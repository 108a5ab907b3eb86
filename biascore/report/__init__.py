"""A run as one self-contained HTML page, and its charts as SVG and PNG files for papers.

Importing this module needs no extra; calling it needs ``biascore[report]``.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from biascore.errors import MissingExtraError
from biascore.files.placing import check_file, write_file
from biascore.results.run_files import REPORT_MARK

if TYPE_CHECKING:
    from biascore.comparing import Comparison
    from biascore.results.run import Run

__all__ = ["ChartFormat", "write_charts", "write_comparison", "write_report"]

ChartFormat = Literal["svg", "png"]
CHART_MARK: Final = b"biascore chart"
"""What every chart file holds, and so what tells it from other pictures."""
EXTRA_MODULES: Final = ("altair", "jinja2", "vl_convert")


def write_report(run: Run, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write the run as one HTML file that loads nothing from anywhere, and return its path.

    The file is written whole or not at all. Raises RunError where the file exists (unless ``overwrite``) or
    cannot be written, and MissingExtraError without ``biascore[report]``.
    """
    check_installed()
    from biascore.report.page import render

    target = check_report(path, overwrite=overwrite)
    write_file(target, render(run).encode("utf-8"))
    return Path(path)


def write_comparison(found: Comparison, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write a comparison as one HTML file that loads nothing from anywhere, and return its path.

    Raises what `write_report` does.
    """
    check_installed()
    from biascore.report.comparison import render_comparison

    target = check_report(path, overwrite=overwrite)
    write_file(target, render_comparison(found).encode("utf-8"))
    return Path(path)


def write_charts(
    run: Run,
    folder: str | Path,
    formats: Sequence[ChartFormat] = ("svg", "png"),
    *,
    overwrite: bool = False,
) -> tuple[Path, ...]:
    """Write the page's charts as files into a folder, which is made, and return their paths in page order.

    All charts are drawn before the first file is written. Raises RunError for an unknown format and where one
    of the files exists (unless ``overwrite``) or cannot be written; MissingExtraError without
    ``biascore[report]``.
    """
    check_installed()
    from biascore.report.charts import charts_of
    from biascore.report.vega import draw

    names = [(f"{chart.name}.{format_}", chart, format_) for chart in charts_of(run) for format_ in formats]
    targets = [check_file(Path(folder) / name, overwrite=overwrite, mark=CHART_MARK) for name, _, _ in names]
    drawings = [draw(chart.spec, format_) for _, chart, format_ in names]
    for target, drawing in zip(targets, drawings, strict=True):
        write_file(target, drawing)
    return tuple(Path(folder) / name for name, _, _ in names)


def check_report(path: str | Path, *, overwrite: bool) -> Path:
    """Where a report can be written: ``path``, or what it links to; raises RunError where it cannot."""
    return check_file(Path(path), overwrite=overwrite, mark=REPORT_MARK)


def check_installed() -> None:
    """Raise MissingExtraError where the libraries that reports need are not installed."""
    for name in EXTRA_MODULES:
        try:
            import_module(name)
        except ModuleNotFoundError as error:
            raise MissingExtraError("reports", "report") from error
