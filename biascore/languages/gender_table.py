"""A table of sentences with the speaker's gender that each shows, and where a detector disagrees with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from biascore.basics.surface import either
from biascore.basics.wording import quoted
from biascore.errors import DataError
from biascore.files.reading import UTF8
from biascore.files.tables import read_table
from biascore.languages.gender import Gender, SpeakerGender, SpeakerGenderDetector

COLUMNS: Final = ("sentence", "expected")


@dataclass(frozen=True, slots=True)
class LabelledSentence:
    """A sentence, the gender in which it speaks of its speaker, and its line in the file (its number in Parquet)."""

    line: int
    sentence: str
    expected: Gender


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A sentence of which the detector says something else, with the words that decided it."""

    labelled: LabelledSentence
    found: SpeakerGender


@dataclass(frozen=True, slots=True)
class GenderCheck:
    """How a detector fares on a table: counts by (expected, found), and each disagreement in order."""

    detector: str
    counts: Mapping[tuple[Gender, Gender], int]
    disagreements: tuple[Disagreement, ...]

    @property
    def total(self) -> int:
        """How many sentences were read."""
        return sum(self.counts.values())

    @property
    def agreeing(self) -> int:
        """Of how many the detector says what was expected."""
        return self.total - len(self.disagreements)


def read_sentences(path: Path, encoding: str = UTF8) -> tuple[LabelledSentence, ...]:
    """The sentences of a table with the columns ``sentence`` and ``expected``, in any form that a table has.

    Raises DataError, with the lines, for a file that is no such table or expects what is no gender, OptionsError for
    an unknown ``encoding``.
    """
    remedy = f"Name its columns {' and '.join(COLUMNS)}"
    table = read_table(
        path, str(path), COLUMNS, encoding=encoding, remedy=remedy, flag=either("--encoding", "encoding")
    )
    genders = {gender.value: gender for gender in Gender}
    wrong = [row for row in table.rows if row.fields["expected"].strip().lower() not in genders]
    if wrong:
        raise DataError(
            f"{path}, {table.places(wrong)}: {quoted(wrong[0].fields['expected'])} in the column 'expected' is no gender. "
            f"Write one of: {', '.join(genders)}"
        )
    table.check_filled("sentence")
    return tuple(
        LabelledSentence(row.line, row.fields["sentence"], genders[row.fields["expected"].strip().lower()])
        for row in table.rows
    )


def check_sentences(detector: SpeakerGenderDetector, sentences: Iterable[LabelledSentence]) -> GenderCheck:
    """What the detector says of each sentence, against what was expected."""
    counts: Counter[tuple[Gender, Gender]] = Counter()
    disagreements = []
    for labelled in sentences:
        found = detector.detect(labelled.sentence)
        counts[labelled.expected, found.gender] += 1
        if found.gender is not labelled.expected:
            disagreements.append(Disagreement(labelled, found))
    return GenderCheck(detector.name, counts, tuple(disagreements))
