"""Kind ``noun-pairs``: pairs of words of one gender and of two, from a table, perhaps with translations."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Final, NamedTuple

from biascore.api.formats import ColumnOptions, DataFile, DataFormat, Delimiter, Test, read_table
from biascore.api.stimuli import WordList
from biascore.api.support import quoted
from biascore.errors import DataError

KIND: Final = "noun-pairs"
SAME: Final = "same"
DIFFERENT: Final = "different"
RELATIONS: Final = {"same": SAME, "different": DIFFERENT, "diff": DIFFERENT}
NEEDED: Final = ("first", "second", "genders")
TRANSLATED: Final = ("reference_first", "reference_second")


class NounPair(NamedTuple):
    """Two words, whether their genders are the ``same``, and the pair that they translate, or None."""

    first: str
    second: str
    relation: str
    reference: tuple[str, str] | None = None

    @property
    def text(self) -> str:
        """The pair as reports write it."""
        return f"{self.first} / {self.second}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NounPairsTest(Test):
    """Pairs of one gender and of two, in the order of their file."""

    pairs: tuple[NounPair, ...]


class PairsOptions(ColumnOptions):
    """``encoding`` and ``columns`` are those of every table: ``{genders = "relation"}``."""

    known_columns: ClassVar[tuple[str, ...]] = (*NEEDED, *TRANSLATED)

    delimiter: Delimiter = "auto"


class PairsFormat(DataFormat[PairsOptions]):
    """A table with the columns first, second and genders (same, different), perhaps reference_first, reference_second."""

    id: ClassVar[str] = KIND
    summary: ClassVar[str] = (
        "pairs of nouns: first, second, genders (same, different), their translations (any table)"
    )
    example: ClassVar[str] = f"{KIND}:pairs_es.csv"

    def read(self, file: DataFile) -> Test:
        """Read every row as a pair.

        Raises DataError as `DataFormat.read` says: for a relation that is neither, half a translation, and pairs of one
        relation only.
        """
        named = self.options.named
        first, second, genders = map(named, NEEDED)
        translated = tuple(map(named, TRANSLATED))
        table = read_table(
            file.path,
            file.display,
            (first, second, genders),
            translated,
            encoding=self.options.encoding,
            delimiter=self.options.delimiter,
        )
        table.check_filled(first, second)
        wrong = [row for row in table.rows if row.fields[genders].strip().lower() not in RELATIONS]
        if wrong:
            raise DataError(
                f"{file.display}: {genders} is {quoted(wrong[0].fields[genders])} on {table.places(wrong)}, and it says "
                "whether the genders of the pair are same or different. Correct it"
            )
        half = [
            row
            for row in table.rows
            if len({bool(row.fields.get(one, "").strip()) for one in translated}) > 1
        ]
        if half:
            raise DataError(
                f"{file.display}: only one of {' and '.join(translated)} is filled on {table.places(half)}. Fill in both, "
                "or neither"
            )
        pairs = tuple(
            NounPair(
                row.fields[first].strip(),
                row.fields[second].strip(),
                RELATIONS[row.fields[genders].strip().lower()],
                (row.fields[translated[0]].strip(), row.fields[translated[1]].strip())
                if row.fields.get(translated[0], "").strip()
                else None,
            )
            for row in table.rows
        )
        missing = [one for one in (SAME, DIFFERENT) if one not in {pair.relation for pair in pairs}]
        if missing:
            raise DataError(
                f"{file.display} has no pair of {missing[0]} gender(s), and the two are compared. Add such pairs"
            )
        roles = {
            relation: WordList(
                relation, tuple(w for p in pairs if p.relation == relation for w in (p.first, p.second))
            )
            for relation in (SAME, DIFFERENT)
        }
        return NounPairsTest(
            **file.stated,
            kind=KIND,
            title=f"Pairs of nouns, {Path(file.display).name}",
            concept="grammatical gender",
            positive_means="words of the same grammatical gender are nearer to each other than words of different ones",
            roles=MappingProxyType(roles),
            pairs=pairs,
        )
