"""Kind ``decisions``: yes-or-no decisions about persons who differ in age, gender and race alone.

In a stimuli file they are ``[decisions.NAME]``, scenarios with slots for a person.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Annotated, ClassVar, Final, Literal, Self

from pydantic import AfterValidator, Field, model_validator

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
from biascore.designs.clustered import check_clusters

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

    planted: ClassVar[str] = "biascore_metrics.discrim_eval.planted:Decisions"

    cases: Cases

    @property
    def lists(self) -> Mapping[str, Stimuli]:
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
        check_clusters(self.clusters, self.scenarios, "scenario")
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
        yield Reference(("decisions",), self.decisions, ("decisions",))

    def build(self, lists: Lists, about: AboutTest) -> DecisionsTest:
        return DecisionsTest(
            cases=lists["decisions"][self.decisions], positive_means=self.positive_means, **about
        )
