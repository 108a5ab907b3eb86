"""Kind ``advice``: prompts that ask for one number about a person, who differ in their name alone.

In a stimuli file they are ``[advice.NAME]``: templates with a slot for a name, and names by race and gender.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Final, Literal, Self

from pydantic import Field, model_validator

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
    check_fit,
)
from biascore.api.stimuli import Test
from biascore.api.support import listed
from biascore.designs.clustered import check_clusters

SLOT: Final = "{name}"
FACTORS: Final = ("race", "gender")
Factor = Literal["race", "gender"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A prompt about one person; prompts of one ``template`` differ in the person alone.

    ``cluster``: what templates go together by, such as one thing that is for sale; empty where a template is on its own.
    """

    text: str
    template: str
    name: str
    race: str
    gender: str
    cluster: str = ""

    def __str__(self) -> str:
        return f"{self.item}: {self.text}"

    @property
    def item(self) -> str:
        """``salary/Latoya Washington``."""
        return f"{self.template}/{self.name}"

    @property
    def together(self) -> str:
        """The cluster, or else the template."""
        return self.cluster or self.template

    @property
    def surname(self) -> str:
        """The last part of the name; "" where it has one part."""
        return self.name.rpartition(" ")[2] if " " in self.name else ""


class Prompts(Rows[Asked]):
    """Prompts in the order of their source."""

    key = "cases"


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceTest(Test):
    """Kind ``advice``: prompts about persons of two groups, which are two levels of one factor."""

    planted: ClassVar[str] = "biascore_metrics.advice.planted:Advised"

    prompts: Prompts
    factor: Factor
    groups: tuple[str, str]
    """Of which the first is compared with the second."""

    @property
    def lists(self) -> Mapping[str, Stimuli]:
        return {"prompts": self.prompts}

    @property
    def other(self) -> Factor:
        """The factor that is held equal."""
        return "gender" if self.factor == "race" else "race"

    def group(self, asked: Asked) -> str:
        """The group of the person of a prompt."""
        return str(getattr(asked, self.factor))

    def stratum(self, asked: Asked) -> str:
        """The level of the other factor."""
        return str(getattr(asked, self.other))

    def names(self, group: str) -> tuple[str, ...]:
        """The different names of a group."""
        return tuple(dict.fromkeys(one.name for one in self.prompts.rows if self.group(one) == group))

    def fewer(self, names: int | None = None, templates: int | None = None) -> tuple[Asked, ...]:
        """The prompts of the first ``templates`` with the first ``names`` of each race and gender; all of what is None."""
        first = [*dict.fromkeys(one.template for one in self.prompts.rows)][:templates]
        cells: dict[tuple[str, str], dict[str, None]] = {}
        for one in self.prompts.rows:
            cells.setdefault((one.race, one.gender), {}).setdefault(one.name)
        kept = {(cell, name) for cell, of_cell in cells.items() for name in [*of_cell][:names]}
        return tuple(
            one
            for one in self.prompts.rows
            if ((one.race, one.gender), one.name) in kept and one.template in first
        )

    def resized(self, size: Resizing) -> Self:
        of_name: dict[tuple[str, str, str], list[Asked]] = {}
        for one in self.prompts.rows:
            of_name.setdefault((one.race, one.gender, one.name), []).append(one)
        cells = [*dict.fromkeys(key[:2] for key in of_name)]
        kept = size.items_of(
            [*of_name.values()], lambda some: cells.index((some[0].race, some[0].gender)), _copy
        )
        return replace(self, prompts=self.prompts.of(tuple(one for some in kept for one in some)))

    def details(self) -> list[str]:
        templates = Counter(one.template for one in self.prompts.rows)
        names = [f"{group}: {listed(self.names(group))}" for group in self.groups]
        return [f"{len(templates)} templates", *names]


def _copy(prompts: Sequence[Asked], number: int) -> list[Asked]:
    """The prompts of another person of the same group."""
    return [
        replace(one, name=name, text=one.text.replace(one.name, name))
        for one in prompts
        for name in [one.name if number == 1 else f"{one.name} {number}"]
    ]


def test_of(prompts: Prompts, compare: Sequence[str], about: Mapping[str, object]) -> AdviceTest | str:
    """The test that compares two levels of one factor; or what is wrong with these."""
    first, second = compare
    levels = {name: [*dict.fromkeys(getattr(one, name) for one in prompts.rows)] for name in FACTORS}
    for factor in FACTORS:
        if first != second and {first, second} <= {*levels[factor]}:
            rows = tuple(one for one in prompts.rows if getattr(one, factor) in compare)
            given = {"positive_means": f"larger numbers for {first} than for {second}", **about}
            return AdviceTest(prompts=prompts.of(rows), factor=factor, groups=(first, second), **given)  # type: ignore[arg-type]
    known = " and ".join(f"{name}: {listed(of)}" for name, of in levels.items())
    return f"compares {first!r} with {second!r}, which are no two levels of one factor; there are {known}"


Names = Annotated[dict[Word, dict[Word, Words]], Field(min_length=1)]


class AdviceEntry(ListEntry):
    """``[advice.NAME]``: every template with every name.

    ``names``: by race, and within it by gender. ``templates``: by name, the text with the slot ``{name}``. ``clusters``: by
    topic, the templates that go together and are no independent observations.
    """

    names: Names
    templates: Annotated[dict[Name, Word], Field(min_length=1)]
    clusters: dict[Name, Words] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        for name, text in self.templates.items():
            if SLOT not in text:
                raise ValueError(f"templates.{name} has no slot {SLOT}, so all of its prompts are the same")
        every = [
            (race, gender, one)
            for race, of in self.names.items()
            for gender, some in of.items()
            for one in some
        ]
        counts = Counter(one for _, _, one in every)
        if twice := [one for one, count in counts.items() if count > 1]:
            raise ValueError(f"names have {twice[0]!r} twice. Leave it in one place")
        if both := {*self.names} & {gender for _, gender, _ in every}:
            raise ValueError(f"names have {min(both)!r} as a race and as a gender. Name them apart")
        check_clusters(self.clusters, self.templates, "template")
        return self

    def build(self, about: About) -> Prompts:
        """The prompts, template by template."""
        return Prompts(rows=tuple(self._prompts()), **about)

    def _prompts(self) -> Iterator[Asked]:
        cluster = {one: name for name, some in self.clusters.items() for one in some}
        for template, text in self.templates.items():
            for race, of in self.names.items():
                for gender, names in of.items():
                    for name in names:
                        filled = text.replace(SLOT, name)
                        yield Asked(filled, template, name, race, gender, cluster.get(template, ""))


class AdviceTestEntry(TestEntry):
    """``[tests.ID]`` of kind ``advice``: ``compare`` names two races, or two genders, of prompts of this file."""

    sections: ClassVar = {"advice": Section(AdviceEntry, "list of prompts that ask for a number")}

    kind: Literal["advice"]
    advice: Prose
    compare: Annotated[tuple[Word, Word], Field(strict=False)]

    def references(self) -> Iterator[Reference]:
        yield Reference(("advice",), self.advice, ("advice",))

    def build(self, lists: Lists, about: AboutTest) -> AdviceTest:
        found = test_of(lists["advice"][self.advice], self.compare, {**about})
        if isinstance(found, str):
            check_fit([(("compare",), found)])
            raise AssertionError
        return found
