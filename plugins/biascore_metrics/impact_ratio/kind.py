"""Kind ``outcomes``: people, each with the categories that a decision about them is compared by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from biascore.api.kinds import Resizing, Rows, Stimuli, said
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

    def __str__(self) -> str:
        return f"{self.text}: {', '.join(self.categories)}"

    def unstated(self, group: int) -> str | None:
        """What stands in the place of a category: "" in a blank cell; None where one is stated."""
        if self.categories[group]:
            return None
        return self.cells[group] if self.cells else ""


@dataclass(frozen=True, kw_only=True)
class People(Rows[Person]):
    """People in the order of their source; ``groups`` names what their categories are of, such as sex and race.

    ``cluster`` names what their clusters are, such as opening; empty where none are known.
    """

    key = "people"

    groups: tuple[str, ...]
    cluster: str = ""

    def entries(self) -> dict[str, Any]:
        """The entries, as JSON."""
        return {"groups": list(self.groups), **super().entries()}


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
        return ("text", "selected"), tuple(one.text for one in self.people.rows)

    def resized(self, size: Resizing) -> Self:
        """The same with more or fewer people of each combination of categories."""
        known = {one.categories: number for number, one in enumerate(self.people.rows)}
        people = size.items_of(self.people.rows, lambda one: known[one.categories], _copy)
        return replace(self, people=self.people.of(people))


def _copy(person: Person, number: int) -> Person:
    return replace(person, text=said(person.text, number))
