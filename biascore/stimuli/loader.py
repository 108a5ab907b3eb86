"""Reading one stimuli file; every error names the file and, where it can be found, line and key."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache, partial
from pathlib import Path
from shlex import quote
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from biascore.basics.suggest import did_you_mean
from biascore.basics.wording import brief, few
from biascore.errors import StimuliError
from biascore.files.reading import MAX_TOML_MB, Toml, read_bytes, toml_of
from biascore.stimuli.building import contents_of
from biascore.stimuli.entries import RolesEntry
from biascore.stimuli.lines import line_of
from biascore.stimuli.model import Contents, Listed, StimuliFile, Test
from biascore.stimuli.outlines import outlines
from biascore.stimuli.schema import SECTIONS, Head, Kinds, kinds_of


def check_command(display: str) -> str:
    """The command that reads a file again, by its ``<language>`` folder's folder, or as its plugin does."""
    file = Path(display)
    return (
        f"biascore list tests --stimuli {quote(str(file.parent.parent))}"
        if file.exists()
        else "biascore plugins"
    )


def load_file(path: Path, display: str, kinds: Kinds | None = None) -> StimuliFile:
    """Read and check one TOML file; ``display`` is how errors, tests and reports call it.

    ``kinds``: the kinds of test that it may hold; those of biascore itself alone, where none are given.

    Raises StimuliError for a file that cannot be read, is no UTF-8, no TOML, breaks the schema, or whose
    tests name a list that it does not hold.
    """
    file = _index(
        path, display, kinds, keep=False
    )  # a stranger's file leaves nothing in the user's cache folder
    file.contents()
    return file


def index_file(path: Path, display: str, kinds: Kinds | None = None) -> StimuliFile:
    """The same, of which no list and no test is built yet.

    Raises StimuliError for a file that cannot be read, is no UTF-8, no TOML, of which ``[meta]`` is not in order, or
    which has a test of an unknown kind, or whose id is no name or is there twice.
    """
    return _index(path, display, kinds, keep=True)


def _index(path: Path, display: str, kinds: Kinds | None, *, keep: bool) -> StimuliFile:
    try:
        raw = read_bytes(path, display, StimuliError, megabytes=MAX_TOML_MB)
    except StimuliError as error:
        raise _with_check(error, display) from error
    return _indexed(raw, path.stem, display, kinds or kinds_of(()), keep)


@lru_cache(maxsize=512)  # every engine of a process reads the same files
def _indexed(raw: bytes, stem: str, display: str, kinds: Kinds, keep: bool) -> StimuliFile:
    remedy = f"Correct the file, then check it with: {check_command(display)}"
    digest, kept = hashlib.sha256(raw).hexdigest(), outlines() if keep else None
    outline = kept and kept.get(digest)
    if outline and _head(outline, kinds):
        return _file(
            outline, digest, lambda: toml_of(raw, display, StimuliError), stem, display, kinds, remedy
        )
    try:
        toml = toml_of(raw, display, StimuliError)
    except StimuliError as error:
        raise _with_check(error, display) from error
    file = file_of(toml, stem, display, kinds, remedy)
    if kept:
        kept.keep(digest, toml.document)
    return file


def _with_check(error: StimuliError, display: str) -> StimuliError:
    return StimuliError(f"{error}. Then check it with: {check_command(display)}")


def file_of(toml: Toml, stem: str, display: str, kinds: Kinds, remedy: str) -> StimuliFile:
    """The index of a document; raises StimuliError, which ends with ``remedy``, as ``index_file`` does."""
    return _file(toml.document, toml.sha256, lambda: toml, stem, display, kinds, remedy)


def _file(
    document: Mapping[str, Any],
    digest: str,
    whole: Callable[[], Toml],
    stem: str,
    display: str,
    kinds: Kinds,
    remedy: str,
) -> StimuliFile:
    """The index of a document or of its outline; ``whole``: the document, read when its contents are asked for."""
    tables = {key: value for key, value in document.items() if key not in ("schema", "meta", "tests")}
    head = _head(document, kinds)
    if head is None or not all(isinstance(table, dict) for table in tables.values()):
        _contents(whole(), display, kinds, remedy)  # which names all that is wrong with it
        raise AssertionError("the index asks for no more than the file does")
    # Lists stand in this order wherever a file has them, as what is drawn list by list depends on it.
    tables = dict(
        sorted(tables.items(), key=lambda one: [*SECTIONS].index(one[0]) if one[0] in SECTIONS else -1)
    )
    needed = partial(kinds.needed, {one.kind for one in head.tests.values()}, tables.keys())
    contents = cache(lambda: _contents(whole(), display, needed(), remedy))
    meta = head.meta
    return StimuliFile(
        display=display,
        stem=stem,
        sha256=digest,
        **meta.model_dump(),
        sections={name: section for section, table in tables.items() for name in table},
        index=tuple(
            Listed(
                id=f"{meta.language}/{name}",
                language=meta.language,
                **one.model_dump(),
                file=display,
                build=partial(_test, contents, name),
            )
            for name, one in head.tests.items()
        ),
        contents=contents,
    )


