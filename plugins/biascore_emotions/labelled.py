"""Texts labelled with the intensity of emotions: any table, or the files of SemEval-2018 Task 1, EI-reg."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_DOWN, Decimal, InvalidOperation
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from biascore.api.formats import Row, Table, read_table, read_text, source_digest, user_path
from biascore.api.support import either, kind_of, listed, quoted
from biascore.errors import DataError, OptionsError

SHIPPED: Final = "shipped:"
"""What the name of a labelled set begins with that comes with biascore: ``shipped:en``."""

EI_REG: Final = ("ID", "Tweet", "Affect Dimension", "Intensity Score")
COLUMNS: Final = ("text", "emotion", "score")
_FOLDER: Final = Path(__file__).parent / "labelled_sets"
_FARTHEST: Final = 1e9
_NARROWEST: Final = 1e-6
_MOST_DECIMALS: Final = 15  # those that a float64 keeps
_EI_REG_COLUMNS: Final = MappingProxyType(dict(zip(COLUMNS, EI_REG[1:], strict=True)))


class Labelled(NamedTuple):
    """A text with the intensity of an emotion in it, 0 to 1; ``line`` is where it is in its file."""

    line: int
    text: str
    emotion: str
    score: float


@dataclass(frozen=True, slots=True)
class LabelledFile:
    """The rows of a file; ``name`` is that of the file, ``sha256`` that of its bytes, ``read_as`` how they were read."""

    name: str
    sha256: str
    rows: tuple[Labelled, ...]
    read_as: str = "utf-8"

    def of(self, emotion: str) -> tuple[Labelled, ...]:
        """The rows of one emotion."""
        return tuple(row for row in self.rows if row.emotion == emotion)


@dataclass(frozen=True, slots=True)
class Reading:
    """How labelled files are read.

    ``columns``: the file's own names for ``text``, ``emotion`` and ``score``. ``clean``: mentions of users before white
    space and ``&amp;`` are taken out and runs of spaces made one, as the code of Câmara et al. 2022 does. ``decimals``:
    scores are cut to so many, toward 0; their code cuts the third. ``bounds``: the range of the scores in the file, which
    is mapped onto 0 to 1. Raises OptionsError.
    """

    columns: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    encoding: str = "utf-8"
    clean: bool = False
    decimals: int | None = None
    bounds: tuple[float, float] = (0.0, 1.0)

    def __post_init__(self) -> None:
        unknown = [name for name in self.columns if name not in COLUMNS]
        if unknown:
            raise OptionsError(
                f"no column is called {listed(unknown)}; there are {', '.join(COLUMNS)}. Write, for "
                f"example: {_columns(text='Tweet')}"
            )
        low, high = self.bounds
        if not (-_FARTHEST <= low <= high - _NARROWEST and high <= _FARTHEST):
            raise OptionsError(
                f"the range {low:g} to {high:g} is none: it has to be within ±{_FARTHEST:,.0f}, at least {_NARROWEST:g} "
                "wide. Give the lowest and the highest score that there can be, such as: " + _range(0, 10)
            )
        if self.decimals is not None and not 1 <= self.decimals <= _MOST_DECIMALS:
            raise OptionsError(
                f"scores cannot be cut to {self.decimals} decimals. Give a number from 1 to {_MOST_DECIMALS}, or leave it "
                "out"
            )

    @property
    def record(self) -> dict[str, object]:
        """How it was, for the record of what was trained."""
        return {"clean": self.clean, "decimals": self.decimals, "range": list(self.bounds)}


def cleaned(text: str) -> str:
    """A tweet without mentions that white space follows, as the code of Câmara et al. 2022 makes it."""
    return re.sub(r" +", " ", re.sub(r"(@.*?)[\s]", " ", text).replace("&amp;", "&"))


def shipped_sets() -> tuple[str, ...]:
    """The names of the labelled sets that come with biascore: ``shipped:en``, …"""
    return tuple(f"{SHIPPED}{path.stem}" for path in sorted(_FOLDER.glob("*.csv")))


def read_labelled(source: str | Path, reading: Reading, emotions: Sequence[str] = ()) -> LabelledFile:
    """The labelled rows of a file, of those of the ``emotions`` that it has (none named: of all).

    A file with a column of emotions has a row for a text and an emotion; one without has a column of scores for each
    emotion, called as it is, or, where one emotion is named, a column of scores that are of that. Emotions are compared
    without case. Raises DataError naming file and lines, OptionsError for options that do not fit.
    """
    display = str(source)
    path = _place(display)
    wanted = tuple(dict.fromkeys(_emotion(name) for name in emotions))
    table, columns = _table(path, display, reading)
    table.check_filled(columns["text"])
    long = columns["emotion"] in table.columns
    of = {"": _score_column(table, columns)} if long else _emotion_columns(table, columns, wanted)
    table = table.with_numbers(*of.values())
    cells = list(_long(table, columns, of[""], wanted) if long else _wide(table, columns, of))
    return LabelledFile(
        path.name, source_digest(path, display), _scored(table, cells, reading), table.reading
    )


def _place(display: str) -> Path:
    if not display.startswith(SHIPPED):
        return user_path(display)
    if display not in shipped_sets():
        raise OptionsError(
            f"{display} is no labelled set that comes with biascore; there are: {', '.join(shipped_sets())}. Name one of "
            "them, or a file"
        )
    return _FOLDER / f"{display.removeprefix(SHIPPED)}.csv"


def _table(path: Path, display: str, reading: Reading) -> tuple[Table, Mapping[str, str]]:
    """The table, and what its columns of text, emotion and score are called."""
    if kind_of(path) == "csv":
        header = read_text(path, display, encoding=reading.encoding).partition("\n")[0].rstrip("\r")
        if tuple(header.split("\t")) == EI_REG:
            # The official files put no quotation marks around fields, and tweets hold them.
            table = read_table(
                path, display, EI_REG, delimiter="tab", quotes=False, encoding=reading.encoding
            )
            return table, {**_EI_REG_COLUMNS, **reading.columns}
    columns = {name: reading.columns.get(name, name) for name in COLUMNS}
    table = read_table(
        path,
        display,
        list(dict.fromkeys([columns["text"], *reading.columns.values()])),
        None,
        encoding=reading.encoding,
        remedy=f"Name the file's own columns, such as: {_columns(text='sentence', score='intensity')}",
        flag=either("--encoding", "encoding"),
    )
    return table, columns


class _Cell(NamedTuple):
    row: Row
    text: str
    emotion: str
    column: str


def _score_column(table: Table, columns: Mapping[str, str]) -> str:
    if columns["score"] not in table.columns:
        raise DataError(
            f"{table.display} has a column {quoted(columns['emotion'])} and none called {quoted(columns['score'])}; its "
            f"columns are: {listed(table.columns)}. Name that of the scores: {_columns(score='NAME')}"
        )
    return columns["score"]


def _long(table: Table, columns: Mapping[str, str], score: str, wanted: Sequence[str]) -> Iterable[_Cell]:
    table.check_filled(columns["emotion"])
    held = list(dict.fromkeys(_emotion(row.fields[columns["emotion"]]) for row in table.rows))
    if wanted and not {*wanted} & {*held}:
        raise DataError(
            f"{table.display} has no row of {listed(wanted)}; its emotions are: {listed(held)}. Name one of these with "
            f"{either('--emotion', 'emotions')}, or give the file of that emotion"
        )
    for row in table.rows:
        emotion = _emotion(row.fields[columns["emotion"]])
        if not wanted or emotion in wanted:
            yield _Cell(row, row.fields[columns["text"]], emotion, score)


def _emotion_columns(table: Table, columns: Mapping[str, str], wanted: Sequence[str]) -> dict[str, str]:
    """The column of scores of each emotion."""
    others = {_emotion(name): name for name in table.columns if name != columns["text"]}
    if not wanted:
        raise DataError(
            f"{table.display} has no column {quoted(columns['emotion'])}; its columns are: {listed(table.columns)}. Say "
            f"which columns hold scores of an emotion, such as: {emotion_option('anger')}; or name the column of the "
            f"emotions: {_columns(emotion='NAME')}"
        )
    named = {name: others[name] for name in wanted if name in others}
    if not named and len(wanted) == 1 and columns["score"] in table.columns:
        named = {wanted[0]: columns["score"]}
    if not named:
        raise DataError(
            f"{table.display} has no scores of {listed(wanted)}; its columns are: {listed(table.columns)}. Name an emotion "
            f"that it has with {either('--emotion', 'emotions')}, or give the file of that emotion"
        )
    return named


def _wide(table: Table, columns: Mapping[str, str], of: Mapping[str, str]) -> Iterable[_Cell]:
    for emotion, column in of.items():
        for row in table.rows:
            if row.fields[column].strip():  # not every text need be labelled for every emotion
                yield _Cell(row, row.fields[columns["text"]], emotion, column)


def _scored(table: Table, cells: Sequence[_Cell], reading: Reading) -> tuple[Labelled, ...]:
    """The rows with their scores; raises DataError where one is no number or lies outside its range."""
    numbers = [_number(cell.row.fields[cell.column]) for cell in cells]
    unlabelled = [c.row for c in cells if c.row.fields[c.column].strip() == "NONE"]
    if unlabelled:
        raise DataError(
            f"{table.display} has the score NONE on {table.places(unlabelled)}: it is the file without labels. Give the one "
            "with them, whose name ends in test-gold"
        )
    wrong = [cell for cell, number in zip(cells, numbers, strict=True) if number is None]
    if wrong:
        first = wrong[0]
        raise DataError(
            f"{table.display}: {quoted(first.column)} is no number on {table.places([cell.row for cell in wrong])}, such as "
            f"{quoted(first.row.fields[first.column])}. Correct it"
        )
    low, high = reading.bounds
    found = [float(number) for number in numbers if number is not None]
    outside = [c.row for c, number in zip(cells, found, strict=True) if not low <= number <= high]
    if outside:
        raise DataError(
            f"{table.display}: the score lies outside {low:g} to {high:g} on {table.places(outside)} ({len(outside):,} in "
            f"all; the lowest is {min(found):g}, the highest {max(found):g}). State the range of the scores, such as: "
            + _range(min(low, *found), max(high, *found))
        )
    least, width = Decimal(repr(low)), Decimal(repr(high)) - Decimal(repr(low))
    rows = []
    for cell, number in zip(cells, [number for number in numbers if number is not None], strict=True):
        text = cleaned(cell.text) if reading.clean else cell.text
        if not text.strip():
            raise DataError(
                f"{table.display}: the text is empty on {table.places([cell.row])} once it is cleaned. Delete the row"
            )
        if reading.decimals is not None:
            number = number.quantize(Decimal(1).scaleb(-reading.decimals), ROUND_DOWN)
        rows.append(Labelled(cell.row.line, text, cell.emotion, float((number - least) / width)))
    return tuple(rows)


def _emotion(name: str) -> str:
    return name.strip().casefold()


def _number(cell: str) -> Decimal | None:
    try:
        number = Decimal(cell.strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def emotion_option(name: str) -> str:
    """How a reader names an emotion: an option, or an argument in Python."""
    return either(f"--emotion {name}", f"emotions=[{name!r}]")


def _columns(**names: str) -> str:
    return either(" ".join(f"--column {own}={name}" for own, name in names.items()), f"columns={names}")


def _range(low: float, high: float) -> str:
    return either(f"--range {low:g} {high:g}", f"bounds=({low:g}, {high:g})")
