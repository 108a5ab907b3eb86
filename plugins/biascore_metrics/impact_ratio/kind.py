"""Kind ``outcomes``: people, each with the categories that a decision about them is compared by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from biascore.api.kinds import Doubt, Resizing, Stimuli, said
from biascore.api.stimuli import Test


@dataclass(frozen=True, slots=True)
class Person:
    """What a model is asked about, an id or a text, and a category of each group; empty where it is not stated.

    ``cells``: what stands there instead, as Unknown, by group; empty where nothing does. ``cluster``: what decisions are
    made within, as an opening.
    """

    text: str
    categories: tuple[str, ...]
    cells: tuple[str, ...] = ()
    cluster: str = ""

    def unstated(self, group: int) -> str | None:
        """What stands in the place of a category: "" in a blank cell; None where one is stated."""
        if self.categories[group]:
            return None
        return self.cells[group] if self.cells else ""


@dataclass(frozen=True, slots=True)
class People(Stimuli):
    """People in the order of their source; ``groups`` names what their categories are of, such as sex and race.

    ``cluster`` names what their clusters are, such as opening; empty where none are known.
    """

    name: str
    groups: tuple[str, ...]
    people: tuple[Person, ...]
    source: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
    doubtful: tuple[Doubt, ...] = ()
    cluster: str = ""

    def __len__(self) -> int:
        return len(self.people)

    def contents(self) -> str:
        """The entries, as the terminal shows them."""
        return "\n  ".join(f"{one.text}: {', '.join(one.categories)}" for one in self.people)

    def entries(self) -> dict[str, Any]:
        """The entries, as JSON."""
        return {"groups": list(self.groups), "people": [asdict(one) for one in self.people]}


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomesTest(Test):
    """Kind ``outcomes``: the outcomes themselves are what a model, or ``answers:``, says of these people."""

    people: People

    @property
    def lists(self) -> Mapping[str, Stimuli]:
        """Everything the test holds, by role."""
        return {"people": self.people}

    def to_answer(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Whether each person is selected, as ``answers:`` reads it."""
        return ("text", "selected"), tuple(one.text for one in self.people.people)

    def resized(self, size: Resizing) -> Self:
        """The same with more or fewer people of each combination of categories."""
        known = {one.categories: number for number, one in enumerate(self.people.people)}
        people = size.items_of(self.people.people, lambda one: known[one.categories], _copy)
        return replace(self, people=replace(self.people, people=people))


def _copy(person: Person, number: int) -> Person:
    return replace(person, text=said(person.text, number))
