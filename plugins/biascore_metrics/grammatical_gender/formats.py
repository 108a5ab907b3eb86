"""Files that a user brings: nouns by gender, and the kinds ``valence-norms``, ``noun-pairs`` and ``analogies``."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Final, NamedTuple, TypeVar

from pydantic import Field

from biascore.api.formats import (
    ColumnOptions,
    DataFile,
    DataFormat,
    Delimiter,
    FrozenMap,
    Row,
    Table,
    TableOptions,
    Test,
    read_table,
    read_text,
)
from biascore.api.stimuli import WordList
from biascore.api.support import listed, quoted
from biascore.errors import DataError
from biascore_metrics.grammatical_gender.kind import CLASSES, PARTS, ClassName, GenderedNounsTest, NounClass

T = TypeVar("T")


class NounTableOptions(ColumnOptions):
    """``encoding`` and ``columns`` are those of every table, such as ``columns = {genders = "relation"}``."""

    remedy: ClassVar[str] = "Rename the columns in the file, or name yours with the option columns"
    optional: ClassVar[tuple[str, ...]] = ()

    delimiter: Delimiter = "auto"

    def read(self, file: DataFile) -> tuple[Table, list[str]]:
        """The table, and what it calls the ``known_columns``, of which the ``optional`` ones need not be there."""
        needed = [self.named(name) for name in self.known_columns if name not in self.optional]
        others = [self.named(name) for name in self.optional]
        how: dict[str, Any] = {name: getattr(self, name) for name in ("encoding", "delimiter", "remedy")}
        return read_table(file.path, file.display, needed, others, **how), [*needed, *others]


def values_of(
    table: Table, column: str, read: Callable[[str], T | None], otherwise: str, what: str = ""
) -> list[T]:
    """What the cells of a column represent; DataError that ends ``otherwise`` where ``read`` gives None."""
    found = [read(row.fields[column].strip()) for row in table.rows]
    wrong = [row for row, value in zip(table.rows, found, strict=True) if value is None]
    if wrong:
        cell = quoted(wrong[0].fields[column])
        raise DataError(f"{table.display}: {column} is {cell}{what} on {table.places(wrong)}{otherwise}")
    return [value for value in found if value is not None]


class NounsOptions(NounTableOptions):
    """``encoding`` and ``columns`` are those of every table: ``{word = "lemma", gender = "genre"}``.

    ``genders`` says which class a value of the gender column represents, where it is none of m, f, n, c or their usual
    names: ``{maskulin = "masculine", feminin = "feminine"}``.
    """

    known_columns: ClassVar[tuple[str, ...]] = ("word", "gender", "set")
    optional: ClassVar[tuple[str, ...]] = ("set",)
    remedy: ClassVar[str] = (
        'Name your columns with the option columns, such as columns={word="lemma", gender="genre"}'
    )

    genders: FrozenMap[ClassName] = Field(default_factory=lambda: MappingProxyType({}))


class NounsFormat(DataFormat[NounsOptions]):
    """A table with the columns word and gender, and perhaps set: train, test or spare; rows of other sets are left out."""

    id: ClassVar[str] = "nouns"
    summary: ClassVar[str] = (
        "nouns by gender in the columns word, gender, set (CSV, TSV, JSON Lines, Parquet)"
    )
    example: ClassVar[str] = "nouns:es_nouns.tsv"

    def read(self, file: DataFile) -> Test:
        """Read every row as a noun; raises DataError as `DataFormat.read` says."""
        whole, (word, gender, part) = self.options.read(file)
        table, sets, notes = _of_a_set(whole, part)
        table.check_filled(word, gender)
        names = values_of(
            table,
            gender,
            lambda cell: self.options.genders.get(cell) or CLASSES.get(cell.lower()),
            f", which is not a known gender ({', '.join(CLASSES)}). Correct it, or say what it means with the option "
            'genders, such as genders={maskulin="masculine", feminin="feminine"}',
        )
        nouns = [row.fields[word].strip() for row in table.rows]
        _check_once(table, nouns, names)
        order = sorted({*names}, key=list(dict.fromkeys([*CLASSES.values(), *names])).index)
        if len(order) < 2:
            raise DataError(
                f"{file.display} has nouns of one class only ({order[0]}, {len(names):,}). Add those of another"
            )
        rows = list(zip(nouns, names, sets, strict=True))
        classes = tuple(
            NounClass(
                own,
                tuple(noun for noun, name, _ in rows if name == own),
                *(tuple(noun for noun, *of in rows if of == [own, key]) for key in PARTS),
            )
            for own in order
        )
        for key in PARTS:
            without = [one.name for one in classes if not getattr(one, key)]
            if without and any(one.train or one.test for one in classes):
                raise DataError(
                    f"{file.display} has no {key} nouns of {listed(without)}, and other nouns in its column {part}. Split "
                    "every class into train and test, or leave the column out"
                )
        return nouns_test(file, classes, notes)


def nouns_test(file: DataFile, classes: tuple[NounClass, ...], notes: tuple[str, ...]) -> GenderedNounsTest:
    """The test that the nouns of a file become."""
    sizes = ", ".join(f"{len(one.words):,} {one.name}" for one in classes)
    return GenderedNounsTest(
        **file.stated,
        kind="nouns",
        title=f"Nouns by gender ({sizes}), {Path(file.display).name}",
        concept="grammatical gender",
        notes=notes,
        classes=classes,
    )


def _of_a_set(table: Table, column: str) -> tuple[Table, list[str], tuple[str, ...]]:
    """The rows of the sets that are known, the set of each, and what is to be said of the others."""
    sets = [row.fields.get(column, "").strip().lower() or "spare" for row in table.rows]
    others = Counter(name for name in sets if name not in (*PARTS, "spare"))
    rows = tuple(row for row, name in zip(table.rows, sets, strict=True) if name not in others)
    if not rows:
        raise DataError(
            f"{table.display}: {column} is {listed(list(others))} on every line. Write train, test or spare there"
        )
    counts = ", ".join(f"{count:,} {name}" for name, count in others.items())
    told = f"Rows left out, as their {column} is neither train, test nor spare: {counts}."
    return replace(table, rows=rows), [one for one in sets if one not in others], (told,) * bool(others)


def _check_once(table: Table, nouns: list[str], names: list[str]) -> None:
    """Raise DataError where a noun stands twice: a copy could be learnt from and held out at once."""
    seen: dict[str, tuple[Row, str]] = {}
    for noun, row, name in zip(nouns, table.rows, names, strict=True):
        first, other = seen.setdefault(noun, (row, name))
        if first is not row:
            what = "twice" if other == name else f"as {other} and as {name}"
            raise DataError(
                f"{table.display} has {quoted(noun)} {what}, on {table.places([first, row])}. "
                + ("Keep it once" if other == name else "Leave nouns of two genders out")
            )


VALENCE_NORMS: Final = "valence-norms"
LEAST_NORMS: Final = 3
"""With two words, every correlation is 1 or -1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValenceNormsTest(Test):
    """Words (the role ``norms``) and, in their order, the score that people gave each; higher is more pleasant."""

    scores: tuple[float, ...]