def _head(document: Mapping[str, Any], kinds: Kinds) -> Head | None:
    """What an index needs; None where it is not in order."""
    try:
        head = Head.model_validate(document)
    except ValidationError:
        return None
    ids = {name.casefold() for name in head.tests}
    known = {one.kind for one in head.tests.values()} <= set(kinds.names)
    return head if known and len(ids) == len(head.tests) else None


def _contents(toml: Toml, display: str, kinds: Kinds, remedy: str) -> Contents:
    """The lists and tests of a document; raises StimuliError, which ends with ``remedy``."""
    try:
        entry = kinds.file.model_validate(toml.document)
    except ValidationError as error:
        problems = [(_key_path(details, kinds), _explain(details, kinds)) for details in error.errors()]
    else:
        contents, problems = contents_of(entry, kinds, display, toml.sha256)
        if not problems:
            return contents

    def told(one: tuple[Sequence[str | int], str]) -> str:
        key, problem = one
        return _place(display, line_of(toml.text, key, toml.document), key) + problem

    raise StimuliError(brief("\n".join([*few(problems, told), *filter(None, [remedy])])))


def _test(contents: Callable[[], Contents], name: str) -> Test:
    return contents().tests[name]


def _place(display: str, line: int | None, key: Sequence[str | int]) -> str:
    at = f", line {line}" if line is not None else ""
    return f"{display}{at}, {_dotted(key)}: " if key else f"{display}{at}: "


def _dotted(key: Sequence[str | int]) -> str:
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in key]
    return "".join(parts).removeprefix(".")


def _key_path(details: ErrorDetails, kinds: Kinds) -> tuple[str | int, ...]:
    if details["type"] in ("union_tag_invalid", "union_tag_not_found"):
        return (*_loc(details, kinds), "kind")
    return _loc(details, kinds)


def _loc(details: ErrorDetails, kinds: Kinds) -> tuple[str | int, ...]:
    # pydantic marks an error in a dict's key with the pseudo-step "[key]"; the key itself stands before it.
    loc = tuple(step for step in details["loc"] if step != "[key]")
    # and it puts the kind of a test after its name.
    return (*loc[:2], *loc[3:]) if loc[0] == "tests" and len(loc) > 2 and loc[2] in kinds.entries else loc


def _explain(details: ErrorDetails, kinds: Kinds) -> str:
    loc = _loc(details, kinds)
    in_test = len(loc) == 3 and loc[0] == "tests"
    match details["type"]:
        case "union_tag_not_found":
            return f"is missing; kinds of test are {', '.join(kinds.entries)}"
        case "union_tag_invalid":
            return (
                f"{details['ctx']['tag']!r} is no kind of test. Known kinds: {', '.join(kinds.entries)}. Others come with "
                "plugins: see biascore plugins"
            )
        case "missing" if in_test and (roles := _roles(details, kinds)) and loc[2] in roles:
            return (
                f"is missing; a test of kind {details['loc'][2]} names a list for each of {', '.join(roles)}"
            )
        case "too_long" | "missing" if loc[0] == "pairs" and isinstance(loc[-1], int):
            return "is no pair; a pair holds two words, one for each of the sides"
        case "missing":
            return "is missing"
        case "extra_forbidden":
            keys = _sibling_keys(details["loc"], kinds)
            return f"is no key of this table. {did_you_mean(str(loc[-1]), keys)}".rstrip()
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
        case "string_pattern_mismatch" if details["loc"][-1] == "[key]":
            return f"{details['input']!r} is no name: use letters A-Z, digits and _ . + - (no space or slash)"
        case "string_pattern_mismatch" | "string_too_short":
            return f"{details['input']!r} is blank or holds characters that a name may not have"
        case "value_error":
            return details["msg"].removeprefix("Value error, ")
        case _:
            return details["msg"][0].lower() + details["msg"][1:]


def _sibling_keys(loc: Sequence[str | int], kinds: Kinds) -> list[str]:
    """The keys that are allowed in the table that ``loc``, an unknown key, is in."""
    table: type[BaseModel] = kinds.file
    for step in loc[:-1]:
        if loc[0] == "tests" and step in kinds.entries:
            table = kinds.entries[str(step)]
        elif isinstance(step, str) and step in table.model_fields:
            annotation = table.model_fields[step].annotation
            inside = get_args(annotation) or (annotation,)
            table = next((t for t in inside if isinstance(t, type) and issubclass(t, BaseModel)), table)
    return [field.alias or name for name, field in table.model_fields.items()]


def _roles(details: ErrorDetails, kinds: Kinds) -> tuple[str, ...]:
    """The roles of the kind of test in which an error is, where it has some."""
    loc = details["loc"]
    kind = kinds.entries.get(str(loc[2])) if len(loc) > 2 else None
    return kind.roles if kind is not None and issubclass(kind, RolesEntry) else ()
