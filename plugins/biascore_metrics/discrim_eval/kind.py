"""Decisions in a stimuli file: ``[decisions.NAME]``, scenarios with slots for a person, and tests of kind ``decisions``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
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
    Section,
    TestEntry,
    Word,
    Words,
    check_not_empty,
)
from biascore_metrics.discrim_eval.test import OLDEST, Case, Cases, DecisionsTest

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
    def _slots_fit(self) -> Self:
        levels: dict[str, int] = {
            "gender": len(self.gender),
            "race": len(self.race),
            "age": len(set(self.age)),
        }
        varied = [slot for slot in PERSON if levels[slot] > 1]
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
        return self

    @model_validator(mode="after")
    def _clusters_fit(self) -> Self:
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
        cluster = {one: name for name, scenarios in self.clusters.items() for one in scenarios}
        cases = (*self._persons(), *self._changes())
        return Cases(
            rows=tuple(replace(one, cluster=cluster.get(one.question, "")) for one in cases), **about
        )

    def _persons(self) -> Iterator[Case]:
        for (question, text), gender, race, age in product(
            self.scenarios.items(), self.gender, self.race, self.age
        ):
            yield Case(self._text(text, gender, race, age, {}), question, float(age), gender, race)

    def _changes(self) -> Iterator[Case]:
        gender, race = next(iter(self.gender)), next(iter(self.race))
        for (question, text), age in product(self.scenarios.items(), self.age):
            for name, variants in self.neutral.items():
                for variant in variants if f"{{{name}}}" in text else ():
                    written = self._text(text, gender, race, age, {name: variant})
                    yield Case(written, question, float(age), gender, race, name, variant)

    def _text(self, text: str, gender: str, race: str, age: int, neutral: Mapping[str, str]) -> str:
        usual = {name: variants[0] for name, variants in self.neutral.items()}
        filled = {"gender": self.gender[gender], "race": self.race[race], "age": str(age), **usual, **neutral}
        return _SLOT.sub(lambda slot: filled[slot[1]], text)


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