class NormsOptions(NounTableOptions):
    """``encoding`` and ``columns`` are those of every table: ``{word = "words", score = "valence"}``."""

    known_columns: ClassVar[tuple[str, ...]] = ("word", "score")
    remedy: ClassVar[str] = (
        "Name your columns with the option columns (in a shell: -o 'data.columns={word=\"words\"}')"
    )


class NormsFormat(DataFormat[NormsOptions]):
    """A table with the columns word and score."""

    id: ClassVar[str] = VALENCE_NORMS
    summary: ClassVar[str] = "human norms of valence: word, score (CSV, TSV, JSON Lines, Parquet)"
    example: ClassVar[str] = f"{VALENCE_NORMS}:valence_es.csv"

    def read(self, file: DataFile) -> Test:
        """Read every row as a word and its score.

        Raises DataError as `DataFormat.read` says: for a score that is no finite number, for fewer than three norms, and
        for norms that are all the same.
        """
        whole, (word, score) = self.options.read(file)
        table = whole.with_numbers(score)
        table.check_filled(word)
        otherwise = ". Correct it, or delete the rows"
        scores = values_of(table, score, _number, otherwise, ", which is no finite number,")
        if len(scores) < LEAST_NORMS:
            raise DataError(
                f"{file.display} has {len(scores)} norm(s), and a correlation needs {LEAST_NORMS} at the least. Add words"
            )
        if len(set(scores)) == 1:
            raise DataError(
                f"{file.display}: all {len(scores)} scores are {scores[0]:g}, so nothing can go together with them. "
                f"Check that {score} is the column of the norms, or name another: "
                f"-o 'data.columns={{score=\"...\"}}'"
            )
        words = WordList("norms", tuple(row.fields[word].strip() for row in table.rows), source=file.display)
        return ValenceNormsTest(
            **file.stated,
            conventions=table.conventions,
            kind=VALENCE_NORMS,
            title=f"Norms of valence, {Path(file.display).name}",
            concept="valence",
            positive_means="words that people find pleasant are closer to pleasant words",
            roles=MappingProxyType({"norms": words}),
            scores=tuple(scores),
        )


def _number(cell: str) -> float | None:
    try:
        found = float(cell)
    except ValueError:
        return None
    return found if math.isfinite(found) else None


NOUN_PAIRS: Final = "noun-pairs"
SAME: Final = "same"
DIFFERENT: Final = "different"
RELATIONS: Final = {"same": SAME, "different": DIFFERENT, "diff": DIFFERENT}


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


