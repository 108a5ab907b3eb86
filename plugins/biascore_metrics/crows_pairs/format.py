"""CrowS-Pairs from a table, such as the published file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Final, Literal, cast

from biascore.api.formats import (
    ClusterOptions,
    ColumnOptions,
    DataFile,
    DataFormat,
    Delimiter,
    Malformed,
    Table,
    Test,
    read_table,
)
from biascore.api.support import quoted
from biascore.designs.pairs.caveats import SKIPPED, TEMPLATE
from biascore.designs.pairs.test import SentencePair, SentencePairs, SentencePairsTest
from biascore.errors import DataError

COLUMNS: Final = ("sent_more", "sent_less", "stereo_antistereo", "bias_type")
_DIRECTIONS: Final = ("stereo", "antistereo")


def _other_columns(columns: Sequence[str]) -> str:
    """What to do about a table of other columns; of SHADES that it has no pairs."""
    if any("biased sentence" in name.lower().replace("_", " ") for name in columns):
        return (
            "These are the columns of SHADES, which states stereotypes alone: no sentence is the less stereotypical one of "
            "a pair, so there is nothing to compare. Write that sentence for each, in a table with sent_more and sent_less"
        )
    return 'Name your columns with the option columns, such as columns={sent_more="plus", sent_less="moins"}'


class CrowsPairsFormatOptions(ColumnOptions, ClusterOptions):
    """How the file is written, and what becomes of rows that cannot be used.

    ``encoding``, ``columns`` and ``values`` are those of every table: ``{sent_more = "plus", sent_less = "moins"}``,
    ``{stereo_antistereo = {0 = "stereo", 1 = "antistereo"}}``. ``cluster``: the column that names the template of a pair, by
    default ``template``, if there is one. ``delimiter`` "auto" takes the one that the header has the columns with.
    ``skip_malformed``: leave such rows out, and say so in every report, instead of refusing the file.
    """

    known_columns: ClassVar[tuple[str, ...]] = (*COLUMNS, TEMPLATE)

    delimiter: Delimiter = "auto"
    skip_malformed: bool = False


class CrowsPairsFormat(DataFormat[CrowsPairsFormatOptions]):
    """A table with at least the columns sent_more, sent_less, stereo_antistereo, bias_type; template, where there is one."""

    id: ClassVar[str] = "crows-pairs"
    summary: ClassVar[str] = "sentence pairs in the columns of CrowS-Pairs (CSV, TSV, JSON Lines, Parquet)"
    example: ClassVar[str] = "crows-pairs:crows_pairs_anonymized.csv"

    def __init__(self, options: CrowsPairsFormatOptions) -> None:
        super().__init__(options)
        self._names = tuple(map(options.named, COLUMNS))
        self._template = options.cluster or options.named(TEMPLATE)
        self._needed = (*self._names, self._template) if options.cluster else self._names

    def read(self, file: DataFile) -> Test:
        """Read every row as a pair; raises DataError as `DataFormat.read` says."""
        table = read_table(
            file.path,
            file.display,
            self._needed,
            (self._template,),
            encoding=self.options.encoding,
            delimiter=self.options.delimiter,
            keep_malformed=True,
            remedy=_other_columns,
        )
        pairs: list[SentencePair] = []
        found = list(table.malformed)
        for row in table.rows:
            problem = self._problem(row.fields)
            if problem:
                found.append(Malformed(row.line, row.last, problem))
            else:
                more, less, direction, bias_type = (
                    self.options.meaning(column, row.fields[name])
                    for column, name in zip(COLUMNS, self._names, strict=True)
                )
                side = cast(Literal["stereo", "antistereo"], direction.strip())
                template = row.fields.get(self._template, "").strip()
                pairs.append(SentencePair(more, less, side, bias_type.strip(), template))
        malformed = sorted(found, key=lambda one: one.line)
        self._check(table, malformed, len(pairs))
        notes = (f"{SKIPPED}{len(malformed)}: {table.problems(malformed)}",) if malformed else ()
        return SentencePairsTest(
            **file.stated,
            kind="sentence-pairs",
            title=f"CrowS-Pairs, {Path(file.display).name}",
            concept="social bias",
            positive_means="the model prefers the more stereotypical sentence",
            notes=notes,
            pairs=SentencePairs("pairs", tuple(pairs), source=file.display, notes=notes),
        )

    def _problem(self, fields: Mapping[str, str]) -> str:
        """What is wrong with a row, or nothing."""
        blank = [name for name in self._needed if not fields[name].strip()]
        if blank:
            return f"{' and '.join(blank)} {'is' if len(blank) == 1 else 'are'} blank"
        direction = self.options.meaning(COLUMNS[2], fields[self._names[2]])
        if direction.strip() not in _DIRECTIONS:
            return f"{self._names[2]} is {quoted(direction)}, which is neither 'stereo' nor 'antistereo'"
        return ""

    def _remedy(self, table: Table) -> str:
        """Where every row has another word, or number, for the direction: how to say which is which."""
        cells = sorted({row.fields[self._names[2]].strip() for row in table.rows})
        if len(cells) != len(_DIRECTIONS) or set(cells) & set(_DIRECTIONS):
            return ""
        said = ", ".join(f'"{cell}" = "…"' for cell in cells)
        return (
            f"Where these are its own words for stereo and antistereo, look up which is which in its documentation, and say "
            f"so with the option of the data values={{{COLUMNS[2]} = {{{said}}}}}. "
        )

    def _check(self, table: Table, malformed: Sequence[Malformed], pairs: int) -> None:
        if malformed and not self.options.skip_malformed:
            raise DataError(
                f"{table.display} has {len(malformed)} malformed row(s): {table.problems(malformed)}. "
                f"{self._remedy(table)}Correct them, or leave them out with the option of the data skip_malformed=true (on "
                "the command line: -o data.skip_malformed=true)"
            )
        if not pairs:
            raise DataError(
                f"{table.display} has a header and no usable row ({len(malformed)} malformed row(s): "
                f"{table.problems(malformed)}). Add sentence pairs"
            )
