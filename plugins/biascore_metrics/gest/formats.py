"""Samples and gendered pairs from tables: those of the GEST repository, and any with the same columns."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import BeforeValidator, Field, TypeAdapter, field_validator

from biascore.api.formats import ColumnOptions, DataFile, DataFormat, Row, Table, Test, read_table
from biascore.api.support import quoted
from biascore.errors import DataError
from biascore_metrics.gest.kind import (
    SAMPLES_MEAN,
    GenderedSample,
    GenderedSamples,
    GenderPairsTest,
    Sample,
    Samples,
    SamplesTest,
    Stereotype,
    StereotypeEntry,
)

VERSIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "8aee88db8e19c7a2f0df6bff7dc482ae48b9ada814fc86df82875452357b3cb9": "GEST 1.0",
        "a689cb8ec4c804727692353d9e1d2e10eed17562b3f3c8f7022361e0a2dbd0e0": "GEST 1.1",
    }
)
"""Editions by the SHA-256 of their sentences, joined by line feeds, in the order of the file."""
OTHER: Final = "other"
ABOUT: Final[Mapping[str, Any]] = MappingProxyType({"concept": "gender", "positive_means": SAMPLES_MEAN})


def _plain(entry: object) -> object:
    """An audit's tables are frozen mappings, which strict models do not take for tables."""
    return dict(entry) if isinstance(entry, Mapping) else entry


Entries = Annotated[tuple[Annotated[StereotypeEntry, BeforeValidator(_plain)], ...], Field(strict=False)]


class SamplesOptions(ColumnOptions):
    """``encoding`` and ``columns`` are those of every table: ``{sentence = "text"}``.

    ``stereotypes`` are those that the file's numbers represent, in place of the 16 of GEST:
    ``[{id = 1, name = "Bad drivers", gender = "female"}, ...]``.
    """

    known_columns: ClassVar[tuple[str, ...]] = ("sentence", "stereotype")

    stereotypes: Entries = ()

    @field_validator("stereotypes")
    @classmethod
    def _differ(cls, stereotypes: tuple[StereotypeEntry, ...]) -> tuple[StereotypeEntry, ...]:
        ids = [stereotype.id for stereotype in stereotypes]
        if len(set(ids)) < len(ids):
            raise ValueError("two stereotypes have one id")
        return stereotypes

    def read(self, table: Table, column: str) -> tuple[list[int], dict[str, Any]]:
        """The stereotype of each row; the source, and those that have a row: a file of some of the 16 is about those.

        Raises DataError for a number of none.
        """
        meant = tuple(Stereotype(s.id, s.name, s.gender) for s in self.stereotypes) or gest_stereotypes()
        known = [one.id for one in meant]
        numbers = table.whole_numbers(column)
        wrong = [row for row, number in zip(table.rows, numbers, strict=True) if number not in known]
        if wrong:
            raise DataError(
                f"{table.display}: {column} is {quoted(wrong[0].fields[column])} on {table.places(wrong)}, and the "
                f"stereotypes are numbered {', '.join(map(str, known))}. Correct the numbers, or describe your own "
                'stereotypes with the option stereotypes = [{id = 1, name = "...", gender = "female"}, ...]'
            )
        ids = [number for number in numbers if number is not None]
        there = tuple(one for one in meant if one.id in set(ids))
        return ids, {"stereotypes": there, "source": table.display}


class VariantsOptions(SamplesOptions):
    """As for ``gest``; ``translator`` keeps the rows of one translator, where the file has that column."""

    known_columns: ClassVar[tuple[str, ...]] = ("male", "female", "stereotype", "language", "translator")

    translator: str | None = None


def _other_columns(columns: Sequence[str]) -> str:
    """What to do about a table of other columns."""
    if {"Masculine", "Feminine", "Neutral"} <= {*columns}:
        return "These are the columns of EuroGEST. Read it with the format eurogest"
    return "Rename the columns in the file, or name yours with the option columns"


class GestFormat(DataFormat[SamplesOptions]):
    """A table with the columns sentence and stereotype (a number)."""

    id: ClassVar[str] = "gest"
    summary: ClassVar[str] = "samples in the columns of GEST: sentence, stereotype (CSV, JSON Lines, Parquet)"
    example: ClassVar[str] = "gest:gest.csv"

    def read(self, file: DataFile) -> Test:
        """Read every row as a sample; raises DataError as `DataFormat.read` says."""
        sentence, stereotype = map(self.options.named, self.options.known_columns)
        names, encoding = (sentence, stereotype), self.options.encoding
        table = read_table(file.path, file.display, names, encoding=encoding, remedy=_other_columns)
        table.check_filled(sentence)
        ids, told = self.options.read(table, stereotype)
        samples = tuple(Sample(row.fields[sentence], id) for row, id in zip(table.rows, ids, strict=True))
        version = edition(sample.sentence for sample in samples)
        told["notes"] = (f"Edition of the sentences: {version}.",)
        return SamplesTest(
            **file.stated,
            **ABOUT,
            kind="samples",
            title=f"{version if version != OTHER else 'Samples'}, {Path(file.display).name}",
            notes=told["notes"],
            samples=Samples("samples", samples, **told),
            version=version,
        )


