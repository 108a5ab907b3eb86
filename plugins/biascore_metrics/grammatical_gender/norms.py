"""Kind ``valence-norms``: words with how pleasant people found them, from a table that the user brings."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Final

from biascore.api.formats import ColumnOptions, DataFile, DataFormat, Delimiter, Row, Test, read_table
from biascore.api.stimuli import WordList
from biascore.api.support import quoted
from biascore.errors import DataError

KIND: Final = "valence-norms"
LEAST: Final = 3
"""With two words, every correlation is 1 or -1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValenceNormsTest(Test):
    """Words (the role ``norms``) and, in their order, the score that people gave each; higher is more pleasant."""

    scores: tuple[float, ...]


class NormsOptions(ColumnOptions):
    """``encoding`` and ``columns`` are those of every table: ``{word = "words", score = "valence"}``."""

    known_columns: ClassVar[tuple[str, ...]] = ("word", "score")

    delimiter: Delimiter = "auto"


class NormsFormat(DataFormat[NormsOptions]):
    """A table with the columns word and score."""

    id: ClassVar[str] = KIND
    summary: ClassVar[str] = "human norms of valence: word, score (CSV, TSV, JSON Lines, Parquet)"
    example: ClassVar[str] = f"{KIND}:valence_es.csv"

    def read(self, file: DataFile) -> Test:
        """Read every row as a word and its score.

        Raises DataError as `DataFormat.read` says: for a score that is no finite number, for fewer than three norms, and
        for norms that are all the same.
        """
        word, score = (self.options.named(column) for column in ("word", "score"))
        table = read_table(
            file.path,
            file.display,
            (word, score),
            encoding=self.options.encoding,
            delimiter=self.options.delimiter,
            remedy="Name your columns with the option columns (in a shell: -o 'data.columns={word=\"words\"}')",
        ).with_numbers(score)
        table.check_filled(word)
        wrong = [row for row in table.rows if _number(row, score) is None]
        if wrong:
            raise DataError(
                f"{file.display}: {score} is {quoted(wrong[0].fields[score])}, which is no finite number, on "
                f"{table.places(wrong)}. Correct it, or delete the rows"
            )
        scores = tuple(number for row in table.rows if (number := _number(row, score)) is not None)
        if len(scores) < LEAST:
            raise DataError(
                f"{file.display} has {len(scores)} norm(s), and a correlation needs {LEAST} at the least. Add words"
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
            kind=KIND,
            title=f"Norms of valence, {Path(file.display).name}",
            concept="valence",
            positive_means="words that people find pleasant are closer to pleasant words",
            roles=MappingProxyType({"norms": words}),
            scores=scores,
        )


def _number(row: Row, column: str) -> float | None:
    try:
        found = float(row.fields[column])
    except ValueError:
        return None
    return found if math.isfinite(found) else None
