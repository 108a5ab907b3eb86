"""The fields of a line of vectors as text, and what is said of a line that is none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.api.support import quoted
from biascore.errors import ModelLoadError
from biascore_adapters.fasttext.storage import unusable

_COMMA: Final = re.compile(rb"-?\d+(,\d+)?(e-?\d+)?", re.IGNORECASE)
_WHOLE: Final = re.compile(rb"\d+")
_SEPARATORS: Final = (b",", b";", b"|")
_SHOWN: Final = 40
_LEAST_LINES: Final = 3


def parse_values(fields: Sequence[bytes]) -> npt.NDArray[np.float32] | None:
    """The decimal numbers as float32, or None where one is not a number."""
    try:
        values = [float(field) for field in fields if b"_" not in field]  # float() would take 1_000
    except ValueError:
        return None
    with np.errstate(over="ignore"):  # too large for float32 becomes infinite, and is refused as such
        return np.array(values, dtype=np.float32) if len(values) == len(fields) else None


def fields_of(line: bytes) -> list[bytes]:
    """The fields of a line, without the line's end and the space that fastText leaves before it.

    Some programs align numbers by a second space before those without a sign.
    """
    line = line.rstrip(b"\r\n ")
    return line.split() if b"  " in line else line.split(b" ")


def decimal_comma(fields: Sequence[bytes]) -> bool:
    """Whether all fields are numbers, some of which may have a decimal comma."""
    return all(_COMMA.fullmatch(field) for field in fields)


def counts_first(rows: Sequence[Sequence[bytes]]) -> bool:
    """Whether the first numbers of all rows are whole ones above 0, and no other number is: counts of words, it seems."""
    return len(rows) >= _LEAST_LINES and all(
        len(row) > 1
        and _WHOLE.fullmatch(row[0]) is not None
        and int(row[0]) > 0
        and not any(_WHOLE.fullmatch(field.lstrip(b"+-")) for field in row[1:])
        for row in rows
    )


def shown(line: bytes) -> str:
    """The beginning of a line, for a message."""
    return quoted(line[:_SHOWN].decode(errors="replace").strip())


def commas(path: Path, number: int) -> ModelLoadError:
    """The error for decimal commas."""
    return unusable(
        path, f"line {number} has decimal commas", "Write numbers with a point: 0.53 and not 0,53."
    )


def no_vector(path: Path, line: bytes, number: int) -> ModelLoadError:
    """The error for a first line that is neither a header nor a vector: what stands between its numbers, if that is all."""
    fields = fields_of(line)
    if len(fields) > 2 and decimal_comma(fields[1:]):
        return commas(path, number)
    for mark in _SEPARATORS:
        parts = line.strip().split(mark)
        if len(parts) > 2 and (parse_values(parts[1:]) is not None or decimal_comma(parts[1:])):
            return unusable(
                path,
                f"line {number} ({shown(line)}) has its numbers separated by {quoted(mark.decode())}",
                "Separate word and numbers by single spaces.",
            )
    return unusable(
        path,
        f"line {number} ({shown(line)}) is neither a header 'n d' nor a word followed by two or more numbers",
        "Give a file of word vectors, or put a header (words, dimensions) first.",
    )
