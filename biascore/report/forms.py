"""A run written into a file, in the form that its ending or its name says: a page, or a form of ``exporting``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from biascore.basics.several import several
from biascore.basics.surface import either
from biascore.errors import OptionsError
from biascore.exporting.forms import exported, exporter, form_of, write_exported
from biascore.files.paths import user_path
from biascore.plugins.loading import Plugins
from biascore.report import PDF, write_report
from biascore.results.run import Run

HTML: Final = "html"
PAGE_FORMS: Final = (HTML, PDF.removeprefix("."))
"""The forms that are pages."""


def chosen_form(path: Path | None, form: str = "") -> str:
    """The form that is asked for, by name or by the ending of its file; raises OptionsError where these differ."""
    if path is None or not path.suffix:
        return form or HTML
    plugins = Plugins()
    ending = {".html": HTML, ".htm": HTML, PDF: "pdf"}.get(path.suffix.lower()) or form_of(path, plugins)
    if not form:
        return ending or HTML  # which check_report refuses under any other ending
    own = f".{form}" if form in PAGE_FORMS else exporter(form, plugins).suffix
    if ending is not None and ending != form and own != path.suffix.lower():
        asked = either(f"--format asks for {form}", f"form={form!r} is asked for")
        raise OptionsError(
            f"{either('--out ', '')}{path} is a file of {ending}, and {asked}. Name a file that ends in {own}"
        )
    return form


def report(
    run: Run,
    path: str | Path,
    form: str = "",
    *,
    overwrite: bool = False,
    columns: str | Sequence[str] = (),
    estimates: str | Sequence[str] = (),
) -> Path:
    """Write a run and return the path: a page (.html, .pdf), or another form, by its ending or by name.

    ``columns`` and ``estimates`` are those of a table. Of a form with one file for each model, several models make
    the path a folder. Raises as ``write_report`` does, and OptionsError for a form that there is not.
    """
    chosen = chosen_form(Path(path), form)
    if chosen in PAGE_FORMS:
        for name, given in (("columns", columns), ("estimates", estimates)):
            if given:
                raise OptionsError(f"{name} are for tables. Add form='csv', 'md' or 'latex'")
        return write_report(run, path, overwrite=overwrite)
    written(run, chosen, path, overwrite=overwrite, columns=columns, estimates=estimates)
    return Path(path)


def written(
    run: Run,
    form: str,
    path: str | Path,
    *,
    overwrite: bool = False,
    columns: str | Sequence[str] = (),
    estimates: str | Sequence[str] = (),
) -> tuple[Path, ...]:
    """Write a run in a form that is no page, and return which files these are."""
    plugins = Plugins()
    found = exported(run, form, plugins, several(columns), several(estimates))
    return write_exported(found, user_path(path), exporter(form, plugins).suffix, overwrite=overwrite)
