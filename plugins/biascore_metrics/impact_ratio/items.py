"""Kind ``outcomes``: people, each with the categories that a decision about them is compared by, and their format.

A table has a row for each person about whom something was decided: the categories in columns of their own.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Self

from pydantic import BeforeValidator, Field, field_validator, model_validator

from biascore.api.formats import (
    DataFile,
    DataFormat,
    Delimiter,
    Row,
    Table,
    TableOptions,
    parse_toml,
    read_table,
    read_text,
    table_columns,
)
from biascore.api.kinds import Resizing, Rows, said
from biascore.api.stimuli import Test
from biascore.api.support import listed, quoted
from biascore.errors import DataError


@dataclass(frozen=True, slots=True)
class Person:
    """What a model is asked about, an id or a text, and a category of each group; empty where it is not stated.

    ``cells``: what stands there instead, as Unknown, by group; empty where nothing does. ``cluster``: what decisions are
    made within, as an opening.
    """

    text: str
    categories: tuple[str, ...]
    cells: tuple[str, ...] = ()
    cluster: str = ""

    def __str__(self) -> str:
        return f"{self.text}: {', '.join(self.categories)}"


@dataclass(frozen=True, kw_only=True)
class People(Rows[Person]):
    """People in the order of their source; ``groups`` names what their categories are of, such as sex and race.

    ``cluster`` names what their clusters are, such as opening; empty where none are known.
    """

    key = "people"

    groups: tuple[str, ...]
    cluster: str = ""

    def texts(self) -> Iterable[str]:
        """Nothing: ids of people are in no language."""
        return ()

    @property
    def unstated(self) -> Iterator[tuple[str, str, str]]:
        """Groups of which people state no category: the group, the text of the person, what stands there; "" if blank."""
        for place, group in enumerate(self.groups):
            for one in self.rows:
                if not one.categories[place]:
                    yield group, one.text, one.cells[place] if one.cells else ""

    def entries(self) -> dict[str, Any]:
        return {"groups": list(self.groups), **super().entries()}


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomesTest(Test):
    """Kind ``outcomes``: the outcomes themselves are what a model, or ``answers:``, says of these people."""

    people: People

    def to_answer(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Whether each person is selected, as ``answers:`` reads it."""
        return ("text", "selected"), tuple(one.text for one in self.people.rows)

    def resized(self, size: Resizing) -> Self:
        """The same with more or fewer people of each combination of categories."""
        known = {one.categories: number for number, one in enumerate(self.people.rows)}
        people = size.items_of(
            self.people.rows,
            lambda one: known[one.categories],
            lambda one, number: replace(one, text=said(one.text, number)),
        )
        return replace(self, people=self.people.of(people))


TEXTS: Final = ("text", "sentence")
"""What the column of ids or texts is called where no option names it, as for ``answers:``."""
CLUSTER: Final = "cluster"
MANY: Final = 200
"""More categories than that are numbers or names, and no categories."""
SHORT: Final = 3
"""Letters of an abbreviation of "not stated" at most."""


def _several(value: object) -> object:
    return (value,) if isinstance(value, str) else value


class OutcomesOptions(TableOptions):
    """``groups``: the columns of categories: ``["sex", "race"]``. ``text``: the column that identifies people, an id or the
    text that a model is asked about; by default ``text`` or ``sentence``. ``not_stated``: values that state no category, as
    ["Unknown", "NaN"], in place of the list that ships; with [] every value is a category. ``cluster``: the column of what
    decisions are made within, as openings; by default ``cluster``, if there is one. ``delimiter``: what separates columns.
    """

    groups: Annotated[tuple[str, ...], Field(strict=False, min_length=1), BeforeValidator(_several)]
    text: str | None = None
    not_stated: Annotated[tuple[str, ...], Field(strict=False), BeforeValidator(_several)] | None = None
    cluster: str | None = None
    delimiter: Delimiter = "auto"

    @model_validator(mode="before")
    @classmethod
    def _named(cls, given: object) -> object:
        # Of a misspelt name pydantic tells more.
        if isinstance(given, Mapping) and "groups" not in given and given.keys() <= cls.model_fields.keys():
            shown = '["sex", "race"]'
            raise ValueError(
                f"groups is missing: name the columns of categories, such as groups = {shown} (-o 'data.groups={shown}')"
            )
        return given

    @field_validator("groups")
    @classmethod
    def _differ(cls, groups: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(groups)) < len(groups):
            raise ValueError("names a column twice")
        return groups


