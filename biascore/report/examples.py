"""Clear examples of a measurement: items in the direction that was found, and items against it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from biascore.report.items import finite
from biascore.results.figures import Examples
from biascore.results.measurement import Measurement

MOST: Final = 4
"""Examples on each side."""

Piece = tuple[str, bool]
"""A piece of a text, and whether it is marked."""


@dataclass(frozen=True, slots=True)
class Example:
    """An item with what is next to it, in pieces, of which the words that decide are marked."""

    item: str
    group: str
    beside: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """The examples of a measurement: some of the ``n_for`` items that follow and of the ``n_against`` that do not.

    ``apart`` are some that count for neither, with the reason behind their group.
    """

    figure: Examples
    follow: tuple[Example, ...]
    against: tuple[Example, ...]
    n_for: int
    n_against: int
    apart: tuple[Example, ...] = ()


def examples_of(measurement: Measurement) -> Told | None:
    """What the metric asked for, or None where it asked for none, or where the table has not the columns or none."""
    figure = next((one for one in measurement.figures if isinstance(one, Examples)), None)
    names = set(measurement.items.column_names)
    if figure is None or not {"item", "group", figure.follows} <= names:
        return None
    rows = measurement.items.to_pylist()
    follow, against = (
        [row for row in rows if _follows(row[figure.follows]) is side] for side in (True, False)
    )
    apart = tuple(_apart(rows, figure))
    if not (follow or against or apart):
        return None
    return Told(
        figure,
        tuple(_example(row, figure) for row in _strongest(follow, figure.follows)),
        tuple(_example(row, figure) for row in _strongest(against, figure.follows)),
        len(follow),
        len(against),
        apart,
    )


def _follows(value: Any) -> bool | None:
    if isinstance(value, bool) or value is None:
        return value
    number = finite(value)
    return None if number is None or number == 0 else number > 0


def _strongest(rows: Iterable[Mapping[str, Any]], by: str) -> list[Mapping[str, Any]]:
    """The strongest, where numbers tell it, of equals the shortest; of another group each while there are groups."""
    order = sorted(rows, key=lambda row: (-abs(float(row[by])), len(row["item"]), row["item"]))
    first: dict[str, Mapping[str, Any]] = {}
    for row in order:
        first.setdefault(row["group"], row)
    heads = {id(row) for row in first.values()}
    return [*first.values(), *(row for row in order if id(row) not in heads)][:MOST]


def _apart(rows: Sequence[Mapping[str, Any]], figure: Examples) -> Iterator[Example]:
    for reason in figure.of_apart if figure.apart else ():
        row = next((row for row in rows if row.get(figure.apart) == reason), None)
        if row is not None:
            yield _example({**row, "group": f"{row['group']}, {reason}"}, figure)


def _example(row: Mapping[str, Any], figure: Examples) -> Example:
    beside = row.get(figure.beside[0]) if figure.beside else None
    marked = row.get(figure.marked) if figure.marked else None
    return Example(row["item"], row["group"], _pieces(beside or "", marked or ""))


def _pieces(text: str, marked: str) -> tuple[Piece, ...]:
    """The text cut where whole words of it are marked, in whatever letter case; a comma in a number separates none."""
    words = [re.escape(word.strip()) for word in marked.split(", ") if word.strip()]
    if not words:
        return ((text, False),) if text else ()
    cut = re.split(
        rf"(?<!\w)({'|'.join(sorted(words, key=len, reverse=True))})(?!\w)", text, flags=re.IGNORECASE
    )
    return tuple((piece, place % 2 == 1) for place, piece in enumerate(cut) if piece)
