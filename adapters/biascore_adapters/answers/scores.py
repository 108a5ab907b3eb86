"""A table of scores, or numbers and a table of their sentences, read whole, checked, and looked up."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from pathlib import Path
from types import MappingProxyType
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.api.adapters import Backend, Identity, ModelRef, hookimpl
from biascore.api.formats import Row, Table, read_table, read_text, source_digest
from biascore.api.support import listed, quoted
from biascore.errors import DataError, QuestionError
from biascore_adapters.answers.options import FLAG, AnswersOptions

NATS: Final[Mapping[str | None, float]] = MappingProxyType(
    {None: 1.0, "nats": 1.0, "log10": math.log(10), "log2": math.log(2)}
)
READ_AS: Final[Mapping[str | None, str]] = MappingProxyType(
    {None: "as is, no unit given", "nats": "nats, as is"}
)


WRITE_NUMBERS: Final = (
    "Write numbers, 1 and 0 for yes and no, or say what words mean with the model's option numbers"
)
SHOWN: Final = 5
"""Columns that a message shows values of."""


@dataclass(frozen=True, slots=True)
class Given:
    """Scores by quantity and text, and how they were read."""

    scores: Mapping[str, Mapping[str, float]]
    rows: int
    columns: str
    reading: str


class ScoresBackend(Backend):
    """Answers ``score`` from a file, and nothing that is not in it."""

    batch = 100_000

    @classmethod
    def read(
        cls, ref: ModelRef, path: Path, sentences: Path | None, text: str, how: AnswersOptions
    ) -> ScoresBackend:
        """From a table, or a file of numbers and the table of their ``sentences``; raises DataError."""
        if sentences is None:
            given, files = _within(path, ref.locator, text, how), [path]
        else:
            numbers = _numbers(ref.locator, read_text(path, ref.locator))
            given = _read_next_to(ref.locator, numbers, sentences, text, how)
            files = [path, sentences]
        digests = b"".join(bytes.fromhex(source_digest(file, str(file))) for file in files)
        return cls(str(ref), given, f"sha256:{hashlib.sha256(digests).hexdigest()}", how.unit)

    def __init__(self, shown: str, given: Given, digest: str, unit: str | None) -> None:
        self._shown = shown
        self._scores = given.scores
        read_as = READ_AS.get(unit, f"{unit}, converted to nats")
        self.identity = Identity(
            digest,
            quantities=tuple(given.scores),
            facts={"rows": given.rows},
            conventions={"scores read as": f"{read_as}; {given.columns}; {given.reading}"},
            in_nats=unit is not None,
        )

    @hookimpl
    def score(self, texts: tuple[str, ...], quantity: str) -> npt.NDArray[np.float64]:
        """The given scores; raises QuestionError for a quantity or a text that the file has not."""
        if quantity not in self._scores:
            raise QuestionError(
                f"{self._shown} holds no {quantity!r}; it holds: {listed(list(self._scores))}. Name them with the "
                "model's options quantity or quantities"
            )
        known = self._scores[quantity]
        missing = [text for text in texts if text not in known]
        if missing:
            raise QuestionError(
                f"{self._shown} has no {quantity!r} for {len(missing)} of {len(texts)} texts, such as {quoted(missing[0])}. "
                "Give the file that belongs to these sentences"
            )
        return np.array([known[text] for text in texts], dtype=np.float64)


def _numbers(shown: str, text: str) -> list[float]:
    """The numbers of a file that holds nothing else."""
    for number, line in enumerate(text.splitlines(), start=1):
        if any(_number(word) is None for word in line.split()):
            raise DataError(
                f"{shown}, line {number}: is {quoted(line)}, and with the option sentences a file holds numbers only, "
                "with a point. Leave the option out, if this file has the sentences"
            )
    return [float(word) for word in text.split()]


def _table(path: Path, shown: str, text: str, how: AnswersOptions, numbers: Sequence[str] | None) -> Table:
    """The texts, with the columns of ``numbers``; None: with all that there are."""
    return read_table(
        path,
        shown,
        (text, *how.only, *(numbers or ())),
        None if numbers is None else (),
        encoding=how.encoding,
        remedy="Name the columns with the model's options text, translation and quantities; for a file of bare numbers, "
        "name the file of the sentences with the option sentences",
        flag=FLAG,
    )


def _kept(table: Table, how: AnswersOptions) -> list[bool]:
    """Whether each row has the values of ``only``; raises DataError where none has."""
    kept = [all(row.fields[name] == value for name, value in how.only.items()) for row in table.rows]
    if not any(kept):
        conditions = " and ".join(f"{name} = {value!r}" for name, value in how.only.items())
        raise DataError(f"{table.display} has no row with {conditions}. Correct the option only")
    return kept


def _read_next_to(
    shown: str, numbers: Sequence[float], sentences: Path, text: str, how: AnswersOptions
) -> Given:
    table = _table(sentences, str(sentences), text, how, ())
    if len(table.rows) != len(numbers):
        raise DataError(
            f"{shown} holds {len(numbers)} numbers, and {sentences} {len(table.rows)} sentences. Give the file of "
            "sentences that the numbers were made from"
        )
    kept = _kept(table, how)
    texts = list(compress(_texts(table, text), kept))
    scores = _by_text(shown, texts, list(compress(numbers, kept)), how)
    columns = f"a number a line for column {text!r} of {sentences.name}"
    return Given({how.quantity: scores}, len(texts), columns, table.reading)


def _within(path: Path, shown: str, text: str, how: AnswersOptions) -> Given:
    table = _table(path, shown, text, how, list(how.quantities.values()) or None)
    table = replace(table, rows=tuple(compress(table.rows, _kept(table, how))))
    texts = _texts(table, text)
    others = [name for name in table.columns if name != text and name not in how.only]
    if how.numbers:
        table = _of_words(table, others, how.numbers)
    meant = how.quantities or {name: name for name in others if table.looks_numeric(name)}
    table = table.with_numbers(*meant.values())
    scores = {}
    for quantity, column in meant.items():
        cells = [row.fields[column].strip() for row in table.rows]
        numbers = [_number(cell) for cell in cells]
        wrong: list[Row] = [
            row for row, cell, n in zip(table.rows, cells, numbers, strict=True) if cell and n is None
        ]
        if wrong:
            raise DataError(
                f"{table.display}: {column!r} is no number on {table.places(wrong)}, such as "
                f"{quoted(wrong[0].fields[column])}. {WRITE_NUMBERS}"
            )
        given = [(one, n) for one, n in zip(texts, numbers, strict=True) if n is not None]
        scores[quantity] = _by_text(table.display, [t for t, _ in given], [n for _, n in given], how)
    if not scores:
        held = "; ".join(f"{quoted(name)} holds {_values(table, name)}" for name in others[:SHOWN])
        held += f"; {len(others) - SHOWN} more columns" if len(others) > SHOWN else ""
        raise DataError(
            f"{table.display} has no column of numbers other than {text!r}, and none of translations"
            f"{f' ({held})' if held else ''}. {WRITE_NUMBERS}, or name the column of translations with the option "
            "translation"
        )
    named = [name if name == column else f"{name} = {column}" for name, column in meant.items()]
    columns = f"columns {', '.join(named)} by {text!r}"
    if how.numbers:
        columns += f", {', '.join(f'{word} = {number:g}' for word, number in how.numbers.items())}"
    return Given(scores, len(table.rows), columns, table.reading)


def _of_words(table: Table, columns: Sequence[str], numbers: Mapping[str, float]) -> Table:
    """The table with numbers for words, in columns of nothing else; raises DataError where there is no such column."""
    words = {
        name: dict.fromkeys(filter(None, (row.fields[name].strip() for row in table.rows)))
        for name in columns
    }
    meant = [name for name, cells in words.items() if cells and all(cell in numbers for cell in cells)]
    if not meant:
        near = {name: cells for name, cells in words.items() if any(cell in numbers for cell in cells)}
        held = "; ".join(
            f"{quoted(name)} also holds {listed([one for one in cells if one not in numbers][:SHOWN])}"
            for name, cells in near.items()
        )
        raise DataError(
            f"{table.display} has no column of nothing but {listed(list(numbers))}{f': {held}' if held else ''}. Give each "
            "word of the column a number with the model's option numbers"
        )
    rows = tuple(
        row._replace(fields={**row.fields, **{name: _as_number(row.fields[name], numbers) for name in meant}})
        for row in table.rows
    )
    return replace(table, rows=rows)


def _as_number(cell: str, numbers: Mapping[str, float]) -> str:
    """The number of a word, and a blank cell as it is."""
    return repr(float(numbers[cell.strip()])) if cell.strip() else ""


def _values(table: Table, column: str) -> str:
    """The first two different values."""
    return listed([*dict.fromkeys(filter(None, (row.fields[column] for row in table.rows)))][:2])


def _texts(table: Table, column: str) -> list[str]:
    table.check_filled(column)
    return [row.fields[column] for row in table.rows]


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


def _by_text(
    shown: str, texts: Sequence[str], numbers: Sequence[float], how: AnswersOptions
) -> dict[str, float]:
    """The score of each text; a text that stands twice must have one score."""
    found: dict[str, float] = {}
    for text, number in zip(texts, numbers, strict=True):
        if not math.isfinite(number):
            raise DataError(f"{shown}: the score of {quoted(text)} is {number}. Leave the sentence out")
        if found.setdefault(text, number) != number:
            raise DataError(
                f"{shown}: {quoted(text)} stands there with the scores {found[text]} and {number}. Keep one"
            )
    return {text: number * NATS[how.unit] for text, number in found.items()}
