"""The files of a calibration: its numbers, and its picture where charts can be drawn."""

from __future__ import annotations

from pathlib import Path

from biascore.calibration.calibration import KIND, Calibration
from biascore.errors import MissingExtraError, RunError
from biascore.files.writing import check_file, write_file
from biascore.report import CHART_MARK, check_installed


def file_name(metric: str, test: str) -> str:
    """The name of the files of a calibration, without suffix: ``weat-en-weat6``."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "-" for c in f"{metric}-{test}")


def earlier(path: Path, *, force: bool) -> Calibration | None:
    """The calibration that a file holds, which is resumed; None where there is none, or with ``force``.

    Raises RunError where something else stands there, or cannot be written.
    """
    check_file(path, overwrite=True, mark=KIND.encode())
    return Calibration.load(path) if path.exists() and not force else None


def keep(found: Calibration, path: Path) -> None:
    """Write the numbers, over an earlier calibration; raises RunError."""
    target = check_file(path, overwrite=True, mark=KIND.encode())
    write_file(target, found.write())


def draw_into(found: Calibration, path: Path) -> str:
    """Write the picture as SVG, and return an empty text; or why there is none."""
    try:
        check_installed()
    except MissingExtraError as error:
        return f"no picture: {error}"
    from biascore.calibration.picture import picture
    from biascore.report.vega import draw

    try:
        target = check_file(path, overwrite=True, mark=CHART_MARK)
    except RunError as error:
        return f"no picture: {error}"
    write_file(target, draw(picture(found), "svg"))
    return ""
