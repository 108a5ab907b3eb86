"""A run as one self-contained HTML page, and its charts as SVG and PNG files for papers.

Importing this module needs no extra; calling it needs ``biascore[report]``.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from biascore.errors import MissingExtraError

if TYPE_CHECKING:
    from biascore.run import Run

__all__ = ["ChartFormat", "write_charts", "write_report"]

ChartFormat = Literal["svg", "png"]
EXTRA_MODULES: Final = ("altair", "jinja2", "vl_convert")


def write_report(run: Run, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write the run as one HTML file that loads nothing from anywhere, and return its path.

    The file is written whole or not at all. Raises RunError where the file exists (unless ``overwrite``) or
    cannot be written, and MissingExtraError without ``biascore[report]``.
    """
    check_installed()
    from biascore.files import refuse_existing, write_atomically
    from biascore.report.page import render

    target = Path(path)
    refuse_existing([target], overwrite=overwrite)
    write_atomically(target, render(run).encode("utf-8"))
    return target


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
    from biascore.files import refuse_existing, write_atomically
    from biascore.report.charts import charts_of
    from biascore.report.vega import draw

    names = [(f"{chart.name}.{format_}", chart, format_) for chart in charts_of(run) for format_ in formats]
    targets = [Path(folder) / name for name, _, _ in names]
    refuse_existing(targets, overwrite=overwrite)
    drawings = [draw(chart.spec, format_) for _, chart, format_ in names]
    for target, drawing in zip(targets, drawings, strict=True):
        write_atomically(target, drawing)
    return tuple(targets)


def check_installed() -> None:
    """Raise MissingExtraError where the libraries that reports need are not installed."""
    for name in EXTRA_MODULES:
        try:
            import_module(name)
        except ModuleNotFoundError as error:
            raise MissingExtraError("reports", "report") from error
