"""One test or metric in full, and the installed plugins."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args, get_origin

import typer
from pydantic.fields import FieldInfo
from pydantic_core import to_jsonable_python

from biascore.basics.suggest import did_you_mean
from biascore.cli import loaded
from biascore.cli.list_contents import list_json
from biascore.cli.lists import catalogue
from biascore.errors import BiascoreError, OptionsError, UnknownNameError
from biascore.files.paths import user_path
from biascore.plugins.loading import Plugins
from biascore.plugins.registry import PluginRecord
from biascore.plugins.stimuli import damaged_files
from biascore.stimuli import Test
from biascore.terminal.console import print_brief, print_json, say
from biascore.terminal.options import Force, Json, StimuliFolders

BEGINS: Final = 32
"""So many first bytes of a table say whether biascore wrote it."""
_PAGES: Final = {"robust": "robust-association"}
"""Pages that are not named as the package of their metric."""


def show(
    name: Annotated[
        str, typer.Argument(help="A test, such as en/weat6, or a metric, such as weat.", metavar="NAME")
    ],
    rows: Annotated[
        Path | None,
        typer.Option(
            help="Write the sentences of the test to a CSV instead, with blank columns for answers, as answers: reads it.",
            metavar="FILE",
        ),
    ] = None,
    stimuli: StimuliFolders = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Show one test (words, source, licence, notes, published figures) or one metric (rule and options)."""
    if "/" in name:
        found = catalogue(loaded.plugins(), stimuli).test(name)
        if rows is None:
            _show_test(found, as_json)
        else:
            _write_rows(found, rows, force)
        return
    if rows is not None:
        raise OptionsError(
            f"--rows writes the sentences of a test, and {name} is none. Name one, such as en/eec"
        )
    plugins = loaded.plugins()
    if name not in plugins.metrics.known:
        known = [*plugins.metrics.names, *(test.id for test in catalogue(plugins, stimuli).index)]
        raise UnknownNameError(
            f"There is no metric and no test {name!r}. {did_you_mean(name, known)}See what there is with: "
            "biascore list metrics, biascore list tests"
        )
    metric = plugins.metrics.get(name)
    fields = metric.option_type.model_fields.items()
    told = {
        "name": metric.name,
        "summary": metric.summary,
        "rule": metric.rule,
        "reference": metric.reference,
        "needs": sorted(metric.requires),
        "tests": sorted(metric.kinds),
        "page": _page(plugins.metrics.owner(name)),
    }
    if as_json:
        print_json(
            told
            | {"options": {key: {"default": _default(one), "choices": _choices(one)} for key, one in fields}}
        )
        return
    texts = {key: ", ".join(value) if isinstance(value, list) else value for key, value in told.items()}
    lines = [*(f"{key}: {text}" for key, text in texts.items() if text), "options, for -o key=value:"]
    for key, one in fields:
        default = "required" if one.is_required() else json.dumps(_default(one), ensure_ascii=False)
        choices = ", ".join(json.dumps(choice) for choice in _choices(one))
        lines.append(
            f"  {key} = {default.replace('null', 'none')}" + (f"  (one of {choices})" if choices else "")
        )
    say("\n".join(lines))


def _default(option: FieldInfo) -> Any:
    """As JSON has it; None of a required option, too."""
    value = None if option.is_required() else option.get_default(call_default_factory=True)
    return to_jsonable_python(value, fallback=lambda one: dict(one) if isinstance(one, Mapping) else str(one))


def _choices(option: FieldInfo) -> list[Any]:
    return list(get_args(option.annotation)) if get_origin(option.annotation) is Literal else []


def _page(owner: PluginRecord) -> str:
    """The page of the documentation, which is named after the package; of a plugin of others none is known."""
    package = owner.module.split(".")[1].replace("_", "-") if owner.dist == "biascore" else ""
    return f"docs/metrics/{_PAGES.get(package, package)}.md" if package else ""


