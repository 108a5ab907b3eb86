"""Word lists in a table, as people keep them in spreadsheets, as a test of WEAT."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar, Final

from biascore.api.formats import (
    ColumnOptions,
    DataFile,
    DataFormat,
    Test,
    parse_json,
    read_table,
    read_text,
    table_columns,
)
from biascore.api.support import did_you_mean, from_lists, listed, quoted
from biascore.errors import DataError, OptionsError, StimuliError

ROLES: Final = ("X", "Y", "A", "B")
_LIST: Final = ("list", "role")
Lists = dict[str, list[str]]


class WordsOptions(ColumnOptions):
    """``columns``: what the file calls list and word. ``X``, ``Y``, ``A``, ``B``: the lists that are targets and attributes.

    A list that is called X, Y, A or B needs no option.
    """

    known_columns = ("list", "word")

    X: str = ""
    Y: str = ""
    A: str = ""
    B: str = ""
    concept: str = ""


class WordsFormat(DataFormat[WordsOptions]):
    """A row for each word, with the columns list and word; or a column for each list, of any length."""

    id: ClassVar[str] = "words"
    summary: ClassVar[str] = (
        "word lists: a table of list and word, or a column for each list; JSON lists by name"
    )
    example: ClassVar[str] = "words.csv"

    def read(self, file: DataFile) -> Test:
        """Raises DataError that names the lists of the file, and the options that say what they are."""
        lists = self._lists(file)
        chosen = self._roles(file, lists)
        given = {role: lists[name] for role, name in chosen.items()}
        try:
            test = from_lists(
                given, language=file.language, name=file.test.partition("/")[2], concept=self.options.concept
            )
        except StimuliError as error:
            raise DataError(
                f"{file.display}: {str(error).replace(' (given in Python)', '')}. Correct the file"
            ) from error
        idle = [name for name in lists if name not in chosen.values()]
        said = {"lists of the file that are not used": listed(idle)} if idle else {}
        means = f"{chosen['X']} with {chosen['A']} and {chosen['Y']} with {chosen['B']}"
        return replace(test, **file.stated, positive_means=means, conventions=said)

    def _roles(self, file: DataFile, lists: Lists) -> dict[str, str]:
        """The list of each role."""
        known = {name.casefold(): name for name in lists}
        stated = {role: getattr(self.options, role) for role in ROLES}
        for role, name in stated.items():
            if name and name not in lists:
                raise OptionsError(f"{role} is {quoted(name)}, and {file.display} has the lists {listed([*lists])}. "
                                   f"{did_you_mean(name, [*lists])}Name one of them")  # fmt: skip
        found = {role: name or known.get(role.casefold(), "") for role, name in stated.items()}
        if not all(found.values()):
            free = iter([*[name for name in lists if name not in found.values()], "...", "...", "...", "..."])
            options = " ".join(
                f"-o data.{role}={quoted(next(free))}" for role, name in found.items() if not name
            )
            raise DataError(
                f"{file.display} has the lists {listed([*lists])}, and does not say which are targets (X, Y) and which "
                f"attributes (A, B). Say so, for example: {options}"
            )
        return found

    def _lists(self, file: DataFile) -> Lists:
        if file.path.name.lower().removesuffix(".gz").endswith(".json"):
            lists = _of_json(file, self.options.encoding)
            if lists is not None:
                return lists
        columns = table_columns(file.path, file.display, encoding=self.options.encoding)
        names = {column.strip().casefold(): column for column in columns}
        stated = self.options.columns
        word = stated.get("word") or names.get("word")
        of = stated.get("list") or next((names[name] for name in _LIST if name in names), None)
        if of is not None and word is not None:
            return self._of_rows(file, of, word)
        if len(columns) < 2 or stated:
            raise DataError(
                f"{file.display} has the columns {listed(columns)}. Word lists are a table with the columns list and word, "
                "or with a column for each list; name yours with -o data.columns.list=... and -o data.columns.word=..."
            )
        return self._of_columns(file, columns)

    def _of_rows(self, file: DataFile, of: str, word: str) -> Lists:
        table = read_table(file.path, file.display, [of, word], encoding=self.options.encoding)
        table.check_filled(of, word)
        lists: Lists = {}
        for row in table.rows:
            lists.setdefault(row.fields[of].strip(), []).append(row.fields[word].strip())
        return lists

    def _of_columns(self, file: DataFile, columns: tuple[str, ...]) -> Lists:
        named = [column for column in columns if column.strip()]
        table = read_table(file.path, file.display, named, None, encoding=self.options.encoding)
        stray = [
            row
            for row in table.rows
            for name, cell in row.fields.items()
            if not name.strip() and cell.strip()
        ]
        if stray:
            raise DataError(
                f"{file.display}: a column without a name has words on {table.places(stray)}. Name its list"
            )
        cells = {name: [row.fields[name].strip() for row in table.rows] for name in named}
        return {name.strip(): [cell for cell in some if cell] for name, some in cells.items()}


def _of_json(file: DataFile, encoding: str) -> Lists | None:
    """Lists by name, where the file is one JSON object of them."""
    try:
        found = parse_json(read_text(file.path, file.display, encoding=encoding))
    except ValueError:
        return None  # objects a line, say
    if not isinstance(found, Mapping):
        return None
    wrong = [name for name, some in found.items() if not _is_list(some)]
    if wrong:
        raise DataError(
            f"{file.display}: {quoted(wrong[0])} is no list of words. Write each list by its name"
        )
    return {name: list(some) for name, some in found.items()}


def _is_list(some: object) -> bool:
    return isinstance(some, list) and bool(some) and all(isinstance(word, str) for word in some)
