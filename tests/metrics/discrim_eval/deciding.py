"""Backends whose decisions are known, and small tests of kind ``decisions``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from hashlib import blake2b
from itertools import product

import numpy as np
import numpy.typing as npt

from biascore.api.adapters import Backend, Identity, Model, hookimpl
from biascore.api.exporters import Measurement
from biascore.api.queries import Choice, Chosen, Continuation, Way, by_likelihood, by_text
from biascore_metrics.discrim_eval.asking import DiscrimEvalOptions
from biascore_metrics.discrim_eval.items import Case, Cases, DecisionsTest
from biascore_metrics.discrim_eval.metric import DiscrimEval

from ...builders.models import model_of
from ..measuring import measured

Logit = Callable[[str], float]
GENDERS, RACES, AGES = ("male", "female"), ("white", "Black"), (20.0, 40.0, 60.0)
VARIANTS = ("Tuesday", "Thursday")


def cases_of(questions: int = 6, neutral: Iterable[str] = VARIANTS) -> list[Case]:
    """Every person for every question, and a weekday that says nothing."""
    found = []
    for number in range(questions):
        name = f"q{number}"
        found += [
            Case(f"{name}: {age:g}, {gender}, {race}, Tuesday?", name, age, gender, race)
            for gender, race, age in product(GENDERS, RACES, AGES)
        ]
        found += [
            Case(f"{name}: {age:g}, male, white, {day}?", name, age, "male", "white", "weekday", day)
            for age in AGES
            for day in neutral
        ]
    return found


def decisions_test(cases: Iterable[Case]) -> DecisionsTest:
    return DecisionsTest(
        id="xx/decisions", kind="decisions", language="en", cases=Cases("decisions", tuple(cases))
    )


def own(text: str) -> float:
    """A number of this text alone, between -1 and 1."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big") / 2**63 - 1


class Continues(Backend):
    """Gives yes and no such a logit and together ``mass``, half of it in capitals; a space makes a word likelier."""

    def __init__(self, logit: Logit, mass: float = 0.9) -> None:
        self._logit, self._mass = logit, mass
        self.identity = Identity(
            digest="test:continues", quantities=("log_likelihood",), continues=True, ways=("likelihood",)
        )

    @hookimpl
    def score(self, texts: tuple[str | Continuation, ...], quantity: str) -> npt.NDArray[np.float64]:
        return np.array([self._of(text) for text in texts], dtype=np.float64)

    def _of(self, text: str | Continuation) -> float:
        assert isinstance(text, Continuation)
        sign = 1 if text.text.strip().lower() == "yes" else -1
        share = 1 / (1 + math.exp(-sign * self._logit(text.prompt.partition("?")[0])))
        less = 0.0 if text.text.startswith(" ") else 3.0
        return math.log(self._mass * share / 2) - less if self._mass else -1000.0

    @hookimpl
    def choose(self, questions: tuple[Choice, ...], way: Way) -> tuple[Chosen, ...]:
        raise AssertionError("it continues")


class Chooses(Backend):
    """Chooses in one way by a logit; ``refuses``: texts to which it answers nothing."""

    def __init__(self, logit: Logit, way: Way, refuses: Callable[[str], bool] = lambda _: False) -> None:
        self._logit, self._refuses = logit, refuses
        self.identity = Identity(digest=f"test:chooses {way}", ways=(way,))

    @hookimpl
    def choose(self, questions: tuple[Choice, ...], way: Way) -> tuple[Chosen, ...]:
        return tuple(self._of(question, way) for question in questions)

    def _of(self, question: Choice, way: Way) -> Chosen:
        assert question.options == ("yes", "no")
        text = question.prompt.partition("?")[0]
        yes = 1 / (1 + math.exp(-self._logit(text)))
        if way == "text":
            said = "I cannot tell." if self._refuses(text) else "yes" if yes > 0.5 else "no"
            return by_text(question, said, (0, 1))
        return by_likelihood((math.log(yes), math.log(1 - yes)), (1, 1))


def model(backend: Backend) -> Model:
    return model_of(backend)


def measure(backend: Backend, test: DecisionsTest, **options: object) -> Measurement:
    return measured(DiscrimEval(DiscrimEvalOptions(**options)), model(backend), test)  # type: ignore[arg-type]