class GenderVariantsFormat(DataFormat[VariantsOptions]):
    """A table with the columns male, female and stereotype, and perhaps language and translator."""

    id: ClassVar[str] = "gender-variants"
    summary: ClassVar[str] = (
        "sentences as a man and as a woman says them: male, female, stereotype (any table)"
    )
    example: ClassVar[str] = "gender-variants:gender_variants.csv"

    def read(self, file: DataFile) -> Test:
        """Read the rows of the file's language, and of the chosen translator, as pairs; raises DataError."""
        male, female, stereotype, *others = map(self.options.named, self.options.known_columns)
        needed, encoding = (male, female, stereotype), self.options.encoding
        whole = read_table(file.path, file.display, needed, others, encoding=encoding, remedy=_other_columns)
        table = self._chosen(whole, file)
        table.check_filled(male, female)
        ids, told = self.options.read(table, stereotype)
        pairs = tuple(
            GenderedSample(row.fields[male], row.fields[female], id)
            for row, id in zip(table.rows, ids, strict=True)
        )
        told["notes"] = (
            f"{len(pairs)} of the file's {len(whole.rows)} rows are of this language and translator.",
        )
        return GenderPairsTest(
            **file.stated,
            **ABOUT,
            kind="gender-pairs",
            title=f"Gendered pairs, {Path(file.display).name}",
            notes=told["notes"],
            pairs=GenderedSamples("pairs", pairs, **told),
        )

    def _chosen(self, table: Table, file: DataFile) -> Table:
        language, translator = self.options.named("language"), self.options.named("translator")
        wanted = {language: file.language} if language in table.columns else {}
        if self.options.translator is not None:
            if translator not in table.columns:
                raise DataError(
                    f"{file.display} has no column {translator!r}, so translator={self.options.translator!r} can "
                    "choose no rows. Leave the option out"
                )
            wanted[translator] = self.options.translator
        rows = tuple(row for row in table.rows if all(row.fields[c] == value for c, value in wanted.items()))
        if not rows:
            chosen = " and ".join(f"{column} = {value!r}" for column, value in wanted.items())
            there = "; ".join(
                f"{c}: {', '.join(sorted({row.fields[c] for row in table.rows}))}" for c in wanted
            )
            raise DataError(f"{file.display} has no row with {chosen}. It has {there}. Name one of those")
        return replace(table, rows=rows)


class EuroGestOptions(SamplesOptions):
    """As for ``gest``. ``part``: sentences in two versions ("gendered"), or those that leave the gender open ("neutral")."""

    known_columns: ClassVar[tuple[str, ...]] = ("Masculine", "Feminine", "Neutral", "Stereotype_ID")

    part: Literal["gendered", "neutral"] = "gendered"


class EuroGestFormat(DataFormat[EuroGestOptions]):
    """The files of utter-project/EuroGEST, one a language: Stereotype_ID, and Masculine and Feminine, or Neutral."""

    id: ClassVar[str] = "eurogest"
    summary: ClassVar[str] = (
        "EuroGEST, a file of one language: its sentences in two genders, or the neutral ones"
    )
    example: ClassVar[str] = "eurogest:German.csv"

    def read(self, file: DataFile) -> Test:
        """Read the rows of one part; raises DataError as `DataFormat.read` says."""
        names = male, female, neutral, stereotype = tuple(map(self.options.named, self.options.known_columns))
        whole = read_table(file.path, file.display, names, encoding=self.options.encoding)

        def filled(row: Row, *columns: str) -> bool:
            return all(row.fields[name].strip() for name in columns)

        odd = [row for row in whole.rows if not filled(row, male, female) and not filled(row, neutral)]
        if odd:
            raise DataError(
                f"{file.display} has neither {male} and {female} nor {neutral} on {whole.places(odd)}. Fill them in, or "
                "delete the rows"
            )
        gendered, part = self.options.part == "gendered", self.options.part
        rows = tuple(row for row in whole.rows if filled(row, male, female) == gendered)
        if not rows:
            other = "neutral" if gendered else "gendered"
            raise DataError(
                f"{file.display} has no {part} sentence. Read the other part: part={other} (-o data.part={other})"
            )
        table = replace(whole, rows=rows)
        ids, told = self.options.read(table, stereotype)
        told["notes"] = (f"{len(rows):,} of the file's {len(whole.rows):,} rows are {part}.",)
        about = {
            **file.stated,
            **ABOUT,
            "title": f"EuroGEST, {Path(file.display).name}, {part}",
            "notes": told["notes"],
        }
        if gendered:
            pairs = tuple(
                GenderedSample(row.fields[male], row.fields[female], id)
                for row, id in zip(rows, ids, strict=True)
            )
            return GenderPairsTest(
                **about, kind="gender-pairs", pairs=GenderedSamples("pairs", pairs, **told)
            )
        samples = tuple(Sample(row.fields[neutral], id) for row, id in zip(rows, ids, strict=True))
        return SamplesTest(**about, kind="samples", samples=Samples("samples", samples, **told))


def edition(sentences: Iterable[str]) -> str:
    """``GEST 1.0`` (of all figures in the paper), ``GEST 1.1`` (244 sentences corrected), or ``other``."""
    return VERSIONS.get(hashlib.sha256("\n".join(sentences).encode()).hexdigest(), OTHER)


@cache
def gest_stereotypes() -> tuple[Stereotype, ...]:
    """The 16 stereotypes of GEST, from the file that ships."""
    document = tomllib.loads(Path(__file__).with_name("stereotypes.toml").read_text(encoding="utf-8"))
    entries = TypeAdapter(list[StereotypeEntry]).validate_python(document["stereotypes"])
    return tuple(Stereotype(entry.id, entry.name, entry.gender) for entry in entries)
