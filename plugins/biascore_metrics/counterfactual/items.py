"""Kind ``counterfactual``: pairs of prompts that differ in the name of a person alone, and the words that are looked for.

In a stimuli file they are ``[counterfactual.NAME]``, templates with a slot for a name, and ``[pairs.NAME]``, pairs of names.
"""

from __future__ import annotations

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
    Problem,
    Prose,
    Reference,
    Resizing,
    Rows,
    Section,
    Stimuli,
    TestEntry,
    Word,
    WordList,
    check_fit,
)
from biascore.api.stimuli import Test

SLOT: Final = "{name}"


@dataclass(frozen=True, slots=True)
class PromptPair:
    """Two prompts of one template, the first about a person of the first group; ``names`` are those of both persons."""

    first: str
    second: str
    template: str
    names: str

    def __str__(self) -> str:
        return f"{self.item}: {self.first} | {self.second}"

    @property
    def item(self) -> str:
        """``letter/Allison Schneider, Brett Schneider``."""
        return f"{self.template}/{self.names}"

    @property
    def sides(self) -> tuple[str, str]:
        """Both prompts."""
        return self.first, self.second


class PromptPairs(Rows[PromptPair]):
    """Pairs in the order of their source."""

    key = "pairs"


@dataclass(frozen=True, slots=True, kw_only=True)
class CounterfactualTest(Test):
    """Kind ``counterfactual``: ``groups`` are those of the first and the second prompt of each pair."""

    planted: ClassVar[str] = "biascore_metrics.counterfactual.planted:Letters"

    pairs: PromptPairs
    words: WordList
    groups: tuple[str, str]

    @property
    def lists(self) -> Mapping[str, Stimuli]:
        return {"pairs": self.pairs, "words": self.words}

    def resized(self, size: Resizing) -> Self:
        return replace(self, pairs=self.pairs.of(size.items(self.pairs.rows, _copy)))


def _copy(pair: PromptPair, number: int) -> PromptPair:
    if number == 1:
        return pair
    told = f" ({number})"
    return PromptPair(
        pair.first + told, pair.second + told, f"{pair.template} {number}", f"{pair.names} {number}"
    )


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt with the slot ``{name}``."""

    name: str
    text: str

    def __str__(self) -> str:
        return f"{self.name}: {self.text}"


class Templates(Rows[Template]):
    """Templates in the order of their source."""

    key = "templates"


class CounterfactualEntry(ListEntry):
    """``[counterfactual.NAME]``: templates by name, each with the slot ``{name}``."""

    templates: Annotated[dict[Name, Word], Field(min_length=1)]

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if wrong := [name for name, text in self.templates.items() if SLOT not in text]:
            raise ValueError(f"templates.{wrong[0]} has no slot {SLOT}, so its two prompts are the same")
        return self

    def build(self, about: About) -> Templates:
        """The templates."""
        return Templates(rows=tuple(Template(*one) for one in self.templates.items()), **about)


class CounterfactualTestEntry(TestEntry):
    """``[tests.ID]`` of kind ``counterfactual``: templates, pairs of names whose sides are the groups, words to count.

    Each template takes ``each`` of the pairs, in turn: the first one or more, then the next.
    """

    sections: ClassVar = {"counterfactual": Section(CounterfactualEntry, "list of templates with a name")}

    kind: Literal["counterfactual"]
    templates: Prose
    names: Prose
    words: Prose
    each: Annotated[int, Field(ge=1)] = 1

    def references(self) -> Iterator[Reference]:
        yield Reference(("templates",), self.templates, ("counterfactual",))
        yield Reference(("names",), self.names, ("pairs",))
        yield Reference(("words",), self.words)

    def build(self, lists: Lists, about: AboutTest) -> CounterfactualTest:
        templates, names = lists["counterfactual"][self.templates], lists["pairs"][self.names]
        check_fit(_unfit(names.pairs, self.each))
        rows = []
        for place, one in enumerate(templates.rows):
            for number in range(self.each):
                first, second = names.pairs[(place * self.each + number) % len(names.pairs)]
                both = one.text.replace(SLOT, first), one.text.replace(SLOT, second)
                rows.append(PromptPair(*both, one.name, f"{first}, {second}"))
        return CounterfactualTest(
            pairs=PromptPairs(f"{templates.name}, {names.name}", tuple(rows), names.source, names.licence),
            words=lists["lists"][self.words],
            groups=names.sides,
            positive_means=f"more for {names.sides[0]} than for {names.sides[1]}",
            **about,
        )


def _unfit(pairs: Sequence[tuple[str, str]], each: int) -> Iterator[Problem]:
    if same := [one for one, other in pairs if one == other]:
        yield ("names",), f"pair {same[0]!r} with itself. Give two names"
    if each > len(pairs):
        yield ("each",), f"is {each}, and there are {len(pairs)} pairs of names"
