"""Kind ``decisions``: yes-or-no decisions about persons who differ in age, gender and race alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Self

from biascore.api.kinds import Resizing, Rows, Stimuli, said
from biascore.api.stimuli import Test

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
    def questions(self) -> tuple[str, ...]:
        """What is decided, in the order of the source."""
        return tuple(dict.fromkeys(one.question for one in self.cases.rows))

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
        kept = size.items(tuple(of_question.items()), _copies)
        cases = tuple(case for _, some in kept for case in some)
        return replace(self, cases=self.cases.of(cases))


def _copies(question: tuple[str, list[Case]], number: int) -> tuple[str, list[Case]]:
    if number == 1:
        return question
    name = f"{question[0]} {number}"
    return name, [replace(one, text=said(one.text, number), question=name) for one in question[1]]