class OutcomesFormat(DataFormat[OutcomesOptions]):
    """A row for each person, with a column that identifies people and columns of categories; CSV, JSON Lines, Parquet."""

    id: ClassVar[str] = "outcomes"
    summary: ClassVar[str] = (
        "people with their categories, whose outcomes are compared (CSV, JSON Lines, Parquet)"
    )
    example: ClassVar[str] = "outcomes:decisions.csv"

    def read(self, file: DataFile) -> Test:
        """Read every row as a person; raises DataError for people who are not identified, and for cells that are no
        category."""
        options, groups = self.options, self.options.groups
        columns = table_columns(file.path, file.display, encoding=options.encoding)
        text = self._text(file, columns)
        named = (CLUSTER,) if CLUSTER in columns and CLUSTER not in groups else ()
        clusters = named if options.cluster is None else (options.cluster,) if options.cluster else ()
        table = read_table(
            file.path,
            file.display,
            tuple(dict.fromkeys((text, *groups, *clusters))),
            encoding=options.encoding,
            delimiter=options.delimiter,
            remedy="Name your columns with the options text, groups and cluster",
        )
        table.check_filled(text, *clusters)
        _check_people(table, text, clusters)
        none = shipped() if options.not_stated is None else frozenset(map(_bare, options.not_stated))
        # What each row states of each group; empty where that is nothing.
        stated = [
            tuple(
                "" if _bare(cell) in none else cell
                for cell in (row.fields[group].strip() for group in groups)
            )
            for row in table.rows
        ]
        for place, group in enumerate(groups):
            _check_categories(table, group, [one[place] for one in stated])
        people = []
        for row, categories in zip(table.rows, stated, strict=True):
            cells = [
                "" if own else row.fields[group].strip()
                for group, own in zip(groups, categories, strict=True)
            ]
            cluster = "".join(row.fields[column].strip() for column in clusters)
            people.append(Person(row.fields[text], categories, tuple(cells) if any(cells) else (), cluster))
        return OutcomesTest(
            **file.stated,
            kind="outcomes",
            title=f"Outcomes by {' and '.join(groups)}, {Path(file.display).name}",
            concept=" and ".join(groups),
            people=People(
                "people", tuple(people), groups=groups, source=file.display, cluster="".join(clusters)
            ),
        )

    def _text(self, file: DataFile, columns: Sequence[str]) -> str:
        """The column that identifies people; raises DataError."""
        if self.options.text in self.options.groups:
            raise DataError(
                f"{file.display}: {quoted(self.options.text)} is named as text and as a group. Name the column that "
                "identifies people with the option text"
            )
        found = [name for name in TEXTS if name in columns]
        if self.options.text is None and len(found) != 1:
            both = "both of the columns" if found else "none of the columns"
            raise DataError(
                f"{file.display} has {both} {listed(TEXTS)}; its columns are: {listed(columns)}. Name the one that "
                "identifies people with the option text, for the data and the model (-o data.text=id -o model.text=id)"
            )
        return self.options.text or found[0]


def _check_people(table: Table, text: str, clusters: Sequence[str]) -> None:
    """Raise DataError for two people of one text, and where all are of one cluster."""
    seen: dict[str, Row] = {}
    for row in table.rows:
        first = seen.setdefault(row.fields[text], row)
        if first is not row:
            raise DataError(
                f"{table.display}: {quoted(row.fields[text])} is the {text} of two people, on {table.places([first, row])}. "
                "Give each an id of its own"
            )
    for column in clusters:
        found = {row.fields[column].strip() for row in table.rows}
        if len(found) < 2:
            raise DataError(
                f"{table.display}: all people are of one {quoted(column)}, {listed(sorted(found))}, so nothing shows how "
                "they vary. Leave the column out"
            )


def _check_categories(table: Table, group: str, stated: Sequence[str]) -> None:
    """Raise DataError for a column whose cells, ``stated`` or empty, are no categories to be compared."""
    found = list(dict.fromkeys(filter(None, stated)))
    if len(found) < 2:
        raise DataError(
            f"{table.display}: everybody with a {quoted(group)} has the same, {listed(found)}, so nobody can be compared. "
            "Leave it out of groups, or add the others"
        )
    alike: dict[str, tuple[str, Row]] = {}
    for row, cell in zip(table.rows, stated, strict=True):
        text = row.fields[group].strip()
        if text[:1] + text[-1:] in ("[]", "{}", "()") and len(text) > 1:
            raise DataError(
                f"{table.display}: {group} is {quoted(row.fields[group])} on {table.places([row])}, which is a list of "
                "Python or JSON and not one category. Write one category in each cell"
            )
        other, first = alike.setdefault(" ".join(cell.casefold().split()), (cell, row))
        if cell != other:
            raise DataError(
                f"{table.display}: {group} is {quoted(other)} on {table.places([first])}, and {quoted(cell)} on "
                f"{table.places([row])}, which differ in case or spaces alone. Write both alike"
            )
    if len(found) > MANY:
        raise DataError(
            f"{table.display}: {quoted(group)} has {len(found):,} different values, such as {listed(found[:3])}. Name a "
            f"column of categories, {MANY} at most: ages, say, in classes"
        )


@cache
def shipped() -> frozenset[str]:
    """The values of all languages that state no category, as Unknown and NaN, as ``_bare`` writes them."""
    path = Path(__file__).with_name("not_stated.toml")
    by_language = parse_toml(read_text(path, path.name))
    return frozenset(_bare(value) for values in by_language.values() for value in values)


def _bare(value: str) -> str:
    """Letters and digits alone; of few, as n.d., apart as they are written: ND may be a category."""
    plain = unicodedata.normalize("NFKD", value.casefold())
    words = "".join(one if one.isalnum() else " " for one in plain if not unicodedata.combining(one)).split()
    return ("" if len("".join(words)) > SHORT else " ").join(words)
