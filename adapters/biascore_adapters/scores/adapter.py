"""``scores:`` a file of given scores is a model like any other: published ones, or those of a system out of reach."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Final, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from biascore.api.adapters import Adapter, Backend, Identity, LoadContext, ModelRef, hookimpl
from biascore.api.formats import (
    FrozenMap,
    Row,
    Table,
    TableOptions,
    file_digest,
    read_table,
    read_text,
    user_path,
)
from biascore.api.support import listed, quoted
from biascore.errors import DataError, ModelLoadError, QuestionError

NATS: Final[Mapping[str | None, float]] = MappingProxyType(
    {None: 1.0, "nats": 1.0, "as is": 1.0, "log10": math.log(10), "log2": math.log(2)}
)
READ_AS: Final[Mapping[str | None, str]] = MappingProxyType(
    {None: "as is, no unit given", "nats": "nats, as is", "as is": "nats, as is"}
)


class ScoresOptions(TableOptions):
    """How the file is to be read; ``encoding`` is that of the table, the one with the sentences.

    ``sentences``: a table that holds the sentences, for a file that has a number a line in the same order.
    ``column``: the column of the sentences, there or in the file itself. ``quantity``: what the numbers of such
    a file are called; in a table each further column of numbers is called as its header says, or as
    ``quantities`` says: ``{"template 1" = "bert_t0"}``. ``unit``: of logarithms, which are answered in nats; metrics of
    log-probabilities need it, of other scores it is left out. "as is" is an earlier name of "nats".
    """

    sentences: str | None = None
    column: str = "sentence"
    quantity: str = "score"
    quantities: FrozenMap[str] = Field(default_factory=lambda: MappingProxyType({}))
    unit: Literal["nats", "log10", "log2", "as is"] | None = None


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


class ScoresAdapter(Adapter[ScoresOptions]):
    """Opens a file of numbers, one a line, or a table with sentences and columns of numbers; both also as .gz."""

    id: ClassVar[str] = "scores"
    summary: ClassVar[str] = "given scores of sentences, from a table or a file with a number a line"
    example: ClassVar[str] = "scores:bert_scores.csv"
    answers_version: ClassVar[str | None] = "1"
    capabilities: ClassVar[frozenset[str]] = frozenset({"score"})

    def check(self, ref: ModelRef, options: ScoresOptions, context: LoadContext) -> None:
        """Raise what is wrong with the file: it is read whole, which takes no time next to a model."""
        self.load(ref, options, context)

    def load(self, ref: ModelRef, options: ScoresOptions, context: LoadContext) -> Backend:  # noqa: ARG002
        """Read the file; raises ModelLoadError."""
        path = user_path(ref.locator)
        try:
            files = [path]
            if options.sentences is None:
                given = _within(path, ref.locator, options)
            else:
                numbers = _numbers(ref.locator, read_text(path, ref.locator))
                files.append(user_path(options.sentences))
                given = _beside(ref.locator, numbers, files[1], options)
            digest = hashlib.sha256(
                b"".join(bytes.fromhex(file_digest(f, str(f))) for f in files)
            ).hexdigest()
        except DataError as error:
            raise ModelLoadError(str(error)) from error
        return ScoresBackend(str(ref), given, f"sha256:{digest}", options.unit)


def _numbers(shown: str, text: str) -> list[float]:
    """The numbers of a file that holds nothing else."""
    for number, line in enumerate(text.splitlines(), start=1):
        if any(_number(word) is None for word in line.split()):
            raise DataError(
                f"{shown}, line {number}: is {quoted(line)}, and with the option sentences a file holds numbers only, "
                "with a point. Leave the option out, if this file has the sentences"
            )
    return [float(word) for word in text.split()]


def _table(
    path: Path,
    shown: str,
    options: ScoresOptions,
    numbers: Sequence[str] | None,
) -> Table:
    """The sentences, with the columns of ``numbers``; None: with all that there are."""
    return read_table(
        path,
        shown,
        (options.column, *(numbers or ())),
        None if numbers is None else (),
        encoding=options.encoding,
        remedy="Name the columns with the model's options column and quantities; for a file of bare numbers, name the file "
        "of the sentences with the option sentences",
        flag="-o model.encoding",
    )


def _beside(shown: str, numbers: Sequence[float], sentences: Path, options: ScoresOptions) -> Given:
    table = _table(sentences, str(options.sentences), options, ())
    if len(table.rows) != len(numbers):
        raise DataError(
            f"{shown} holds {len(numbers)} numbers, and {options.sentences} {len(table.rows)} sentences. Give the file of "
            "sentences that the numbers were made from"
        )
    texts = _texts(table, options.column)
    scores = _by_text(shown, texts, numbers, options)
    columns = f"a number a line for column {options.column!r} of {sentences.name}"
    return Given({options.quantity: scores}, len(numbers), columns, table.reading)


def _within(path: Path, shown: str, options: ScoresOptions) -> Given:
    table = _table(path, shown, options, list(options.quantities.values()) or None)
    texts = _texts(table, options.column)
    others = (name for name in table.columns if name != options.column)
    meant = options.quantities or {name: name for name in others if table.looks_numeric(name)}
    table = table.with_numbers(*meant.values())
    scores = {}
    for quantity, column in meant.items():
        cells = [row.fields[column].strip() for row in table.rows]
        numbers = [_number(cell) for cell in cells]
        wrong: list[Row] = [
            row for row, cell, n in zip(table.rows, cells, numbers, strict=True) if cell and n is None
        ]
        if wrong:
            raise DataError(f"{table.display}: {column!r} is no number on {table.places(wrong)}. Correct it")
        given = [(text, n) for text, n in zip(texts, numbers, strict=True) if n is not None]
        scores[quantity] = _by_text(table.display, [t for t, _ in given], [n for _, n in given], options)
    if not scores:
        raise DataError(f"{table.display} has no column of numbers other than {options.column!r}. Add one")
    named = [name if name == column else f"{name} = {column}" for name, column in meant.items()]
    columns = f"columns {', '.join(named)} by {options.column!r}"
    return Given(scores, len(table.rows), columns, table.reading)


def _texts(table: Table, column: str) -> list[str]:
    table.check_filled(column)
    return [row.fields[column] for row in table.rows]


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


def _by_text(
    shown: str, texts: Sequence[str], numbers: Sequence[float], options: ScoresOptions
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
    return {text: number * NATS[options.unit] for text, number in found.items()}
