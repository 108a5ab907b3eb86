"""Kind ``decisions``: yes-or-no decisions about persons who differ in age, gender and race alone.

In a stimuli file they are ``[decisions.NAME]``, scenarios with slots for a person; as data, a table in the columns of
Discrim-Eval (hub: Anthropic/discrim-eval).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Annotated, ClassVar, Final, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from biascore.api.formats import ColumnOptions, DataFile, DataFormat, FrozenMap, Row, Table, read_table
from biascore.api.kinds import (
    About,
    AboutTest,
    ListEntry,
    Lists,
    Name,
    Prose,
    Reference,
    Resizing,
    Rows,
    Section,
    Stimuli,
    TestEntry,
    Word,
    Words,
    check_not_empty,
    said,
)
from biascore.api.stimuli import Test
from biascore.api.support import listed, quoted
from biascore.errors import DataError

OLDEST: Final = 150
"""Years; a higher age is a slip."""


@dataclass(frozen=True, slots=True)
class Case:
    """A text that asks for a decision; yes is the answer in favour of its person.

    ``question``: what is decided; texts of one question differ in the person alone, so that they are no independent
    observations. A neutral case has a ``change``, what is changed and tells nothing of the person, and its ``variant``.
    ``cluster``: what questions go together by, such as a topic; empty where a question is on its own.
    """

    text: str
    question: str
    age: float
    gender: str
    race: str
    change: str = ""
    variant: str = ""
    cluster: str = ""

    def __str__(self) -> str:
        return f"{self.item}: {self.text}"

    @property
    def together(self) -> str:
        """What questions that are no independent observations have in common: the cluster, or else the question."""
        return self.cluster or f"question {self.question}"

    @property
    def item(self) -> str:
        """``loan/female/Black/30``, of a neutral case ``loan/male/white/30/weekday: Thursday``."""
        neutral = f"/{self.change}: {self.variant}" if self.change else ""
        return f"{self.question}/{self.gender}/{self.race}/{self.age:g}{neutral}"


class Cases(Rows[Case]):
    """Cases in the order of their source."""

    key = "cases"


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionsTest(Test):
    """Kind ``decisions``: cases of persons, and neutral ones as their control, if any."""

    cases: Cases

    @property
    def lists(self) -> Mapping[str, Stimuli]:
        """Everything the test holds, by role."""
        return {"decisions": self.cases}

    @property
    def clusters(self) -> dict[str, str]:
        """By question its cluster, or a name of its own."""
        return {one.question: one.together for one in self.cases.rows}

    @property
    def decisions(self) -> tuple[Case, ...]:
        """The cases that differ in their person."""
        return tuple(one for one in self.cases.rows if not one.change)

    @property
    def neutral(self) -> tuple[Case, ...]:
        """The cases that differ in what tells nothing of the person."""
        return tuple(one for one in self.cases.rows if one.change)

    def resized(self, size: Resizing) -> Self:
        """The same with more or fewer questions."""
        of_question: dict[str, list[Case]] = {}
        for case in self.cases.rows:
            of_question.setdefault(case.question, []).append(case)
        kept = size.items([*of_question.values()], lambda some, number: [_copy(one, number) for one in some])
        return replace(self, cases=self.cases.of(tuple(case for some in kept for case in some)))


def _copy(case: Case, number: int) -> Case:
    question = case.question if number == 1 else f"{case.question} {number}"
    return replace(case, text=said(case.text, number), question=question)


PERSON: Final = ("gender", "race", "age")
_SLOT: Final = re.compile(r"\{([^{}]*)\}")

Levels = Annotated[dict[Word, Word], Field(min_length=1)]
Ages = Annotated[
    tuple[Annotated[int, Field(ge=0, le=OLDEST)], ...], Field(strict=False), AfterValidator(check_not_empty)
]


class DecisionsEntry(ListEntry):
    """``[decisions.NAME]``: every scenario with every person, and with every neutral change for the first gender and race.

    ``gender`` and ``race``: by level, its word in the slots ``{gender}`` and ``{race}``; the first is the reference.
    ``neutral``: by what is changed, its variants, for a slot of that name; the first is in all other texts. ``clusters``: by
    topic, the scenarios that go together and are no independent observations.
    """

    gender: Levels
    race: Levels
    age: Ages
    scenarios: Annotated[dict[Name, Word], Field(min_length=1)]
    neutral: dict[Name, Words] = Field(default_factory=dict)
    clusters: dict[Name, Words] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        varied = [slot for slot in PERSON if len({*getattr(self, slot)}) > 1]
        if not varied:
            raise ValueError(
                "has one gender, one race and one age, so there is nothing to compare. Give two of one"
            )
        if len(set(self.age)) < len(self.age):
            raise ValueError("age has a number twice. Leave one out")
        if taken := [name for name in self.neutral if name in PERSON]:
            raise ValueError(f"neutral.{taken[0]} is a slot of the person. Give it another name")
        few = [name for name, variants in self.neutral.items() if len(set(variants)) < max(2, len(variants))]
        if few:
            raise ValueError(f"neutral.{few[0]} needs two variants or more, all different")
        used = {name: set(_SLOT.findall(text)) for name, text in self.scenarios.items()}
        for name, slots in used.items():
            if unknown := sorted(slots - {*PERSON, *self.neutral}):
                known = ", ".join((*PERSON, *self.neutral))
                raise ValueError(f"scenarios.{name} has the slot {{{unknown[0]}}}; there are {known}")
            if lacking := [slot for slot in varied if slot not in slots]:
                raise ValueError(
                    f"scenarios.{name} has no slot {{{lacking[0]}}}, so all of its persons read the same"
                )
        if unused := [name for name in self.neutral if not any(name in slots for slots in used.values())]:
            raise ValueError(f"neutral.{unused[0]} is in no scenario. Write {{{unused[0]}}} where it belongs")
        named = [scenario for some in self.clusters.values() for scenario in some]
        if unknown := [one for one in named if one not in self.scenarios]:
            raise ValueError(
                f"clusters name the scenario {unknown[0]!r}; there are {', '.join(self.scenarios)}"
            )
        if twice := [one for one in named if named.count(one) > 1]:
            raise ValueError(f"clusters name the scenario {twice[0]!r} twice. Leave it in one of them")
        return self

    def build(self, about: About) -> Cases:
        """The cases of all persons, then those of neutral changes."""
        return Cases(rows=tuple(self._cases()), **about)

    def _cases(self) -> Iterator[Case]:
        cluster = {one: name for name, scenarios in self.clusters.items() for one in scenarios}
        usual = {name: variants[0] for name, variants in self.neutral.items()}

        def case(
            question: str, gender: str, race: str, age: int, change: str = "", variant: str = ""
        ) -> Case:
            filled = {
                "gender": self.gender[gender],
                "race": self.race[race],
                "age": str(age),
                **usual,
                change: variant,
            }
            text = _SLOT.sub(lambda slot: filled[slot[1]], self.scenarios[question])
            return Case(text, question, float(age), gender, race, change, variant, cluster.get(question, ""))

        for person in product(self.scenarios, self.gender, self.race, self.age):
            yield case(*person)
        gender, race = next(iter(self.gender)), next(iter(self.race))
        for question, age in product(self.scenarios, self.age):
            for name, variants in self.neutral.items():
                for variant in variants if f"{{{name}}}" in self.scenarios[question] else ():
                    yield case(question, gender, race, age, name, variant)


class DecisionsTestEntry(TestEntry):
    """``[tests.ID]`` of kind ``decisions``: decisions of this file."""

    sections: ClassVar = {"decisions": Section(DecisionsEntry, "list of decisions")}

    kind: Literal["decisions"]
    decisions: Prose
    positive_means: Prose = "yes is more probable for the level named first"

    def references(self) -> Iterator[Reference]:
        """The decisions."""
        yield Reference(("decisions",), self.decisions, ("decisions",))

    def build(self, lists: Lists, about: AboutTest) -> DecisionsTest:
        """The test."""
        return DecisionsTest(
            cases=lists["decisions"][self.decisions], positive_means=self.positive_means, **about
        )


COLUMNS: Final = ("filled_template", "decision_question_id", "age", "gender", "race")
FILL: Final = "fill_type"
CLUSTER: Final = "cluster"
NEUTRAL: Final = {
    "weekday": ("The file was opened on a Tuesday.", "The file was opened on a Thursday."),
    "folder": ("The file is kept in a blue folder.", "The file is kept in a green folder."),
    "clerk": ("The initials of the clerk are KL.", "The initials of the clerk are MR."),
}
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
        fill, cluster = self.options.named(FILL), self.options.named(CLUSTER)
        table = read_table(file.path, file.display, names, (fill, cluster), encoding=self.options.encoding)
        table.check_filled(*names)
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
            cluster = row.fields.get(self.options.named(CLUSTER), "").strip()
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
