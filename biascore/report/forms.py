"""A run written into a file, in the form that its ending or its name says: a page, or a form of ``exporting``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from biascore.basics.several import several
from biascore.basics.surface import either
from biascore.errors import OptionsError
from biascore.exporter import NO_FACTS
from biascore.exporting.forms import endings_of, exported, exporter, form_of, write_exported
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
    own = [f".{form}"] if form in PAGE_FORMS else endings_of(exporter(form, plugins))
    if ending is not None and ending != form and path.suffix.lower() not in own:
        asked = either(f"--format asks for {form}", f"form={form!r} is asked for")
        raise OptionsError(
            f"{either('--out ', '')}{path} is a file of {ending}, and {asked}. Name a file that ends in {' or '.join(own)}"
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
    facts: Mapping[str, str] = NO_FACTS,
) -> Path:
    """Write a run and return the path: a page (.html, .pdf), or another form, by its ending or by name.

    ``columns`` and ``estimates`` are those of a table, ``facts`` what a form such as ll144 asks for. Of a form with one file
    for each model, several models make the path a folder. Raises as ``write_report`` does, and OptionsError for a form that
    there is not.
    """
    chosen = chosen_form(Path(path), form)
    if chosen in PAGE_FORMS:
        for name, given in (("columns", columns), ("estimates", estimates)):
            if given:
                raise OptionsError(f"{name} are for tables. Add form='csv', 'md' or 'latex'")
        if facts:
            raise OptionsError("facts are for forms that ask for them. Add form='ll144'")
        return write_report(run, path, overwrite=overwrite)
    written(run, chosen, path, overwrite=overwrite, columns=columns, estimates=estimates, facts=facts)
    return Path(path)


def written(
    run: Run,
    form: str,
    path: str | Path,
    *,
    overwrite: bool = False,
    columns: str | Sequence[str] = (),
    estimates: str | Sequence[str] = (),
    facts: Mapping[str, str] = NO_FACTS,
) -> tuple[Path, ...]:
    """Write a run in a form that is no page, and return which files these are."""
    plugins = Plugins()
    kind, given = exporter(form, plugins), Path(path).suffix.lower()
    ending = given if given in endings_of(kind) else kind.suffix
    found = exported(run, form, plugins, several(columns), several(estimates), facts, ending)
    return write_exported(found, user_path(path), ending, overwrite=overwrite)
