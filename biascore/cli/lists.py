"""What there is, line by line: adapters, metrics, formats, transforms, tests, languages, word lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from biascore.cli import loaded
from biascore.files.paths import user_path
from biascore.terminal.console import print_brief, print_json, print_list, print_rows, say, wide
from biascore.terminal.options import Json, StimuliFolders

if TYPE_CHECKING:  # a list of metrics does not wait for what reads tests
    from biascore.plugins.loading import Plugins
    from biascore.stimuli import Catalogue


def adapters(as_json: Json = False) -> None:
    """The kinds of model that can be opened."""
    rows = [
        {
            "id": adapter.id,
            "summary": adapter.summary,
            "example": adapter.example,
            "can": sorted(adapter.capabilities),
            "options": sorted(adapter.option_type.model_fields),
            "extra": adapter.extra or "",
        }
        for adapter in loaded.plugins().adapters.items()
    ]
    _print(rows, as_json)


def metrics(as_json: Json = False) -> None:
    """The metrics, one sentence each; the rest: biascore show METRIC."""
    registry = loaded.plugins().metrics
    if as_json:
        print_json(
            [
                {
                    "name": metric.name,
                    "summary": metric.summary,
                    "needs": sorted(metric.requires),
                    "tests": sorted(metric.kinds),
                    "options": sorted(metric.option_type.model_fields),
                    "reference": metric.reference,
                }
                for metric in registry.items()
            ]
        )
        return
    rows = list(registry.summaries())
    print_brief(rows)
    say(f"{len(rows)} metrics; one with its rule and options: biascore show METRIC")


def formats(as_json: Json = False) -> None:
    """The formats of data files that become tests."""
    rows = [
        {
            "id": one.id,
            "summary": one.summary,
            "example": one.example,
            "options": sorted(one.option_type.model_fields),
        }
        for one in loaded.plugins().formats.items()
    ]
    _print(rows, as_json)


def transforms(as_json: Json = False) -> None:
    """The transforms that a model's vectors can be taken through."""
    rows = [
        {
            "name": transform.name,
            "summary": transform.summary,
            "options": sorted(transform.option_type.model_fields),
            "reference": transform.reference,
        }
        for transform in loaded.plugins().transforms.items()
    ]
    _print(rows, as_json)


def tests(
    patterns: Annotated[
        list[str] | None, typer.Argument(help="Globs, such as 'it/*'.", metavar="GLOB")
    ] = None,
    metric: Annotated[
        str | None, typer.Option("--metric", help="Only tests that this metric takes.", metavar="METRIC")
    ] = None,
    long: Annotated[
        bool, typer.Option("--long", help="Print all of each test, on lines of its own.")
    ] = False,
    stimuli: StimuliFolders = None,
    as_json: Json = False,
) -> None:
    """The tests, one line each; the rest: --long, or biascore show TEST."""
    plugins = loaded.plugins()
    every = catalogue(plugins, stimuli)
    found = every.find(patterns) if patterns else every.index
    if metric is not None:
        kinds = plugins.metrics.get(metric).kinds
        found = tuple(test for test in found if test.kind in kinds)
    if not (as_json or long):
        print_brief([(test.id, test.kind, test.title) for test in found], cut=True)
        say(f"{len(found)} tests with their kind; narrow with: biascore list tests 'en/*' --metric weat")
        return
    rows = [
        {
            "test": test.id,
            "kind": test.kind,
            "concept": test.concept,
            "title": test.title,
            "size": " + ".join(str(len(one)) for one in test.build().lists.values()),
        }
        for test in found
    ]
    if as_json:
        print_json(rows)
    else:
        print_list(wide(), list(rows[0]) if rows else [], [list(row.values()) for row in rows])


def languages(stimuli: StimuliFolders = None, as_json: Json = False) -> None:
    """The languages that have stimuli."""
    from biascore.languages.names import language_name

    plugins = loaded.plugins()
    every = catalogue(plugins, stimuli)
    known = plugins.languages
    rows = [
        {
            "code": code,
            "name": known[code].name if code in known else language_name(code),
            "tests": str(sum(test.language == code for test in every.index)),
        }
        for code in sorted({*known, *every.languages})
    ]
    _print(rows, as_json)


def wordlists(
    language: Annotated[
        str | None, typer.Argument(help="A language code. Default: all.", metavar="CODE")
    ] = None,
    stimuli: StimuliFolders = None,
    as_json: Json = False,
) -> None:
    """The word lists, pairs and templates by address."""
    from biascore.stimuli import WordList

    found = catalogue(loaded.plugins(), stimuli).lists(language)
    rows = [
        {
            "list": address,
            "what": type(one).__name__,
            "about": one.about if isinstance(one, WordList) else (),
            "source": one.source,
        }
        for address, one in found.items()
    ]
    _print(rows, as_json)


def catalogue(plugins: Plugins, folders: Sequence[Path] | None) -> Catalogue:
    """The stimuli of the plugins and of these folders."""
    from biascore.plugins.stimuli import read_catalogue

    return read_catalogue(plugins, [user_path(folder) for folder in folders or ()])


def _print(rows: Sequence[Mapping[str, str | Sequence[str]]], as_json: bool) -> None:
    if as_json:
        print_json(rows)
        return
    columns = list(rows[0]) if rows else []
    print_rows(columns, [[c if isinstance(c, str) else ", ".join(c) for c in row.values()] for row in rows])
