"""Reading one stimuli file; every error names the file and, where it can be found, line and key."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from biascore.errors import StimuliError
from biascore.stimuli.lines import line_of
from biascore.stimuli.model import (
    Doubt,
    PairList,
    Published,
    Stimuli,
    StimuliFile,
    TemplateList,
    Test,
    WordList,
)
from biascore.stimuli.schema import DoubtEntry, FileEntry, Meta, PublishedEntry, WeatEntry
from biascore.stimuli.suggest import did_you_mean

_NEXT_STEP = "Correct the file, then check it with: biascore list tests"
_KINDS = ("weat",)


def load_file(path: Path, display: str) -> StimuliFile:
    """Read and check one TOML file; ``display`` is how errors, tests and reports call it.

    Raises StimuliError for a file that cannot be read, is no UTF-8, no TOML, breaks the schema, or whose
    tests name a list that it does not hold.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise StimuliError(f"{display}: cannot be read ({error.strerror}). {_NEXT_STEP}") from error
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise StimuliError(f"{display}, line {line}: is not UTF-8. Save it as UTF-8. {_NEXT_STEP}") from error
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise StimuliError(f"{display}: is no valid TOML: {error}. {_NEXT_STEP}") from error
    try:
        entry = FileEntry.model_validate(document)
    except ValidationError as error:
        problems = [(_key_path(details), _explain(details)) for details in error.errors()]
    else:
        problems = list(_reference_problems(entry))
        if not problems:
            return _build(entry, path.stem, display, hashlib.sha256(raw).hexdigest())
    lines = [_place(display, line_of(text, key, document), key) + problem for key, problem in problems]
    raise StimuliError("\n".join([*lines, _NEXT_STEP]))


def _place(display: str, line: int | None, key: Sequence[str | int]) -> str:
    at = f", line {line}" if line is not None else ""
    return f"{display}{at}, {_dotted(key)}: " if key else f"{display}{at}: "


def _dotted(key: Sequence[str | int]) -> str:
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in key]
    return "".join(parts).removeprefix(".")


def _key_path(details: ErrorDetails) -> tuple[str | int, ...]:
    # pydantic marks an error in a dict's key with the pseudo-step "[key]"; the key itself stands before it.
    return tuple(step for step in details["loc"] if step != "[key]")


def _explain(details: ErrorDetails) -> str:
    loc = details["loc"]
    in_test = len(loc) == 3 and loc[0] == "tests"
    match details["type"]:
        case "missing" if in_test and loc[2] in WeatEntry.roles:
            return f"is missing; a test of kind weat names a list for each of {', '.join(WeatEntry.roles)}"
        case "too_long" | "missing" if loc[0] == "pairs" and isinstance(loc[-1], int):
            return "is no pair; a pair holds two words, one for each of the sides"
        case "missing":
            return "is missing"
        case "extra_forbidden":
            return f"is no key of this table. {did_you_mean(str(loc[-1]), _keys_beside(loc))}".rstrip()
        case "literal_error" if in_test and loc[2] == "kind":
            return f"{details['input']!r} is no kind of test. Known kinds: {', '.join(_KINDS)}"
        case "literal_error":
            return f"is {details['input']!r}, but must be {details['ctx']['expected']}"
        case "tuple_type":
            return f"is {details['input']!r}, but must be a list in square brackets"
        case "model_type" | "dict_type":
            return f"is {details['input']!r}, but must be a table"
        case "string_type":
            return f"is {details['input']!r}, which is not a string; put it in quotation marks"
        case "string_pattern_mismatch" if loc[-1] == "language":
            return f"{details['input']!r} is no language code such as it, sr-Latn or pt-BR"
        case "string_pattern_mismatch" if loc[-1] == "[key]":
            return f"{details['input']!r} is no name: use letters A-Z, digits and _ . + - (no space or slash)"
        case "string_pattern_mismatch" | "string_too_short":
            return f"{details['input']!r} is blank or holds characters that a name may not have"
        case "value_error":
            return details["msg"].removeprefix("Value error, ")
        case _:
            return details["msg"][0].lower() + details["msg"][1:]