def _write_rows(test: Test, path: Path, force: bool) -> None:
    """Write the table in which answers about the sentences of a test can be given."""
    from biascore.files.writing import check_file, write_file

    table = test.to_answer()
    if table is None:
        raise OptionsError(
            f"{test.id} is of kind {test.kind}, which has no sentences to score. Leave --rows out, or name a test of "
            "sentences, such as en/eec"
        )
    columns, rows = table
    stream = StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        texts = [row] if isinstance(row, str) else row
        writer.writerow([*texts, *[""] * (len(columns) - len(texts))])
    content = stream.getvalue().encode()
    write_file(check_file(user_path(path), overwrite=force, mark=content[:BEGINS]), content)
    say(path)


def _show_test(found: Test, as_json: bool) -> None:
    if as_json:
        print_json(_test_json(found))
        return
    lines = [f"{found.id}  {found.title}", f"kind {found.kind}, concept {found.concept or '-'}"]
    if found.positive_means:
        lines.append(f"positive means: {found.positive_means}")
    lines += _of_people(found)
    for role, one in found.lists.items():
        lines.append(f"\n{role} = {one.name} ({len(one)})\n  {one.contents()}")
        lines += [f"  note: {note}" for note in one.notes]
        lines += [
            f"  doubtful: {d.printed!r}" + (f", perhaps {d.proposed!r}" if d.proposed else "") + f": {d.note}"
            for d in one.doubtful
        ]
    details = found.details()
    lines += ["", *details] if details else []
    if found.published:
        lines.append("\npublished figures")
        lines += [
            f"  {p.what} = {p.value}"
            + (f", p = {p.p}" if p.p is not None else "")
            + f" on {p.model} ({p.source})"
            + ("" if p.comparable else "; not comparable")
            + (f": {p.note}" if p.note else "")
            for p in found.published
        ]
    lines += [
        f"\nsource: {found.source}",
        f"licence: {found.licence}",
        f"file: {found.file} (sha256 {found.sha256})",
    ]
    lines += [f"note: {note}" for note in found.notes]
    say("\n".join(lines))


def _of_people(found: Test) -> list[str]:
    """Which lists name people, what the others are about, and whether the test represents its ground, where it says so."""
    told = [f"names people: {' and '.join(found.of_people)}"] if found.of_people else []
    told += [f"touches: {', '.join(found.touches)}"] if found.touches else []
    return [*told, *([f"lead test of {found.concept}"] if found.lead else [])]


def plugins(as_json: Json = False) -> None:
    """List the installed plugins: whether each was loaded, and if not, why. Always exits 0."""
    records = _with_all_read(Plugins())
    if as_json:
        shown = ("name", "dist", "version", "status", "hooks", "provides", "reason")
        print_json([{name: getattr(record, name) for name in shown} for record in records])
        return
    # What is missing comes first: the rest is long.
    print_brief(
        [
            (one.name, one.status, f"{one.dist} {one.version}: {one.reason or ', '.join(one.provides)}")
            for one in sorted(records, key=lambda one: one.status == "loaded")
        ]
    )


def _with_all_read(plugins: Plugins) -> list[PluginRecord]:
    """The records after all was read: a plugin with a damaged grammar or file has failed, though the rest can be used."""
    damaged = damaged_files(plugins)
    for code in plugins.speaker_gender.names:
        try:
            plugins.detector(code)
        except BiascoreError as error:
            damaged[plugins.speaker_gender.owner(code).owner] = str(error)
    return [
        replace(one, status="failed", reason=damaged[one.owner]) if one.owner in damaged else one
        for one in plugins.records
    ]


def _test_json(test: Test) -> dict[str, object]:
    return {
        "id": test.id,
        "kind": test.kind,
        "language": test.language,
        "title": test.title,
        "concept": test.concept,
        "positive_means": test.positive_means,
        "people": test.of_people,
        "touches": list(test.touches),
        "lead": test.lead,
        "roles": {role: list_json(words) for role, words in test.lists.items()},
        **test.details_json(),
        "published": [
            {
                "what": p.what,
                "value": p.value,
                "p": p.p,
                "model": p.model,
                "source": p.source,
                "comparable": p.comparable,
            }
            for p in test.published
        ],
        "source": test.source,
        "licence": test.licence,
        "doi": test.doi,
        "notes": list(test.notes),
        "file": test.file,
        "sha256": test.sha256,
    }
