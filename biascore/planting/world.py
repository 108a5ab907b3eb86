"""The world around planted effects: what makes tests err where there is no bias.

An entry of the locator is ``CONDITION=VALUE`` or ``CONDITION.LISTS=VALUE``: ``topics.XY=0.3`` gives X a topic and Y another.
Lists are X, Y, A and B of a ``weat`` test, A, B and the targets T of a ``fise`` test.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Self, TypeVar

import numpy as np
import numpy.typing as npt

from biascore.errors import RefError

LISTS: Final = "XYABT"
NAMES: Final = {
    "T": "the targets of a fise test",
    "": "words",
    "P": "sentence pairs",
    "Q": "questions with options",
    "R": "questions with options, or prompts",
}
OF: Final = {
    "lists": f"for lists, by their letters ({', '.join(LISTS)})",
    "either": f"for all words, or for lists by their letters ({', '.join(LISTS)})",
    "words": "for all words together",
    "pairs": "for sentence pairs",
    "questions": "for questions with options",
    "answers": "for all questions and prompts, or for groups of prompts, by their letters (X, Y)",
}
OWN: Final = {"pairs": "P", "questions": "Q", "answers": "R"}
"""As which list a condition counts that is of no list of words."""
ACCURACY: Final = 0.5
"""Of questions with options, where none is declared."""
MAX_SHARE: Final = 0.95
"""Of a vector, for topic and cluster together, so that words differ."""


@dataclass(frozen=True, slots=True)
class Condition:
    """How a condition is written: an example, the bounds of its numbers, and whether it is of lists."""

    example: str
    bounds: tuple[tuple[float, float], ...]
    of: str = "lists"
    """"lists": of those named; "either", "answers": of those named, or of all; "words", "pairs" or "questions": of
    everything."""

    def read(self, text: str) -> tuple[float, ...] | None:
        """The numbers in ``4x0.5``, or None where they are not as many, or out of bounds."""
        try:
            numbers = tuple(map(float, text.split("x")))
        except ValueError:
            return None
        fit = len(numbers) == len(self.bounds)
        return (
            numbers
            if fit and all(a <= n <= b for n, (a, b) in zip(numbers, self.bounds, strict=True))
            else None
        )

    def takes(self, lists: str) -> bool:
        """Whether it can be declared for these lists."""
        known = set(lists) <= set(LISTS)
        return known and (self.of in ("either", "answers") or bool(lists) == (self.of == "lists"))

    @property
    def told(self) -> str:
        """What may be written, in words."""
        return " x ".join(f"{a:g} to {b:g}" for a, b in self.bounds)


CONDITIONS: Final[Mapping[str, Condition]] = {
    "axis": Condition("axis=0", ((0.0, 0.5),), "words"),
    "topics": Condition("topics.XY=0.3", ((0.0, 0.9),), "either"),
    "clusters": Condition("clusters.XY=4x0.5", ((1, 1000), (0.0, 0.95))),
    "frequency": Condition("frequency.XA=0.3", ((-0.5, 0.5),)),
    "spread": Condition("spread=0.3", ((0.0, 0.5),), "words"),
    "anisotropy": Condition("anisotropy=0.5", ((0.0, 0.95),), "either"),
    "length": Condition("length.X=2", ((1.0, 10.0),)),
    "lift": Condition("lift=0.3", ((-5.0, 5.0),), "words"),
    "templates": Condition("templates=5x0.3", ((1, 1000), (0.0, 1.0)), "pairs"),
    "longer": Condition("longer=0.6x2", ((0.0, 1.0), (0.0, 10.0)), "pairs"),
    "accuracy": Condition("accuracy=0.8", ((0.0, 1.0),), "questions"),
    "refusals": Condition("refusals=0.1", ((0.0, 1.0),), "answers"),
    "template_sd": Condition("template_sd=0.5", ((0.0, 5.0),), "questions"),
}
"""What the locator of a planted model may declare in addition to effects, by name."""


@dataclass(frozen=True, slots=True)
class Place:
    """What the world makes of a word: names and shares of its topic and cluster, and the rest of its conditions.

    ``length`` is in sub-tokens; ``anisotropy`` its squared cosine with the direction that all words share.
    """

    topic: tuple[str, float] = ("", 0.0)
    cluster: tuple[str, float] = ("", 0.0)
    frequency: float = 0.0
    anisotropy: float = 0.0
    length: float = 1.0


@dataclass(slots=True)
class World:
    """The declared conditions, by name and list ("" for all words, "P", "Q"), and which of them met a list."""

    values: dict[tuple[str, str], tuple[float, ...]] = field(default_factory=dict)
    _met: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, locator: str, entries: Mapping[str, str]) -> Self:
        """Read the entries that name a condition; raises RefError for lists or values that cannot be."""
        world = cls()
        for name, value in entries.items():
            condition, _, lists = name.partition(".")
            form = CONDITIONS[condition]
            numbers = form.read(value)
            if numbers is None or (condition in ("clusters", "templates") and numbers[0] % 1):
                raise RefError(
                    f"planted:{locator}: {name}={value} is not a value of {condition}: {form.told}. Write, for example, "
                    f"{form.example}"
                )
            if not form.takes(lists) or name.endswith("."):
                raise RefError(
                    f"planted:{locator}: {condition} is declared {OF[form.of]}, and {name!r} is not. Write, for example, "
                    f"{form.example}"
                )
            own = OWN.get(form.of, "")
            for letter in lists or ("",):
                world.values[condition, own + letter] = numbers
        for letter in LISTS:
            if world._one("topics", letter) + world._two("clusters", letter)[1] > MAX_SHARE + 1e-9:
                raise RefError(
                    f"planted:{locator}: topic and cluster of {letter} leave no room for the words themselves. Let the two "
                    f"cosines add up to {MAX_SHARE} at most"
                )
        return world

    @property
    def told(self) -> str:
        """All conditions in a line, the same for the same world; empty without any."""
        return ", ".join(
            f"{name}{f'.{lists}' if lists in LISTS and lists else ''}={'x'.join(f'{n:g}' for n in numbers)}"
            for (name, letter), numbers in sorted(self.values.items())
            for lists in (letter.removeprefix("R"),)
        )

    @property
    def axis(self) -> float | None:
        """The loading of attributes on the axis of their test, where it is declared."""
        found = self.values.get(("axis", ""))
        return found[0] if found else None

    @property
    def lift(self) -> float:
        """Nats by which each sub-token of a target is likelier with a word of A in sight than with one of B."""
        return self._one("lift", "")

    @property
    def templates(self) -> tuple[int, float]:
        """How many sentence pairs in a row are of one template, and the share of their variance that it makes."""
        size, share = self._two("templates", "P")
        return int(size) or 1, share

    @property
    def longer(self) -> tuple[float, float] | None:
        """The share of pairs whose sent_more has a token more, and the nats that it costs."""
        return self._two("longer", "P") if ("longer", "P") in self.values else None

    def cluster(self, test: str, role: str, position: int) -> tuple[str, float]:
        """The name of the cluster of a word, by its position in its list, and the cosine within it."""
        size, cosine = self._two("clusters", role)
        return (f"{test} {role} {position // int(size)}", cosine) if cosine else ("", 0.0)

    def place(self, test: str, role: str, position: int) -> Place:
        """What the world makes of the word in that list of a test."""
        self._met.add(role)
        topic = self._one("topics", role)
        return Place(
            topic=(f"{test} {role}", topic) if topic else ("", 0.0),
            cluster=self.cluster(test, role, position),
            frequency=self._one("frequency", role),
            anisotropy=self.values.get(("anisotropy", role), self.values.get(("anisotropy", ""), (0.0,)))[0],
            length=self._one("length", role, 1.0),
        )

    @property
    def spread(self) -> float:
        """How far words that no declared test names lie from 0 in frequency at most; ranks follow frequency then."""
        return self._one("spread", "")

    @property
    def pool(self) -> float:
        """The cosine within each list of the shipped topics."""
        return self._one("topics", "")

    def everyone(self, side: float = 0.0, topic: str = "") -> Place:
        """What it makes of a word that no declared test names, by its topic, if any.

        ``side``, from -1 to 1, is where it lies in the spread.
        """
        return Place(
            topic=(topic, self.pool) if topic else ("", 0.0),
            anisotropy=self._one("anisotropy", ""),
            frequency=self.spread * side,
        )

    @property
    def accuracy(self) -> float:
        """The share of questions that are answered as the context tells."""
        return self._one("accuracy", "Q", ACCURACY)

    @property
    def refusals(self) -> float:
        """The share of questions that are declined."""
        return self._one("refusals", "R")

    @property
    def template_sd(self) -> float:
        """How much templates of questions differ, in log odds."""
        return self._one("template_sd", "Q")

    def refused(self, group: str = "") -> float:
        """The share of prompts of a group (X, Y) that are declined: its own where it is declared, else that of all."""
        return self._one("refusals", f"R{group}", self.refusals)

    def meet_questions(self) -> None:
        """There is a test of questions with options."""
        self._met |= {"Q", "R"}

    def meet_prompts(self, *groups: str) -> None:
        """There is a test of prompts, of these groups."""
        self._met |= {"R", *(f"R{group}" for group in groups)}

    def meet_pairs(self) -> None:
        """There is a test of sentence pairs."""
        self._met.add("P")

    def check_met(self, locator: str) -> None:
        """Raise RefError for a condition that no declared test has a list for: it would change nothing."""
        met = self._met | ({""} if self._met & set(LISTS) else set())
        for (name, letter), _ in sorted(self.values.items()):
            if letter not in met:
                of = NAMES.get(letter, f"the list {letter[-1:]}")
                raise RefError(
                    f"planted:{locator}: {name} is of {of}, and no declared test has such. Declare a test that "
                    "has, with the effect 0 if you like, or leave the condition out"
                )

    def _one(self, name: str, letter: str, otherwise: float = 0.0) -> float:
        return self.values.get((name, letter), (otherwise,))[0]

    def _two(self, name: str, letter: str) -> tuple[float, float]:
        first, second = self.values.get((name, letter), (1.0, 0.0))
        return first, second


Deviates = TypeVar("Deviates", float, npt.NDArray[np.float64])


def mixed(shared: Deviates, own: Deviates, share: float) -> Deviates:
    """A standard normal deviate that correlates by ``share`` with the others that have the same ``shared`` one."""
    return math.sqrt(share) * shared + math.sqrt(1.0 - share) * own