def _keys_beside(loc: Sequence[str | int]) -> list[str]:
    """The keys that are allowed in the table that ``loc``, an unknown key, stands in."""
    table: type[BaseModel] = FileEntry
    for step in loc[:-1]:
        if isinstance(step, str) and step in table.model_fields:
            annotation = table.model_fields[step].annotation
            inside = get_args(annotation) or (annotation,)
            table = next((t for t in inside if isinstance(t, type) and issubclass(t, BaseModel)), table)
    return [field.alias or name for name, field in table.model_fields.items()]


def _reference_problems(entry: FileEntry) -> Iterator[tuple[tuple[str | int, ...], str]]:
    seen: dict[str, str] = {}
    for section, names in (("lists", entry.lists), ("pairs", entry.pairs), ("templates", entry.templates)):
        for name in names:
            if name.casefold() in seen:
                yield (section, name), f"is a second list of this name; the other is {seen[name.casefold()]}"
            seen[name.casefold()] = f"{section}.{name}"
    tests: dict[str, str] = {}
    for name, test in entry.tests.items():
        if name.casefold() in tests:
            yield ("tests", name), f"differs from tests.{tests[name.casefold()]} in case only"
        tests[name.casefold()] = name
        for role in test.roles:
            wanted = getattr(test, role)
            if wanted not in entry.lists:
                hint = did_you_mean(wanted, entry.lists)
                advice = f"{hint}A role takes a word list, so write a table [lists.{wanted}]"
                yield ("tests", name, role), f"there is no word list {wanted!r} in this file. {advice}"


def _build(entry: FileEntry, stem: str, display: str, sha256: str) -> StimuliFile:
    meta = entry.meta
    words = {
        name: WordList(
            name=name,
            words=table.words,
            source=table.source or meta.source,
            licence=table.licence or meta.licence,
            notes=table.notes,
            doubtful=_doubts(table.doubtful),
            marks=table.marks,
        )
        for name, table in entry.lists.items()
    }
    pairs = [
        PairList(
            name=name,
            pairs=table.pairs,
            sides=table.sides,
            source=table.source or meta.source,
            licence=table.licence or meta.licence,
            notes=table.notes,
            doubtful=_doubts(table.doubtful),
        )
        for name, table in entry.pairs.items()
    ]
    templates = [
        TemplateList(
            name=name,
            sentences=table.sentences,
            slots=table.slots,
            source=table.source or meta.source,
            licence=table.licence or meta.licence,
            notes=table.notes,
            doubtful=_doubts(table.doubtful),
        )
        for name, table in entry.templates.items()
    ]
    lists: tuple[Stimuli, ...] = (*words.values(), *pairs, *templates)
    return StimuliFile(
        display=display,
        stem=stem,
        sha256=sha256,
        language=meta.language,
        title=meta.title,
        source=meta.source,
        licence=meta.licence,
        doi=meta.doi,
        notes=meta.notes,
        lists=lists,
        tests=tuple(_test(name, test, meta, words, display, sha256) for name, test in entry.tests.items()),
    )


def _test(
    name: str, entry: WeatEntry, meta: Meta, lists: dict[str, WordList], display: str, sha256: str
) -> Test:
    return Test(
        id=f"{meta.language}/{name}",
        kind=entry.kind,
        language=meta.language,
        roles={role: lists[getattr(entry, role)] for role in entry.roles},
        title=entry.title,
        concept=entry.concept,
        positive_means=entry.positive_means,
        source=entry.source or meta.source,
        licence=entry.licence or meta.licence,
        doi=entry.doi or meta.doi,
        notes=entry.notes,
        published=tuple(_published(figure) for figure in entry.published),
        file=display,
        sha256=sha256,
    )


def _doubts(entries: Sequence[DoubtEntry]) -> tuple[Doubt, ...]:
    return tuple(Doubt(printed=e.printed, note=e.note, proposed=e.proposed) for e in entries)


def _published(entry: PublishedEntry) -> Published:
    return Published(
        what=entry.what,
        value=entry.value,
        model=entry.model,
        source=entry.source,
        comparable=entry.comparable,
        p=entry.p,
        note=entry.note,
    )
