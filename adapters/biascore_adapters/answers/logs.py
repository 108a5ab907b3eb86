"""Logs of other harnesses: lm-evaluation-harness, Inspect, Every Eval Ever; one answer an item, and nothing else kept."""

from __future__ import annotations

import hashlib
import io
import json
import math
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from biascore.api.formats import parse_json, read_bytes, read_text
from biascore.api.support import ZIP_DAMAGE, bounded, check_size, listed, quoted
from biascore.errors import DataError, MissingExtraError

_ZSTD: Final = 93
"""The number of that compression in a zip file; Python reads it from 3.14 on."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What was answered to an item: log-probabilities of its options, or what was said. ``prompt``: a hash of what was
    asked. ``failed``: the model gave no answer. ``letters``: the log-probabilities are those of the options' letters."""

    item: str
    options: tuple[str, ...] = ()
    logprobs: tuple[float, ...] = ()
    said: str = ""
    declined: bool = False
    failed: bool = False
    letters: bool = False
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class Log:
    """How the records of a harness are read: where its item is, and what a record answers."""

    harness: str
    item: str
    read: Callable[[Mapping[str, Any]], Mapping[str, Any]]


Records = tuple[Log, Iterator[tuple[str, Mapping[str, Any]]]]
"""How a log is read, and its records with their places."""


def records(path: Path, shown: str, encoding: str, flag: str) -> Records | None:
    """How a log is read, and its records with their places; None for a file that is no log of a harness known here.

    ``encoding`` and ``flag`` as of ``read_text``. Raises DataError, also while its records are read.
    """
    name = path.name.removesuffix(".gz")
    if name.endswith(".eval"):
        return INSPECT, _archived(path, shown)
    if name.endswith(".json"):
        return INSPECT, _whole(path, shown)
    if not name.endswith((".jsonl", ".ndjson")):
        return None
    rows = _lines(read_text(path, shown, encoding=encoding, flag=flag), shown)
    first = next(rows, None)
    log = None if first is None else next((log for key, log in _BY_KEY.items() if key in first[1]), None)
    return None if first is None or log is None else (log, _again(first, rows))


def value_at(record: Mapping[str, Any], field: str, place: str) -> Any:
    """What stands at a field such as ``doc.category``; raises DataError that names what is there."""
    found: Any = record
    for key in field.split("."):
        if not isinstance(found, Mapping) or key not in found:
            there = listed(sorted(map(str, found))[:12]) if isinstance(found, Mapping) else "no fields"
            raise DataError(f"{place} has no {field!r}: there is {there}. Name another field")
        found = found[key]
    return found


def _again(first: tuple[str, Mapping[str, Any]], rest: Iterator[tuple[str, Mapping[str, Any]]]) -> Any:
    yield first
    yield from rest


def _lines(text: str, shown: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for number, line in enumerate(io.StringIO(text), start=1):
        if line.strip():
            place = f"{shown}, line {number}"
            yield place, _object(line, place)


def _whole(path: Path, shown: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    log = _object(read_text(path, shown), shown)
    samples = log.get("samples")
    if not isinstance(samples, list):
        raise DataError(
            f"{shown} is no log of Inspect with samples. Give one (a .json or .eval file), the samples_*.jsonl of "
            "lm-evaluation-harness, or a table"
        )
    for number, sample in enumerate(samples, start=1):
        place = f"{shown}, sample {number}"
        yield place, _mapping(sample, place)


def _archived(path: Path, shown: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    raw = read_bytes(path, shown)
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


def _lm_eval(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """``filtered_resps`` holds ``[log-likelihood, greedy]`` of each option, or the text that was generated."""
    given, asked = row["filtered_resps"], row["arguments"]
    pairs = [
        list(one.values()) if isinstance(one, Mapping) else list(one)
        for one in (asked.values() if isinstance(asked, Mapping) else asked)
    ]
    prompt = {"prompt": str(row.get("prompt_hash") or _hash(pairs[0][0]))}
    if isinstance(given[0], str):
        return {"said": given[0], **prompt}
    if len(given) != len(pairs):
        raise ValueError(f"{len(given)} log-likelihoods for {len(pairs)} options")
    # Those of an empty prompt are the second half of its "mutual information".
    kept = [(pair, one) for pair, one in zip(pairs, given, strict=True) if pair[0] or not pairs[0][0]]
    return {
        "options": tuple(str(pair[1]).strip() for pair, _ in kept),
        "logprobs": tuple(float(value) for _, (value, _) in kept),
        **prompt,
    }


def _inspect(sample: Mapping[str, Any]) -> Mapping[str, Any]:
    """The completion; letters in it are those of ``choices``."""
    output = sample.get("output") or {}
    answers = output.get("choices") or []
    return {
        "options": tuple(map(str, sample.get("choices") or ())),
        "said": str(output.get("completion") or ""),
        "declined": any(one.get("stop_reason") == "content_filter" for one in answers),
        "failed": bool(sample.get("error")) or not answers,
        "prompt": _hash(sample["input"]),
    }


def _every_eval_ever(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The only answer of an instance."""
    asked, said = row["input"], (row.get("output") or {}).get("raw") or []
    if len(said) > 1:
        raise ValueError(f"holds {len(said)} answers, and one an item is read")
    return {
        "options": tuple(map(str, asked.get("choices") or ())),
        "said": str(said[0]) if said else "",
        "failed": not said or bool(row.get("error")),
        "prompt": _hash(asked.get("formatted") or asked["raw"]),
    }


def _read(
    read: Callable[[Mapping[str, Any]], Mapping[str, Any]], row: Mapping[str, Any]
) -> Mapping[str, Any]:
    """What a record answers; raises ValueError where it is none of the harness, or a log-likelihood is none."""
    try:
        found = read(row)
    except (AttributeError, IndexError, KeyError, TypeError) as problem:
        raise ValueError(f"{type(problem).__name__}: {problem}") from problem
    values: Sequence[float] = found.get("logprobs", ())
    if any(not value <= 1e-6 or math.isinf(value) for value in values):
        raise ValueError(f"a log-likelihood is positive or no number: {values}")
    return found


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


INSPECT: Final = Log("Inspect", "id", partial(_read, _inspect))
_BY_KEY: Final = {
    "filtered_resps": Log("lm-evaluation-harness", "doc_id", partial(_read, _lm_eval)),
    "answer_attribution": Log("Every Eval Ever", "sample_id", partial(_read, _every_eval_ever)),
}
"""Logs of JSON Lines, by a field that no other has."""
