"""A table with a row for each person about whom something was decided: the categories in columns of their own."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Annotated, ClassVar, Final

from pydantic import BeforeValidator, Field, field_validator, model_validator

from biascore.api.formats import (
    DataFile,
    DataFormat,
    Delimiter,
    Row,
    Table,
    TableOptions,
    Test,
    parse_toml,
    read_table,
    read_text,
    table_columns,
)
from biascore.api.support import listed, quoted
from biascore.errors import DataError
from biascore_metrics.impact_ratio.kind import OutcomesTest, People, Person

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
    """``groups``: the columns of categories: ``["sex", "race"]``. ``text``: the column that tells people apart, an id or the
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
    """A row for each person, with a column that tells people apart and columns of categories; CSV, JSON Lines, Parquet."""

    id: ClassVar[str] = "outcomes"
    summary: ClassVar[str] = (
        "people with their categories, whose outcomes are compared (CSV, JSON Lines, Parquet)"
    )
    example: ClassVar[str] = "outcomes:decisions.csv"

    def read(self, file: DataFile) -> Test:
        """Read every row as a person; raises DataError for people not told apart, and for cells that are no categories."""
        text, groups = self._text(file), self.options.groups
        cluster = self._cluster(file)
        more = (cluster,) if cluster else ()
        table = read_table(
            file.path,
            file.display,
            tuple(dict.fromkeys((text, *groups, *more))),
            encoding=self.options.encoding,
            delimiter=self.options.delimiter,
            remedy="Name your columns with the options text, groups and cluster",
        )
        table.check_filled(text, *more)
        _check_apart(table, text)
        none = NotStated(self.options.not_stated)
        for group in groups:
            _check_categories(table, group, none)
        _check_clusters(table, *more)
        people = tuple(
            replace(_person(row, text, groups, none), cluster=row.fields[cluster].strip() if cluster else "")
            for row in table.rows
        )
        return OutcomesTest(
            **file.stated,
            kind="outcomes",
            title=f"Outcomes by {' and '.join(groups)}, {Path(file.display).name}",
            concept=" and ".join(groups),
            people=People("people", people, groups=groups, source=file.display, cluster=cluster),
        )

    def _cluster(self, file: DataFile) -> str:
        """The column of clusters; empty where there is none."""
        if self.options.cluster is not None:
            return self.options.cluster
        columns = table_columns(file.path, file.display, encoding=self.options.encoding)
        return CLUSTER if CLUSTER in columns and CLUSTER not in self.options.groups else ""

    def _text(self, file: DataFile) -> str:
        if self.options.text is not None:
            if self.options.text in self.options.groups:
                raise DataError(
                    f"{file.display}: {quoted(self.options.text)} is named as text and as a group. Name the column that "
                    "tells people apart with the option text"
                )
            return self.options.text
        columns = table_columns(file.path, file.display, encoding=self.options.encoding)
        found = [name for name in TEXTS if name in columns]
        if len(found) != 1:
            both = "both of the columns" if found else "none of the columns"
            raise DataError(
                f"{file.display} has {both} {listed(TEXTS)}; its columns are: {listed(columns)}. Name the one that "
                "tells people apart with the option text, for the data and the model (-o data.text=id -o model.text=id)"
            )
        return found[0]


def _person(row: Row, text: str, groups: Sequence[str], none: NotStated) -> Person:
    cells = [row.fields[group].strip() for group in groups]
    categories = tuple("" if cell in none else cell for cell in cells)
    others = tuple("" if category else cell for cell, category in zip(cells, categories, strict=True))
    return Person(row.fields[text], categories, others if any(others) else ())


def _check_apart(table: Table, text: str) -> None:
    seen: dict[str, Row] = {}
    for row in table.rows:
        first = seen.setdefault(row.fields[text], row)
        if first is not row:
            raise DataError(
                f"{table.display}: {quoted(row.fields[text])} is the {text} of two people, on {table.places([first, row])}. "
                "Give each an id of its own"
            )


def _check_clusters(table: Table, *cluster: str) -> None:
    for column in cluster:
        found = {row.fields[column].strip() for row in table.rows}
        if len(found) < 2:
            raise DataError(
                f"{table.display}: all people are of one {quoted(column)}, {listed(sorted(found))}, so nothing shows how "
                "they vary. Leave the column out"
            )


def _check_categories(table: Table, group: str, none: NotStated) -> None:
    stated = [row for row in table.rows if row.fields[group] not in none]
    found = list(dict.fromkeys(row.fields[group].strip() for row in stated))
    if len(found) < 2:
        raise DataError(
            f"{table.display}: everybody with a {quoted(group)} has the same, {listed(found)}, so nobody can be compared. "
            "Leave it out of groups, or add the others"
        )
    literal = next((row for row in table.rows if _is_literal(row.fields[group])), None)
    if literal is not None:
        raise DataError(
            f"{table.display}: {group} is {quoted(literal.fields[group])} on {table.places([literal])}, which is a list of "
            "Python or JSON and not one category. Write one category in each cell"
        )
    alike: dict[str, Row] = {}
    for row in stated:
        cell = row.fields[group].strip()
        first = alike.setdefault(" ".join(cell.casefold().split()), row)
        if cell != first.fields[group].strip():
            raise DataError(
                f"{table.display}: {group} is {quoted(first.fields[group].strip())} on {table.places([first])}, and "
                f"{quoted(cell)} on {table.places([row])}, which differ in case or spaces alone. Write both alike"
            )
    if len(found) > MANY:
        raise DataError(
            f"{table.display}: {quoted(group)} has {len(found):,} different values, such as {listed(found[:3])}. Name a "
            f"column of categories, {MANY} at most: ages, say, in classes"
        )


def _is_literal(cell: str) -> bool:
    text = cell.strip()
    return text[:1] + text[-1:] in ("[]", "{}", "()") and len(text) > 1


class NotStated:
    """Values that state no category, as Unknown and NaN, compared as ``_bare`` writes them; None: the list that ships."""

    def __init__(self, values: Iterable[str] | None) -> None:
        self._values = shipped() if values is None else frozenset(map(_bare, values))

    def __contains__(self, cell: str) -> bool:
        """Whether a cell states nothing; a blank one never does."""
        return not cell.strip() or _bare(cell) in self._values


@cache
def shipped() -> frozenset[str]:
    """The values of all languages."""
    path = Path(__file__).with_name("not_stated.toml")
    by_language = parse_toml(read_text(path, path.name))
    return frozenset(_bare(value) for values in by_language.values() for value in values)


def _bare(value: str) -> str:
    """Letters and digits alone; of few, as n.d., apart as they are written: ND may be a category."""
    plain = unicodedata.normalize("NFKD", value.casefold())
    words = "".join(one if one.isalnum() else " " for one in plain if not unicodedata.combining(one)).split()
    return ("" if len("".join(words)) > SHORT else " ").join(words)
