"""The forms that a run can be written in, by name: those of biascore, and those that plugins register."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from biascore.basics.guard import guarded
from biascore.basics.suggest import did_you_mean
from biascore.basics.surface import either
from biascore.basics.visible import visible
from biascore.basics.wording import listed
from biascore.errors import At, OptionsError, RunError
from biascore.exporter import NO_FACTS, Exported, Exporter
from biascore.exporting.cyclonedx import CycloneDx
from biascore.exporting.every_eval_ever import EveryEvalEver
from biascore.exporting.junit import Junit
from biascore.exporting.latex import Latex
from biascore.exporting.model_card import ModelCard
from biascore.exporting.tables import Csv, Json, Markdown
from biascore.files.paths import user_path
from biascore.files.writing import check_file, write_file

if TYPE_CHECKING:
    from biascore.plugins.loading import Plugins
    from biascore.results.run import Run

EXPORTERS: Final[Mapping[str, type[Exporter]]] = {
    kind.id: kind for kind in (Markdown, Csv, Json, Latex, ModelCard, EveryEvalEver, Junit, CycloneDx)
}

BEGINS: Final = 32
"""Bytes by which a text that was written before is known again."""


def known_formats(plugins: Plugins) -> tuple[str, ...]:
    """The names that can be asked for."""
    return (*EXPORTERS, *(name for name in plugins.exporters.names if name not in EXPORTERS))


def exported(
    run: Run,
    name: str,
    plugins: Plugins,
    columns: Sequence[str] = (),
    estimates: Sequence[str] = (),
    facts: Mapping[str, str] = NO_FACTS,
    ending: str = "",
) -> tuple[Exported, ...]:
    """The texts of a run in the form of this name, with these columns and further estimates where it is a table.

    ``facts`` are what the user states for it, by name, ``ending`` that of the file it is for; by default its suffix.
    Raises OptionsError for a form, column or fact that there is not, and where the run has nothing for it;
    PluginFailedError for what goes wrong in a plugin.
    """
    kind = exporter(name, plugins)
    chosen = _chosen(kind, columns)
    globs = _globs(kind, estimates, run)
    stated = _stated(kind, facts)
    if name in EXPORTERS:
        found = kind(chosen, globs).export(run)
    else:
        at = At(plugins.exporters.owner(name).owner, "result", f"writing the run as {name}")
        given = [chosen, globs] if globs else [chosen] if chosen else []

        def texts() -> tuple[Exported, ...]:
            made = _made(kind, given, stated, ending).export(run)
            return tuple(Exported(visible(text), of) for text, of in made)

        found = guarded(at, texts)
    if not found:
        raise OptionsError(
            f"{run.title} has nothing to write as {name}: it measures only models with a known bias. "
            f"Write a table instead: {_table('md')}"
        )
    return found


def _chosen(kind: type[Exporter], columns: Sequence[str]) -> tuple[str, ...]:
    """The columns that were asked for, which may be "all"; raises OptionsError for one that there is not."""
    if columns and not kind.columns:
        raise OptionsError(
            f"{either('--columns', 'columns')} is for tables, and {kind.id} is none. Leave it out, or choose {_table('csv')}"
        )
    if list(columns) == ["all"]:
        return kind.columns
    for name in columns:
        if name not in kind.columns:
            raise OptionsError(
                f"{kind.id} has no column {name!r}. {did_you_mean(name, kind.columns)}Choose from: all, "
                f"{', '.join(kind.columns)}"
            )
    return tuple(columns)


def _stated(kind: type[Exporter], facts: Mapping[str, str]) -> Mapping[str, str]:
    """The facts that were stated; raises OptionsError for one that the form has not."""
    for name in facts:
        if name not in kind.facts:
            there = f"It takes: {', '.join(kind.facts)}" if kind.facts else "It takes none: leave it out"
            raise OptionsError(f"{kind.id} has no fact {name!r}. {did_you_mean(name, kind.facts)}{there}")
    return {name: str(text) for name, text in facts.items()}


def _made(kind: type[Exporter], given: Sequence[Any], stated: Mapping[str, str], ending: str) -> Exporter:
    """An exporter; facts and ending are set here, as the exporters of older plugins take nothing else."""
    one = kind(*given)
    one.stated, one.ending = stated, ending or kind.suffix
    return one


def _globs(kind: type[Exporter], estimates: Sequence[str], run: Run) -> tuple[str, ...]:
    """Globs of estimates, of which "all" is each; raises OptionsError for one that no estimate of the run matches."""
    if estimates and not kind.columns:
        raise OptionsError(
            f"{either('--estimates', 'estimates')} is for tables, and {kind.id} is none. Leave it out, or choose "
            f"{_table('csv')}"
        )
    globs = tuple("*" if one == "all" else one for one in estimates)
    names = list(dict.fromkeys(one.name for measurement in run for one in measurement.estimates))
    for glob in globs:
        if not any(fnmatchcase(name, glob) for name in names):
            raise OptionsError(
                f"no estimate is called {glob!r}. {did_you_mean(glob, names)}There are: {listed(names)}"
            )
    return globs


def _table(name: str) -> str:
    return either(f"--format {name}", f"form={name!r}")


def exporter(name: str, plugins: Plugins) -> type[Exporter]:
    """The exporter of this name; raises OptionsError with a did-you-mean."""
    known = known_formats(plugins)
    if name not in known:
        raise OptionsError(
            f"there is no format {name!r}. {did_you_mean(name, known)}Choose one of: html, pdf, {', '.join(known)}"
        )
    return EXPORTERS.get(name) or plugins.exporters.get(name)


def endings_of(kind: type[Exporter]) -> tuple[str, ...]:
    """The endings that files of a form may have."""
    return tuple(dict.fromkeys((kind.suffix, *kind.endings)))


def form_of(path: Path, plugins: Plugins) -> str | None:
    """The form whose files end as this one: the first of several; None for a page (HTML, PDF) and for any other ending."""
    suffix = path.suffix.lower()
    known = [(name, exporter(name, plugins).suffix) for name in known_formats(plugins)]
    return next((name for name, one in known if one == suffix), None)


def write_exported(
    found: tuple[Exported, ...], target: Path, suffix: str, *, overwrite: bool
) -> tuple[Path, ...]:
    """Write the texts: one into the file of this name, several into a folder of it, a file for each model.

    Raises RunError where a file exists (unless ``overwrite``, and it begins as the new text does: these formats have no
    place for a mark, and somebody else's file must stay) or cannot be written.
    """
    target = user_path(target)
    paths = [target] if len(found) == 1 else [target / f"{name}{suffix}" for name in file_names(found)]
    for path in paths:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunError(f"{path.parent} cannot be made: {error}. Choose another path.") from error
    targets = [
        check_file(path, overwrite=overwrite, mark=one.text.encode("utf-8")[:BEGINS])
        for one, path in zip(found, paths, strict=True)
    ]
    for one, path in zip(found, targets, strict=True):
        write_file(path, one.text.encode("utf-8"))
    return tuple(paths)


def file_names(found: tuple[Exported, ...]) -> list[str]:
    """The names of the models as those of files, each once."""
    names: list[str] = []
    for number, one in enumerate(found, start=1):
        name = "".join(c if c.isalnum() or c in "._-" else "_" for c in one.of)[:100].lstrip(".") or "model"
        names.append(f"{name}_{number}" if name.casefold() in map(str.casefold, names) else name)
    return names
