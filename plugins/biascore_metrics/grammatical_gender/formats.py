"""Nouns by grammatical gender from a treebank (CoNLL-U) and from a table."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Final

from biascore.api.formats import (
    DataFile,
    DataFormat,
    Row,
    Table,
    Test,
    file_digest,
    read_table,
    read_text,
    user_path,
)
from biascore.api.support import listed, quoted
from biascore.errors import DataError
from biascore_metrics.grammatical_gender.choosing import choose, count, split
from biascore_metrics.grammatical_gender.conllu import tokens
from biascore_metrics.grammatical_gender.kind import GenderedNounsTest, NounClass
from biascore_metrics.grammatical_gender.options import CLASSES, ConlluOptions, NounsOptions

TRAIN, TEST, SPARE = "train", "test", "spare"
_ORDER: Final = tuple(dict.fromkeys(CLASSES.values()))


class ConlluFormat(DataFormat[ConlluOptions]):
    """A treebank of Universal Dependencies: nouns by the feature Gender."""

    id: ClassVar[str] = "conllu"
    summary: ClassVar[str] = "nouns by gender from a treebank of Universal Dependencies (CoNLL-U)"
    example: ClassVar[str] = "conllu:es_gsd-ud-train.conllu"

    def read(self, file: DataFile) -> Test:
        """Read the nouns of the treebank; raises DataError as `DataFormat.read` says."""
        options = self.options
        text = read_text(file.path, file.display)  # CoNLL-U is UTF-8 always
        if not text.strip():
            raise DataError(f"{file.display} is empty. Give a treebank in CoNLL-U")
        found = count(tokens(text, file.display, "NOUN"), options, file.language)
        animates, told = self._animates()
        words, notes = choose(found, options.classes, animates, options, file.display)
        classes = split(words, found.lemmas, options.held_out, options.seed)
        if options.held_out:
            sizes = ", ".join(f"{len(one.test):,} of {len(one.words):,} {one.name}" for one in classes)
            if not all(one.train and one.test for one in classes):
                raise DataError(
                    f"{file.display} has too few nouns to hold out {options.held_out:.0%} of each class ({sizes}). Give a "
                    "larger treebank, or fix no split with the option held_out=0"
                )
            told += (f"Held out at random (seed {options.seed}), all forms of a lemma on one side: {sizes}.",)
        return _test(file, classes, (*notes, *told))

    def _animates(self) -> tuple[frozenset[str], tuple[str, ...]]:
        """The words of the list of animates, and what is to be said of it."""
        if not self.options.animates:
            return frozenset(), ()
        path = user_path(self.options.animates)
        lines = read_text(path, self.options.animates).splitlines()
        words = frozenset(word for line in lines for word in (line.strip(), line.strip().lower()) if word)
        if not words:
            raise DataError(f"{self.options.animates} is empty. Give a list of animate words, one a line")
        digest = file_digest(path, self.options.animates)
        return words, (f"Animates left out by the list {self.options.animates} (SHA-256 {digest}).",)


class NounsFormat(DataFormat[NounsOptions]):
    """A table with the columns word and gender, and perhaps set: train, test or spare; rows of other sets are left out."""

    id: ClassVar[str] = "nouns"
    summary: ClassVar[str] = (
        "nouns by gender in the columns word, gender, set (CSV, TSV, JSON Lines, Parquet)"
    )
    example: ClassVar[str] = "nouns:es_nouns.tsv"

    def read(self, file: DataFile) -> Test:
        """Read every row as a noun; raises DataError as `DataFormat.read` says."""
        word, gender, part = (self.options.named(column) for column in ("word", "gender", "set"))
        whole = read_table(
            file.path,
            file.display,
            (word, gender),
            (part,),
            encoding=self.options.encoding,
            delimiter=self.options.delimiter,
            remedy='Name your columns with the option columns, such as columns={word="lemma", gender="genre"}',
        )
        table, notes = _of_a_set(whole, part)
        table.check_filled(word, gender)
        names = self._names(table, gender)
        _check_once(table, word, names)
        order = [name for name in _ORDER if name in names]
        order += [name for name in dict.fromkeys(names) if name not in order]
        if len(order) < 2:
            raise DataError(
                f"{file.display} has nouns of one class only ({order[0]}, {len(names):,}). Add those of another"
            )
        nouns: dict[str, dict[str, str]] = {name: {} for name in order}
        for row, name in zip(table.rows, names, strict=True):
            nouns[name][row.fields[word].strip()] = row.fields.get(part, "").strip().lower()
        classes = tuple(
            NounClass(
                name,
                tuple(sets),
                tuple(noun for noun, of in sets.items() if of == TRAIN),
                tuple(noun for noun, of in sets.items() if of == TEST),
            )
            for name, sets in nouns.items()
        )
        _check_split(file.display, part, classes)
        return _test(file, classes, notes)

    def _names(self, table: Table, column: str) -> list[str]:
        values = [row.fields[column].strip() for row in table.rows]
        names = [self.options.class_of(value) for value in values]
        wrong = [row for row, name in zip(table.rows, names, strict=True) if name is None]
        if wrong:
            raise DataError(
                f"{table.display}: {column} is {quoted(wrong[0].fields[column])} on {table.places(wrong)}, which is not a "
                f"known gender ({', '.join(CLASSES)}). Correct it, or say what it means with the option "
                'genders, such as genders={maskulin="masculine", feminin="feminine"}'
            )
        return [name for name in names if name is not None]


def _check_once(table: Table, column: str, names: list[str]) -> None:
    """Raise DataError where a noun stands twice: a copy could be learnt from and held out at once."""
    seen: dict[str, tuple[Row, str]] = {}
    for row, name in zip(table.rows, names, strict=True):
        noun = row.fields[column].strip()
        if noun in seen:
            first, other = seen[noun]
            what = "twice" if other == name else f"as {other} and as {name}"
            raise DataError(
                f"{table.display} has {quoted(noun)} {what}, on {table.places([first, row])}. "
                + ("Keep it once" if other == name else "Leave nouns of two genders out")
            )
        seen[noun] = (row, name)


def _of_a_set(table: Table, column: str) -> tuple[Table, tuple[str, ...]]:
    """The rows of the sets that are known, and what is to be said of the others."""
    if column not in table.columns:
        return table, ()
    sets = [row.fields[column].strip().lower() or SPARE for row in table.rows]
    others = Counter(name for name in sets if name not in (TRAIN, TEST, SPARE))
    rows = tuple(row for row, name in zip(table.rows, sets, strict=True) if name not in others)
    if not rows:
        raise DataError(
            f"{table.display}: {column} is {listed(list(others))} on every line. Write train, test or spare there"
        )
    told = f"Rows left out, as their {column} is neither train, test nor spare: "
    counts = ", ".join(f"{count:,} {name}" for name, count in others.items())
    return replace(table, rows=rows), (f"{told}{counts}.",) if others else ()


def _check_split(display: str, column: str, classes: tuple[NounClass, ...]) -> None:
    for part in (TRAIN, TEST):
        without = [one.name for one in classes if not (one.train if part == TRAIN else one.test)]
        if without and any(one.train or one.test for one in classes):
            raise DataError(
                f"{display} has no {part} nouns of {listed(without)}, and other nouns in its column {column}. Split every "
                "class into train and test, or leave the column out"
            )


def _test(file: DataFile, classes: tuple[NounClass, ...], notes: tuple[str, ...]) -> GenderedNounsTest:
    sizes = ", ".join(f"{len(one.words):,} {one.name}" for one in classes)
    return GenderedNounsTest(
        **file.stated,
        kind="nouns",
        title=f"Nouns by gender ({sizes}), {Path(file.display).name}",
        concept="grammatical gender",
        notes=notes,
        classes=classes,
    )
