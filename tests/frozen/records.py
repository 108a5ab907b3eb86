"""A measurement as plain values that can be frozen: everything that a reader is told of it, and nothing of when or where."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from biascore import Measurement, Run
from biascore.results.estimates import Estimate
from biascore.results.verdicts import RunVerdict, State, describe_verdict, reason_of

Record = dict[str, Any]
NAMED = ("where", "metric", "variant", "test", "subject", "model")
"""What tells one measurement from another; what is equal in all of them is numbered."""
LONG = 48
"""Strings that are longer are written once in a file."""
MARK = "#"
SAME = "="
"""For the p-values of an estimate that are those of the estimate before it."""


def records(where: str, run: Run, hidden: Mapping[str, str] | None = None) -> Iterator[Record]:
    """Every measurement of a run, what failed in it, and what the run says as a whole.

    ``hidden``: strings that differ from call to call, as the path of a temporary folder, and what is written for them.
    """
    for measurement, said in zip(run, run.verdicts, strict=True):
        yield _plain({"where": where, **_of(measurement, said, run)}, hidden or {})
    for failure in run.failed:
        named = {"metric": failure.metric, "test": failure.test, "model": failure.model}
        yield _plain({"where": where, **named, "failed": failure.message}, hidden or {})
    lines = {"result": run.result_lines, "controls": run.control_lines, "warnings": run.warnings}
    yield _plain({"where": where, "metric": "(the run)", **lines}, hidden or {})


def refused(where: str, metric: str, test: str, error: Exception) -> Record:
    """What a metric says of a test that it does not take."""
    return {"where": where, "metric": metric, "test": test, "refused": str(error)}


def _of(one: Measurement, said: RunVerdict, run: Run) -> Record:
    found: Record = {
        "metric": one.metric,
        "variant": one.variant,
        "subject": one.subject,
        "test": one.test,
        "model": one.model,
        "estimates": [_estimate(estimate) for estimate in one.estimates],
        "alone": one.verdict.value,
        "state": State.of(one, said).value,
        "told": describe_verdict(one, said),
        "role": said.role.value,
        "family": said.family,
        "family_tests": said.tests,
        "p_adjusted": said.p_adjusted,
        "alpha": one.alpha,
        "bound": one.equivalence and one.equivalence.bound,
        "bound_of": one.equivalence and one.equivalence.of,
        "reason": one.reason,
        "reason_in_run": reason_of(one, said, run.adjustment).replace(one.reason, "(reason)"),
        "quote": one.quote,
        "dimensions": dict(one.dimensions),
        "caveats": [[each.text, each.short, each.verdict] for each in one.caveats],
        "conventions": dict(one.conventions),
        "specificity": one.specificity and one.specificity.model_dump(mode="json"),
        "lost": [lost.model_dump(mode="json") for lost in one.coverage.missing],
    }
    return {name: value for name, value in found.items() if value not in (None, "", [], {})}


def _estimate(one: Estimate) -> list[Any]:
    """Name, unit, value, n, interval (low, high, level, method), p-values (name, value, kind, alternative)."""
    ends = one.interval
    interval = ends and [ends.low, ends.high, ends.level, ends.method]
    p_values = [[p.name, p.value, p.kind, p.alternative] for p in one.p_values]
    return [one.name, one.unit, one.value, dict(one.n), interval, p_values]


def _plain(value: Any, hidden: Mapping[str, str]) -> Any:
    """Floats with nine digits, sequences as lists, strings without what is hidden."""
    match value:
        case float():
            return float(f"{value:.9g}") if abs(value) > 1e-12 else 0.0
        case str():
            for text, instead in hidden.items():
                value = value.replace(text, instead)
            return value
        case Mapping():
            return {str(key): _plain(one, hidden) for key, one in value.items()}
        case list() | tuple():
            return [_plain(one, hidden) for one in value]
    return value


def keyed(found: Iterable[Record]) -> dict[str, Record]:
    """The records by what they are of."""
    seen: Counter[str] = Counter()
    by_key: dict[str, Record] = {}
    for record in found:
        key = " | ".join(str(record[name]) for name in NAMED if record.get(name))
        seen[key] += 1
        by_key[key if seen[key] == 1 else f"{key} | {seen[key]}"] = record
    return by_key


def write(path: Path, found: Iterable[Record]) -> None:
    """Write a record a line; long strings and conventions come after them, a line each, and once."""
    texts: dict[str, Any] = {}
    lines = [_line(_short(_once(record), texts)) for record in found]
    lines += [_line({MARK: name, "is": texts[name]}) for name in sorted(texts)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def read(path: Path) -> list[Record]:
    """The records of a file that ``write`` wrote."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    texts = {line[MARK]: line["is"] for line in lines if MARK in line}
    return [_again(_whole(line, texts)) for line in lines if MARK not in line]


def _once(record: Record) -> Record:
    """The record with p-values written once where an estimate has those of the one before it."""
    if "estimates" not in record:
        return record
    p_values = [one[-1] for one in record["estimates"]]
    same = [bool(new) and new == old for old, new in zip([None, *p_values], p_values, strict=False)]
    every = zip(record["estimates"], same, strict=True)
    return record | {"estimates": [[*one[:-1], SAME if known else one[-1]] for one, known in every]}


def _again(record: Record) -> Record:
    """What ``_once`` left out."""
    estimates: list[list[Any]] = []
    for one in record.get("estimates", []):
        # A copy, so that a change of one changes no other.
        known = one[-1] == SAME
        estimates.append([*one[:-1], [list(p) for p in estimates[-1][-1]]] if known else one)
    return record | {"estimates": estimates} if estimates else record


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _short(value: Any, texts: dict[str, Any], name: str = "") -> Any:
    if isinstance(value, dict) and name != "conventions":
        return {key: _short(one, texts, key) for key, one in value.items()}
    if isinstance(value, list):
        return [_short(one, texts) for one in value]
    if isinstance(value, dict):
        value = {key: _short(one, texts) for key, one in value.items()}
    if isinstance(value, dict) or (isinstance(value, str) and len(value) > LONG):
        digest = hashlib.sha256(_line(value).encode()).hexdigest()[:10]
        assert texts.setdefault(digest, value) == value
        return {MARK: digest}
    return value


def _whole(value: Any, texts: Mapping[str, Any]) -> Any:
    if isinstance(value, dict):
        if MARK in value:
            return _whole(texts[value[MARK]], texts)
        return {key: _whole(one, texts) for key, one in value.items()}
    return [_whole(one, texts) for one in value] if isinstance(value, list) else value
