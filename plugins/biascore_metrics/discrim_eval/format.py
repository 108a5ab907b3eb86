"""Decisions from a table in the columns of Discrim-Eval (hub: Anthropic/discrim-eval)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Final, Literal

from pydantic import Field

from biascore.api.formats import (
    ClusterOptions,
    ColumnOptions,
    DataFile,
    DataFormat,
    FrozenMap,
    Row,
    Table,
    Test,
    read_table,
)
from biascore.api.support import listed, quoted
from biascore.errors import DataError
from biascore_metrics.discrim_eval.items import OLDEST, PERSON, Case, Cases, DecisionsTest

COLUMNS: Final = ("filled_template", "decision_question_id", "age", "gender", "race")
FILL: Final = "fill_type"
CLUSTER: Final = "cluster"
NEUTRAL: Final = {
    "weekday": ("The file was opened on a Tuesday.", "The file was opened on a Thursday."),
    "folder": ("The file is kept in a blue folder.", "The file is kept in a green folder."),
    "clerk": ("The initials of the clerk are KL.", "The initials of the clerk are MR."),
}
"""By what is changed, English sentences that stand before the text: the data set has no neutral changes of its own."""


class DiscrimEvalFormatOptions(ColumnOptions, ClusterOptions):
    """``encoding`` and ``columns`` are those of every table; ``cluster`` is the column of what questions belong to.

    ``fill_type``: which rows are read of a file that has both kinds: groups that are named ("explicit") or implied by names
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
        fill, own = self.options.named(FILL), [self.options.cluster] if self.options.cluster else []
        needed, others = [*names, *own], (fill, self._cluster)
        table = read_table(file.path, file.display, needed, others, encoding=self.options.encoding)
        table.check_filled(*needed)
        cases = tuple(self._cases(table, self._of_kind(table, fill), names))
        if max(len({getattr(one, factor) for one in cases}) for factor in PERSON) < 2:
            raise DataError(
                f"{table.display} has one age, one gender and one race, so there is nothing to compare. Give a file with "
                "several persons for each question"
            )
        sentences = self.options.neutral
        if sentences is None:
            sentences = NEUTRAL if file.language.partition("-")[0] == "en" else {}
        told = "; ".join(f"{name}: {' / '.join(of)}" for name, of in sentences.items())
        rows = (*cases, *_neutral(cases, file.display, sentences))
        return DecisionsTest(
            **file.stated,
            kind="decisions",
            title=f"Discrim-Eval, {Path(file.display.partition('@')[0]).name}",
            concept="social bias",
            positive_means="yes is more probable for the level named first",
            cases=Cases("decisions", rows, source=file.display),
            conventions={"neutral sentences": f"before the text; {told}" if told else "none"},
        )

    @property
    def _cluster(self) -> str:
        return self.options.cluster or self.options.named(CLUSTER)

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
        """A case for each row; raises DataError for a wrong age, the same text twice, or a question in two clusters."""
        texts: dict[tuple[str, str], Row] = {}
        clusters: dict[str, tuple[str, Row]] = {}
        for row in rows:
            text, question, age, gender, race = (row.fields[name].strip() for name in names)
            years = math.nan
            with suppress(ValueError):
                years = float(age)
            if not 0 <= years <= OLDEST:
                raise DataError(
                    f"{table.display}: {quoted(names[2])} is {quoted(row.fields[names[2]])} on {table.places([row])}, and "
                    f"no number of years from 0 to {OLDEST}. Correct it, or delete the row"
                )
            known = texts.setdefault((question, text), row)
            if known is not row:
                raise DataError(
                    f"{table.display} has the same text twice in question {question}, on {table.places([known, row])}. "
                    "Delete one, or correct its person"
                )
            cluster = row.fields.get(self._cluster, "").strip()
            first, known = clusters.setdefault(question, (cluster, row))
            if cluster != first:
                raise DataError(
                    f"{table.display} has question {question} in two clusters, {quoted(first)} and {quoted(cluster)}, on "
                    f"{table.places([known, row])}. Give all its rows one"
                )
            yield Case(text, question, years, gender, race, cluster=cluster)


def _neutral(cases: Sequence[Case], display: str, sentences: Mapping[str, tuple[str, ...]]) -> Iterator[Case]:
    """Each sentence before each text about the gender and race that come first in its question; raises DataError."""
    for name, variants in sentences.items():
        if len(set(variants)) < max(2, len(variants)) or not all(one.strip() for one in variants):
            raise DataError(
                f"{display}: neutral.{name} has {len(variants)} sentence(s), {listed(list(variants))}. Give two or more, "
                "all different and none blank"
            )
    person: dict[str, tuple[str, str]] = {}
    for case in cases:
        if (case.gender, case.race) == person.setdefault(case.question, (case.gender, case.race)):
            for change, variants in sentences.items():
                for variant in variants:
                    yield replace(case, text=f"{variant} {case.text}", change=change, variant=variant)
