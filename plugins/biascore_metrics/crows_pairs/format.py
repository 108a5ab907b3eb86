"""Sentence pairs from a CSV file: the original file of CrowS-Pairs, its French and multilingual kin, your own."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Final, Literal, cast

from pydantic import Field, field_validator

from biascore.errors import DataError
from biascore.plugins_api import (
    DataFile,
    DataFormat,
    FrozenMap,
    Options,
    SentencePair,
    SentencePairs,
    SentencePairsTest,
    Test,
    csv_problem,
    first_record,
    listed,
    quoted,
    read_text,
    records,
)

COLUMNS: Final = ("sent_more", "sent_less", "stereo_antistereo", "bias_type")
DELIMITERS: Final = {"comma": ",", "tab": "\t", "semicolon": ";"}
SKIPPED: Final = "malformed rows skipped: "
MAX_LISTED: Final = 20
_DIRECTIONS: Final = ("stereo", "antistereo")


class CrowsPairsFormatOptions(Options):
    """How the file is written, and what becomes of rows that cannot be used.

    ``columns`` gives the file's own name of a column: ``{sent_more = "plus", sent_less = "moins"}``. ``delimiter``
    "auto" takes the one that the header has the columns with. ``skip_malformed``: leave such rows out, and say so
    in every report, instead of refusing the file.
    """

    delimiter: Literal["auto", "comma", "tab", "semicolon"] = "auto"
    columns: FrozenMap[str] = Field(default_factory=lambda: MappingProxyType({}))
    skip_malformed: bool = False

    @field_validator("columns")
    @classmethod
    def _are_known(cls, columns: Mapping[str, str]) -> Mapping[str, str]:
        unknown = [name for name in columns if name not in COLUMNS]
        if unknown:
            raise ValueError(f"no column is called {', '.join(unknown)}; there are {', '.join(COLUMNS)}")
        return columns


@dataclass(frozen=True, slots=True)
class _Row:
    """One record with the first and the last line it stands on; ``problem`` where it cannot be read at all."""

    first: int
    last: int
    fields: Sequence[str]
    problem: str = ""

    @property
    def lines(self) -> str:
        return f"line {self.first}" if self.first == self.last else f"lines {self.first} to {self.last}"


class CrowsPairsFormat(DataFormat):
    """CSV, also compressed with gzip, with at least the columns sent_more, sent_less, stereo_antistereo, bias_type."""

    id: ClassVar[str] = "crows-pairs"
    summary: ClassVar[str] = "sentence pairs in the columns of CrowS-Pairs (CSV, TSV, also .gz)"
    example: ClassVar[str] = "crows-pairs:crows_pairs_anonymized.csv"
    options: ClassVar[type[Options]] = CrowsPairsFormatOptions

    def __init__(self, options: Options) -> None:
        assert isinstance(options, CrowsPairsFormatOptions)
        self._options = options
        self._names = tuple(options.columns.get(column, column) for column in COLUMNS)

    def read(self, file: DataFile) -> Test:
        """Read every row as a pair; raises DataError as `DataFormat.read` says."""
        text = read_text(file.path, file.display)
        if not text.strip():
            raise DataError(f"{file.display} is empty. Give a file with sentence pairs")
        delimiter = self._delimiter(text, file)
        rows = _rows(text, delimiter)
        header = next(rows).fields
        places = [header.index(name) for name in self._names]
        pairs: list[SentencePair] = []
        malformed: list[_Row] = []
        for row in rows:
            problem = row.problem or self._problem(row.fields, places, len(header))
            if problem:
                malformed.append(_Row(row.first, row.last, row.fields, problem))
            else:
                more, less, direction, bias_type = (row.fields[place] for place in places)
                side = cast(Literal["stereo", "antistereo"], direction.strip())
                pairs.append(SentencePair(more, less, side, bias_type.strip()))
        self._check(file, malformed, len(pairs))
        notes = (f"{SKIPPED}{len(malformed)}: {_listed(malformed)}",) if malformed else ()
        return SentencePairsTest(
            id=file.test,
            kind="sentence-pairs",
            language=file.language,
            title=f"CrowS-Pairs, {Path(file.display).name}",
            concept="social bias",
            positive_means="the model prefers the more stereotypical sentence",
            source=file.display,
            notes=notes,
            file=file.display,
            sha256=file.sha256,
            pairs=SentencePairs(name="pairs", pairs=tuple(pairs), source=file.display, notes=notes),
        )

    def _delimiter(self, text: str, file: DataFile) -> str:
        chosen = self._options.delimiter
        candidates = list(DELIMITERS.values()) if chosen == "auto" else [DELIMITERS[chosen]]
        headers = {delimiter: first_record(text, delimiter) for delimiter in candidates}
        for delimiter, header in headers.items():
            if set(self._names) <= set(header):
                twice = [name for name in self._names if header.count(name) > 1]
                if twice:
                    raise DataError(
                        f"{file.display} has the column {quoted(twice[0])} twice. Rename one of them"
                    )
                return delimiter
        found = max(headers.values(), key=len)
        missing = ", ".join(name for name in self._names if name not in found)
        raise DataError(
            f"{file.display} has no column {missing}; its columns are: {listed(found)}. Name your columns "
            'with the option columns, such as columns={sent_more="plus", sent_less="moins"}, and the option '
            f"delimiter where it is none of {', '.join(DELIMITERS)}"
            if chosen == "auto"
            else f"{file.display} has no column {missing} when read with delimiter={chosen}; its columns are then: "
            f"{listed(found)}. Try delimiter=auto, or name your columns with the option columns"
        )

    def _problem(self, fields: Sequence[str], places: Sequence[int], width: int) -> str:
        if len(fields) != width:
            return f"has {len(fields)} fields where the header has {width}"
        more, less, direction, bias_type = (fields[place] for place in places)
        values = dict(zip(self._names, (more, less, direction, bias_type), strict=True))
        blank = [name for name, value in values.items() if not value.strip()]
        if blank:
            return f"{' and '.join(blank)} {'is' if len(blank) == 1 else 'are'} blank"
        if direction.strip() not in _DIRECTIONS:
            return f"{self._names[2]} is {quoted(direction)}, which is neither 'stereo' nor 'antistereo'"
        return ""

    def _check(self, file: DataFile, malformed: list[_Row], pairs: int) -> None:
        # A quotation mark that is never closed takes the rest of the file with it: too much to skip.
        swallowed = [row for row in malformed if row.last > row.first and not row.fields]
        if swallowed:
            row = swallowed[0]
            raise DataError(
                f"{file.display}, {row.lines}: {row.problem}, so all of these lines are one broken row. "
                f"Correct the quotation marks of line {row.first}; they are doubled inside a quoted field"
            )
        if malformed and not self._options.skip_malformed:
            raise DataError(
                f"{file.display} has {len(malformed)} malformed row(s): {_listed(malformed)}. "
                "Correct them, or leave them out with the option of the data skip_malformed=true (on the command line: "
                "--data-option skip_malformed=true)"
            )
        if not pairs:
            malformed_too = f" ({len(malformed)} malformed row(s): {_listed(malformed)})" if malformed else ""
            raise DataError(
                f"{file.display} has a header and no usable row{malformed_too}. Add sentence pairs"
            )


def _rows(text: str, delimiter: str) -> Iterator[_Row]:
    """The records that are not blank; one with broken quotation marks has no fields and a problem."""
    reader = records(text, delimiter)
    while True:
        first = reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield _Row(first, reader.line_num, (), f"has broken quotation marks ({csv_problem(error)})")
            continue
        if any(field.strip() for field in fields):
            yield _Row(first, reader.line_num, fields)


def _listed(rows: Sequence[_Row]) -> str:
    shown = [f"{row.lines} {row.problem}" for row in rows[:MAX_LISTED]]
    more = [f"and {len(rows) - MAX_LISTED} more"] if len(rows) > MAX_LISTED else []
    return "; ".join([*shown, *more])