class PairsOptions(NounTableOptions):
    """``encoding`` and ``columns`` are those of every table: ``{genders = "relation"}``."""

    optional: ClassVar[tuple[str, ...]] = ("reference_first", "reference_second")
    known_columns: ClassVar[tuple[str, ...]] = ("first", "second", "genders", *optional)


class PairsFormat(DataFormat[PairsOptions]):
    """A table with the columns first, second and genders (same, different), perhaps reference_first, reference_second."""

    id: ClassVar[str] = NOUN_PAIRS
    summary: ClassVar[str] = (
        "pairs of nouns: first, second, genders (same, different), their translations (any table)"
    )
    example: ClassVar[str] = f"{NOUN_PAIRS}:pairs_es.csv"

    def read(self, file: DataFile) -> Test:
        """Read every row as a pair.

        Raises DataError as `DataFormat.read` says: for a relation that is neither, half a translation, and pairs of one
        relation only.
        """
        table, (first, second, genders, *translated) = self.options.read(file)
        table.check_filled(first, second)
        relations = values_of(
            table,
            genders,
            lambda cell: RELATIONS.get(cell.lower()),
            ", and it says whether the genders of the pair are same or different. Correct it",
        )
        references = [tuple(row.fields.get(one, "").strip() for one in translated) for row in table.rows]
        half = [row for row, (one, two) in zip(table.rows, references, strict=True) if bool(one) != bool(two)]
        if half:
            raise DataError(
                f"{file.display}: only one of {' and '.join(translated)} is filled on {table.places(half)}. Fill in both, "
                "or neither"
            )
        pairs = tuple(
            NounPair(
                row.fields[first].strip(), row.fields[second].strip(), relation, (one, two) if one else None
            )
            for row, relation, (one, two) in zip(table.rows, relations, references, strict=True)
        )
        missing = [one for one in (SAME, DIFFERENT) if one not in relations]
        if missing:
            raise DataError(
                f"{file.display} has no pair of {missing[0]} gender(s), and the two are compared. Add such pairs"
            )
        words = {
            one: [w for pair in pairs if pair.relation == one for w in pair[:2]] for one in (SAME, DIFFERENT)
        }
        return NounPairsTest(
            **file.stated,
            kind=NOUN_PAIRS,
            title=f"Pairs of nouns, {Path(file.display).name}",
            concept="grammatical gender",
            positive_means="words of the same grammatical gender are nearer to each other than words of different ones",
            roles=MappingProxyType({one: WordList(one, tuple(some)) for one, some in words.items()}),
            pairs=pairs,
        )


ANALOGIES: Final = "analogies"
LISTED: Final = 10
"""So many wrong lines are named."""


class Question(NamedTuple):
    """a is to b as c is to d, of a section ("" where the file has none)."""

    a: str
    b: str
    c: str
    d: str
    section: str = ""

    @property
    def text(self) -> str:
        """The question as it is in files."""
        return " ".join(self[:4])


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalogiesTest(Test):
    """Questions in the order of their file."""

    questions: tuple[Question, ...]


class AnalogiesFormat(DataFormat[TableOptions]):
    """Lines of four words; in Google's file, a line ``: capital-common-countries`` begins a section."""

    id: ClassVar[str] = ANALOGIES
    summary: ClassVar[str] = (
        "analogies: four words a line (a b c d), sections begun by ': name' as in Google's file"
    )
    example: ClassVar[str] = f"{ANALOGIES}:questions-words.txt"

    def read(self, file: DataFile) -> Test:
        """Read every line as a question; raises DataError for lines of other than four words, and for none at all."""
        text = read_text(file.path, file.display, encoding=self.options.encoding, flag="-o data.encoding")
        questions: list[Question] = []
        wrong: list[str] = []
        section = ""
        for number, line in enumerate(text.splitlines(), start=1):
            words = line.split()
            if line.lstrip().startswith(":"):
                section = line.strip().removeprefix(":").strip()
            elif len(words) == 4:
                questions.append(Question(words[0], words[1], words[2], words[3], section))
            elif words:
                wrong.append(f"line {number} has {len(words)} ({quoted(line.strip())})")
        if wrong:
            more = f"; and {len(wrong) - LISTED:,} more" if len(wrong) > LISTED else ""
            raise DataError(
                f"{file.display} has {len(wrong):,} line(s) that are not four words: {'; '.join(wrong[:LISTED])}{more}. "
                "Write a b c d, separated by spaces, and write phrases with underscores, as the model does"
            )
        if not questions:
            raise DataError(f"{file.display} has no question. Give a file with four words a line")
        return AnalogiesTest(
            **file.stated,
            kind=ANALOGIES,
            title=f"Analogies, {Path(file.display).name}",
            concept="analogies",
            positive_means="the model completes analogies as the file does",
            questions=tuple(questions),
        )
