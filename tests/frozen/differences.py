"""What moved between two sets of frozen records, field by field, and the table that says so."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from .records import NAMED, Record, keyed

CLOSE = 1e-6, 1e-9
"""Relative and absolute: within these two numbers are equal, because another BLAS adds in another order."""
CLOSE_IN_FLOAT32 = 1e-4, 1e-6
"""The same for models of float32, whose answers depend on the number of threads."""
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e-?\d+)?")
WIDTH = 100
ABSENT = "(not there)"


class Difference(NamedTuple):
    """A field of a measurement before and after."""

    measurement: str
    field: str
    before: Any
    after: Any


def differences(
    before: Iterable[Record], after: Iterable[Record], glob: str = "*", close: tuple[float, float] = CLOSE
) -> list[Difference]:
    """All that differs in measurements whose key fits the glob; a part of a key is enough."""
    return [one for one in _differences(keyed(before), keyed(after), close) if fits(one.measurement, glob)]


def fits(key: str, glob: str) -> bool:
    """Whether the glob, or the glob within something, is this key."""
    return fnmatchcase(key, glob) or fnmatchcase(key, f"*{glob}*")


def _differences(
    before: Mapping[str, Record], after: Mapping[str, Record], close: tuple[float, float]
) -> Iterator[Difference]:
    for key in [*before, *(key for key in after if key not in before)]:
        if key not in before:
            yield Difference(key, "measurement", ABSENT, "additional")
        elif key not in after:
            yield Difference(key, "measurement", "frozen", "missing")
        else:
            old, new = dict(_fields(before[key])), dict(_fields(after[key]))
            for name in [*old, *(name for name in new if name not in old)]:
                values = old.get(name, ABSENT), new.get(name, ABSENT)
                if not same(*values, close):
                    yield Difference(key, name, *values)


def same(before: Any, after: Any, close: tuple[float, float] = CLOSE) -> bool:
    """Whether two values are equal: numbers within rounding, all else exactly."""
    if isinstance(before, bool) or isinstance(after, bool):
        return before is after
    if isinstance(before, float | int) and isinstance(after, float | int):
        both_nan = math.isnan(before) and math.isnan(after)
        return both_nan or math.isclose(before, after, rel_tol=close[0], abs_tol=close[1])
    if close == CLOSE_IN_FLOAT32 and isinstance(before, str) and isinstance(after, str):
        return _alike(before, after)
    return type(before) is type(after) and before == after


def _alike(before: str, after: str) -> bool:
    """Whether two texts are equal but for the last of three digits of their numbers."""
    old, new = NUMBER.split(before), NUMBER.split(after)
    numbers = zip(NUMBER.findall(before), NUMBER.findall(after), strict=False)
    return old == new and all(
        math.isclose(float(one), float(other), rel_tol=1e-2, abs_tol=1e-3) for one, other in numbers
    )


def _fields(record: Record) -> Iterator[tuple[str, Any]]:
    """The single values of a record by name; estimates, p-values and caveats by theirs, so that none shifts another."""
    for name, value in record.items():
        if name == "estimates":
            yield name, " | ".join(one[0] for one in value)
            for number, estimate in enumerate(value):
                yield from _of_estimate(_numbered(value, number), estimate)
        elif name == "caveats":
            for number, (_, short, verdict) in enumerate(value):
                told = f"touches {'the verdict' if verdict else 'a detail'}"
                yield f"caveat: {_numbered(value, number)}", f"{told}, short: {short!r}"
        elif name not in NAMED:
            yield from _parts(name, value)


def _of_estimate(name: str, estimate: list[Any]) -> Iterator[tuple[str, Any]]:
    _, unit, value, n, interval, p_values = estimate
    yield name, value
    yield f"{name}, unit", unit
    for group, count in n.items():
        yield f"{name}, n of {group}", count
    if interval:
        yield from zip(
            (f"{name}, {end}" for end in ("low", "high", "level", "method")), interval, strict=True
        )
    for number, (_, p, kind, alternative) in enumerate(p_values):
        which = f"{name}, p[{_numbered(p_values, number)}]"
        yield which, p
        yield f"{which}, kind", kind
        yield f"{which}, alternative", alternative
    if p_values:
        yield f"{name}, which p decides", p_values[0][0]


def _numbered(named: list[list[Any]], number: int) -> str:
    """The name of one of them, with its number from the second of that name on."""
    name: str = named[number][0]
    before = sum(one[0] == name for one in named[:number])
    return f"{name} ({before + 1})" if before else name


def _parts(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _parts(f"{name}.{key}", one)
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from _parts(f"{name}[{number}]", one)
    else:
        yield name, value


def table(found: Iterable[Difference], most: int | None = None) -> str:
    """The differences as text: a measurement a heading, below it a field a line, before and after."""
    rows = list(found)
    lines: list[str] = []
    last = ""
    for one in rows[:most]:
        if one.measurement != last:
            lines.append(one.measurement)
            last = one.measurement
        before, after = _cut(one.before, one.after)
        lines.append(f"    {one.field[:WIDTH]}: {before} -> {after}")
    if most is not None and len(rows) > most:
        lines.append(f"... and {len(rows) - most} more")
    measurements = len({one.measurement for one in rows})
    lines.append(f"{len(rows)} values differ, of {measurements} measurements")
    return "\n".join(lines)


def _cut(before: Any, after: Any) -> tuple[str, str]:
    """Both as text, from a little before the place where they begin to differ."""
    texts = [str(before), str(after)]
    if max(map(len, texts)) <= WIDTH:
        return texts[0], texts[1]
    start = next((at for at, pair in enumerate(zip(*texts, strict=False)) if len(set(pair)) > 1), 0)
    start = max(0, start - WIDTH // 4)
    shown = [("..." if start else "") + text[start : start + WIDTH] for text in texts]
    return shown[0], shown[1]
