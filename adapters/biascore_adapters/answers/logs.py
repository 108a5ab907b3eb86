"""Logs of other harnesses as files of records: lm-evaluation-harness, Inspect, Every Eval Ever."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from biascore.api.formats import parse_json, read_bytes, read_text
from biascore.api.support import ZIP_DAMAGE, bounded, check_size, listed, quoted
from biascore.errors import DataError, MissingExtraError
from biascore_adapters.answers.records import Log, inspect, log_of

_ZSTD: Final = 93
"""The number of that compression in a zip file; Python reads it from 3.14 on."""
_LOGS: Final = (
    "Give a log of Inspect (.eval or .json), what lm-evaluation-harness writes with --log_samples (samples_*.jsonl, or a "
    ".json list of before 0.4.3), the _samples.jsonl of Every Eval Ever, or a table with the columns item and answer"
)


Records = tuple[Log, Iterator[tuple[str, Mapping[str, Any]]]]
"""How a log is read, and its records with their places."""


def records(path: Path, shown: str, encoding: str, flag: str) -> Records | None:
    """How a log is read, and its records with their places; None for a file that is no log of a harness known here.

    ``encoding`` and ``flag`` as of ``read_text``. Raises DataError, also while its records are read.
    """
    name = path.name.removesuffix(".gz")
    if name.endswith(".eval"):
        return _archived(path, shown)
    if name.endswith(".json"):
        return _whole(path, shown)
    if not name.endswith((".jsonl", ".ndjson")):
        return None
    return _records(_lines(read_text(path, shown, encoding=encoding, flag=flag), shown))


def _records(rows: Iterator[tuple[str, Mapping[str, Any]]]) -> Records | None:
    """The log that the first record is of, with all of them; None for one of none that is known here."""
    first = next(rows, None)
    log = None if first is None else log_of(first[1])
    return None if first is None or log is None else (log, _rejoined(first, rows))


def value_at(record: Mapping[str, Any], field: str, place: str) -> Any:
    """What stands at a field such as ``doc.category``; raises DataError that names what is there."""
    found: Any = record
    for key in field.split("."):
        if not isinstance(found, Mapping) or key not in found:
            there = listed(sorted(map(str, found))[:12]) if isinstance(found, Mapping) else "no fields"
            raise DataError(f"{place} has no {field!r}: there is {there}. Name another field")
        found = found[key]
    return found


def _rejoined(first: tuple[str, Mapping[str, Any]], rest: Iterator[tuple[str, Mapping[str, Any]]]) -> Any:
    yield first
    yield from rest


def _lines(text: str, shown: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for number, line in enumerate(io.StringIO(text), start=1):
        if line.strip():
            place = f"{shown}, line {number}"
            yield place, _object(line, place)


def _whole(path: Path, shown: str) -> Records:
    """A log in one JSON file: of Inspect, or a list of records, as lm-evaluation-harness wrote them until 0.4.2."""
    text = read_text(path, shown)
    try:
        log = parse_json(text)
    except ValueError as problem:
        raise DataError(f"{shown} is no JSON ({problem}). Fetch the file again") from problem
    samples, what = (log.get("samples"), "sample") if isinstance(log, Mapping) else (log, "record")
    if (
        isinstance(samples, Mapping) and len(samples) == 1
    ):  # by task, as lm-evaluation-harness returns them in Python
        (samples,) = samples.values()
    if not isinstance(samples, list):
        several = (
            f" (its samples are of {listed(list(samples))}: give those of one)"
            if isinstance(samples, Mapping)
            else ""
        )
        raise DataError(f"{shown} is no log with samples{several}. {_LOGS}")
    rows = _numbered(samples, shown, what)
    found = _records(rows)
    if found is None and isinstance(log, Mapping):
        return inspect(_inspect_version(log)), _numbered(samples, shown, what)
    if found is None:
        raise DataError(f"{shown} is a list, and its records are of no harness that is known here. {_LOGS}")
    return found


def _numbered(samples: Sequence[Any], shown: str, what: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for number, sample in enumerate(samples, start=1):
        place = f"{shown}, {what} {number}"
        yield place, _mapping(sample, place)


def _inspect_version(header: Mapping[str, Any]) -> str:
    """Of the package that wrote a log, as it says; "" where it does not."""
    found: Any = header
    for key in ("eval", "packages", "inspect_ai"):
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, str) else ""


def _archived(path: Path, shown: str) -> Records:
    raw = read_bytes(path, shown)
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            there = archive.namelist()
            header = archive.getinfo("header.json") if "header.json" in there else None
            place = f"{shown}, header.json"
            told = {} if header is None else _object(_entry(archive, header, raw, place), place)
    except ZIP_DAMAGE as problem:
        raise DataError(f"{shown} is damaged ({problem}). Fetch it again") from problem
    return inspect(_inspect_version(told)), _samples(raw, shown)


def _samples(raw: bytes, shown: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    size = 0
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            for entry in archive.infolist():
                if entry.filename.startswith("samples/") and entry.filename.endswith(".json"):
                    place = f"{shown}, {entry.filename}"
                    text = _entry(archive, entry, raw, place)
                    size += len(text)
                    check_size(size, f"{shown} unpacks to")
                    yield place, _object(text, place)
    except ZIP_DAMAGE as problem:
        raise DataError(f"{shown} is damaged ({problem}). Fetch it again") from problem


def _entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, raw: bytes, place: str) -> bytes:
    if entry.compress_type != _ZSTD:
        with archive.open(entry) as stream:
            return bounded(stream, f"{place} unpacks to")
    try:
        import zstandard
    except ImportError:
        raise MissingExtraError(
            f"{place} is compressed by Zstandard; or convert the log with `inspect log convert --to json`: reading it",
            "inspect",
        ) from None
    # The name and the extra field of the local header may be longer than those of the directory.
    at = entry.header_offset
    start = (
        at
        + 30
        + int.from_bytes(raw[at + 26 : at + 28], "little")
        + int.from_bytes(raw[at + 28 : at + 30], "little")
    )
    packed = io.BytesIO(raw[start : start + entry.compress_size])
    try:
        with zstandard.ZstdDecompressor().stream_reader(packed) as stream:
            return bounded(stream, f"{place} unpacks to")
    except zstandard.ZstdError as problem:
        raise DataError(f"{place} is damaged ({problem}). Fetch it again") from problem


def _object(text: str | bytes, place: str) -> Mapping[str, Any]:
    try:
        return _mapping(parse_json(text), place)
    except ValueError as problem:
        raise DataError(f"{place} is no JSON ({problem}). Fetch the file again") from problem


def _mapping(value: Any, place: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise DataError(f"{place} is {quoted(str(value))} and no record. Fetch the file again")
    return value
