"""Decisions from a table in the columns of Discrim-Eval (hub: Anthropic/discrim-eval)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Final, Literal

from pydantic import Field

from biascore.api.formats import ColumnOptions, DataFile, DataFormat, FrozenMap, Row, Table, Test, read_table
from biascore.api.support import listed, quoted
from biascore.errors import DataError
from biascore_metrics.discrim_eval.test import OLDEST, Case, Cases, DecisionsTest

COLUMNS: Final = ("filled_template", "decision_question_id", "age", "gender", "race")
FILL: Final = "fill_type"
CLUSTER: Final = "cluster"
NEUTRAL: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "weekday": ("The file was opened on a Tuesday.", "The file was opened on a Thursday."),
        "folder": ("The file is kept in a blue folder.", "The file is kept in a green folder."),
        "clerk": ("The initials of the clerk are KL.", "The initials of the clerk are MR."),
    }
)
"""By what is changed, English sentences that stand before the text: the data set has no neutral changes of its own."""


class DiscrimEvalFormatOptions(ColumnOptions):
    """``encoding`` and ``columns`` are those of every table.

    ``fill_type``: which rows are read of a file that has both kinds: groups that are named ("explicit") or told by names
    ("implicit"). ``neutral``: by what is changed, two sentences or more, each of which is put before the texts about the
    first gender and race of each question; by default three of ours in English data, and none in others.
    """

    known_columns: ClassVar[tuple[str, ...]] = (*COLUMNS, FILL, CLUSTER)

    fill_type: Literal["auto", "explicit", "implicit"] = "auto"
    neutral: FrozenMap[tuple[str, ...]] | None = Field(default=None, strict=False)


class DiscrimEvalFormat(DataFormat[DiscrimEvalFormatOptions]):
    """A table with filled_template, decision_question_id, age, gender, race; fill_type and cluster, where there are such."""

    id: ClassVar[str] = "discrim-eval"
    summary: ClassVar[str] = (
        "decisions about persons in the columns of Discrim-Eval (CSV, JSON Lines, Parquet)"
    )
    example: ClassVar[str] = "discrim-eval:explicit.jsonl"

    def read(self, file: DataFile) -> Test:
        """Read every row as a case; raises DataError as `DataFormat.read` says."""
        names = [self.options.named(column) for column in COLUMNS]
        fill = self.options.named(FILL)
        cluster = self.options.named(CLUSTER)
        table = read_table(file.path, file.display, names, (fill, cluster), encoding=self.options.encoding)
        table.check_filled(*names)
        rows = self._of_kind(table, fill)
        cases = tuple(self._cases(table, rows, names))
        self._check(table, rows, cases)
        sentences = self.options.neutral
        if sentences is None:
            sentences = NEUTRAL if file.language.partition("-")[0] == "en" else {}
        told = "; ".join(f"{name}: {' / '.join(of)}" for name, of in sentences.items())
        return DecisionsTest(
            **file.stated,
            kind="decisions",
            title=f"Discrim-Eval, {Path(file.display.partition('@')[0]).name}",
            concept="social bias",
            positive_means="yes is more probable for the level named first",
            cases=Cases(
                "decisions",
                (*cases, *_neutral(cases, _checked(file.display, sentences))),
                source=file.display,
            ),
            conventions={"neutral sentences": f"before the text; {told}" if told else "none"},
        )

    def _of_kind(self, table: Table, fill: str) -> Sequence[Row]:
        """The rows of the kind that the option names; all of a file with one kind."""
        if fill not in table.columns:
            if self.options.fill_type != "auto":
                raise DataError(
                    f"{table.display} has no column {quoted(fill)}, and fill_type={self.options.fill_type} chooses by it. "
                    "Leave the option fill_type out"
                )
            return table.rows
        kinds = Counter(row.fields[fill].strip() for row in table.rows)
        if self.options.fill_type == "auto" and len(kinds) > 1:
            found = listed([f"{kind or '(blank)'} ({count})" for kind, count in kinds.items()])
            raise DataError(
                f"{table.display} has rows of several kinds, {found}, which are two tests. Choose one with the option "
                "fill_type, such as fill_type=explicit"
            )
        wanted = self.options.fill_type
        rows = [row for row in table.rows if wanted in ("auto", row.fields[fill].strip())]
        if not rows:
            raise DataError(
                f"{table.display} has no row with {fill} {wanted}; there are {listed(list(kinds))}. Choose another fill_type"
            )
        return rows

    def _cases(self, table: Table, rows: Sequence[Row], names: Sequence[str]) -> Iterator[Case]:
        text, question, age, gender, race = names
        for row in rows:
            years = _number(row.fields[age])
            if not 0 <= years <= OLDEST:
                raise DataError(
                    f"{table.display}: {quoted(age)} is {quoted(row.fields[age])} on {table.places([row])}, and no number "
                    f"of years from 0 to {OLDEST}. Correct it, or delete the row"
                )
            yield Case(
                text=row.fields[text].strip(),
                question=row.fields[question].strip(),
                age=years,
                gender=row.fields[gender].strip(),
                race=row.fields[race].strip(),
                cluster=row.fields.get(self.options.named(CLUSTER), "").strip(),
            )

    def _check(self, table: Table, rows: Sequence[Row], cases: Sequence[Case]) -> None:
        """Raise DataError for a text that is there twice, and where all persons are alike."""
        first: dict[tuple[str, str], Row] = {}
        for row, case in zip(rows, cases, strict=True):
            known = first.setdefault((case.question, case.text), row)
            if known is not row:
                raise DataError(
                    f"{table.display} has the same text twice in question {case.question}, on {table.places([known, row])}. "
                    "Delete one, or correct its person"
                )
        of: dict[str, tuple[str, Row]] = {}
        for row, case in zip(rows, cases, strict=True):
            cluster, known = of.setdefault(case.question, (case.cluster, row))
            if cluster != case.cluster:
                raise DataError(
                    f"{table.display} has question {case.question} in two clusters, {quoted(cluster)} and "
                    f"{quoted(case.cluster)}, on {table.places([known, row])}. Give all its rows one"
                )
        if max(len({getattr(one, factor) for one in cases}) for factor in ("age", "gender", "race")) < 2:
            raise DataError(
                f"{table.display} has one age, one gender and one race, so there is nothing to compare. Give a file with "
                "several persons for each question"
            )


def _checked(display: str, sentences: Mapping[str, tuple[str, ...]]) -> Mapping[str, tuple[str, ...]]:
    for name, variants in sentences.items():
        if len(set(variants)) < max(2, len(variants)) or not all(one.strip() for one in variants):
            raise DataError(
                f"{display}: neutral.{name} has {len(variants)} sentence(s), {listed(list(variants))}. Give two or more, "
                "all different and none blank"
            )
    return sentences


def _neutral(cases: Sequence[Case], sentences: Mapping[str, tuple[str, ...]]) -> Iterator[Case]:
    """Each sentence before each text about the gender and race that come first in its question."""
    person: dict[str, tuple[str, str]] = {}
    for case in cases:
        if (case.gender, case.race) != person.setdefault(case.question, (case.gender, case.race)):
            continue
        for change, variants in sentences.items():
            for variant in variants:
                yield replace(case, text=f"{variant} {case.text}", change=change, variant=variant)


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return math.nan
