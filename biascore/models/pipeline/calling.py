"""One batch of questions for a backend, by its hook, and again where that may help."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any, Final, Generic, TypeVar

import pluggy

from biascore.errors import RateLimitError, TransientModelError
from biascore.models.backend import Backend
from biascore.models.pipeline.budget import Budget
from biascore.models.pipeline.flight import Flight
from biascore.models.pipeline.http import shortened
from biascore.models.pipeline.source import Services, Source
from biascore.models.questions.capabilities import CAPABILITIES, PROJECT, QUESTIONS, CapabilitySpecs
from biascore.models.questions.cost import Cost, characters

Q = TypeVar("Q")
A = TypeVar("A")
_LONG: Final = 30.0  # seconds of a wait that is reported
_ASKED: Final = 5
"""A batch that is asked to wait is sent so often."""
MAX_WAIT: Final = 900.0
"""Seconds: a service that asks for a longer wait is not waited for; run again later."""


@dataclass(frozen=True, slots=True)
class Hook(Generic[Q, A]):
    """How one hook is called, checked and stored: ``split`` turns a batch answer into single answers.

    ``problem`` says why an answer to a question is none, or is empty: such an answer is never kept, and is an error
    unless ``lenient``.
    """

    name: str
    params: dict[str, Any]
    split: Callable[[str, Any, Sequence[Q]], list[A]]
    encode: Callable[[A], bytes]
    decode: Callable[[bytes], A]
    problem: Callable[[str, Q, A], str] = lambda _model, _question, _answer: ""
    lenient: bool = False


class Caller:
    """The hooks of one backend; ``capabilities`` are those that it answers.

    Raises PluginValidationError where one of them takes an argument that the hook has not.
    """

    def __init__(self, source: Source, backend: Backend, services: Services) -> None:
        self._source, self._backend, self._services = source, backend, services
        self._told_until = 0.0
        self._manager = pluggy.PluginManager(PROJECT)
        self._manager.add_hookspecs(CapabilitySpecs)
        self._manager.register(backend, name="backend")
        answered = {caller.name for caller in self._manager.get_hookcallers(backend) or []}
        self._manager.check_pending()
        self.capabilities = frozenset(answered & set(CAPABILITIES))

    def call(self, hook: Hook[Q, A], questions: tuple[Q, ...], flight: Flight[Any]) -> list[A]:
        """The answers of the hook to a batch, one for one; asked again after transient failures, as the flight lets it.

        Each attempt at a model that may charge is charged to the budgets. Raises AnswerError, what the backend raises, its
        foreign errors as PluginFailedError, BudgetError and TimeLimitError, and Stopped where the flight is.
        """
        caller = getattr(self._manager.hook, hook.name)
        if self._source.paid:
            for budget in self._services.budgets:
                needs = self.needs(budget, hook, questions)
                caller = budget.guard(self._source.name, caller, needs)
        argument = QUESTIONS.get(hook.name, "texts")
        what = answering(hook.name, questions)
        limit = None if self._source.elsewhere else self._services.time_limit

        def answers() -> list[A]:
            return hook.split(self._source.name, caller(**{argument: questions}, **hook.params), questions)

        attempt, waited = 0, 0.0
        with flight.call() as attempts:
            while True:
                attempt += 1
                try:
                    return attempts.make(partial(self._source.guarded, what, answers, limit))
                except TransientModelError as error:
                    seconds = self._wait(error, attempt, waited)
                    if seconds is None:
                        raise
                    self._show_wait(error, seconds)
                attempts.pause(seconds)
                waited += seconds

    def needs(self, budget: Budget, hook: Hook[Q, Any], questions: Sequence[Q]) -> int:
        """What a call of the hook with these questions takes of a budget; of tokens the bound, 0 where none are counted."""
        if budget.unit == "characters":
            return sum(map(characters, questions))
        if budget.limit is None:
            return 0
        cost = self.cost(hook, questions)
        return (cost.tokens or 0) + (cost.tokens_out or 0)

    def cost(self, hook: Hook[Q, Any], questions: Sequence[Q]) -> Cost:
        """What one call of the hook with these questions would cost; raises QuestionError as it would."""
        return self._source.guarded(
            "counting tokens", lambda: self._backend.cost(hook.name, questions, hook.params)
        )

    def _wait(self, error: TransientModelError, attempt: int, waited: float) -> float | None:
        """Seconds before the next attempt: what the service asked for, else 1, 2, 4, ... up to 60, at most what is left.

        None to give up: where the service asks for a wait that nobody sits through, after so many attempts, or where the
        waits that nobody asked for have taken their time.
        """
        most = self._services.attempts
        asked = error.retry_after if isinstance(error, RateLimitError) else None
        if asked is not None and not math.isnan(asked):
            return (
                None
                if asked > MAX_WAIT or attempt >= (_ASKED if most is None else most)
                else max(0.0, float(asked))
            )
        own, left = float(min(60, 2 ** min(attempt - 1, 6))), self._services.wait - waited
        if most is not None:
            return own if attempt < most else None
        return min(own, left) if left > 0 else None

    def _show_wait(self, error: TransientModelError, seconds: float) -> None:
        """Say that a long wait begins, once for all batches that wait for it."""
        if seconds >= _LONG and monotonic() > self._told_until:
            self._told_until = monotonic() + seconds
            text = f"{self._source.name}: {seconds:,.0f} s until it is asked again ({shortened(error)})"
            self._services.progress.note(text)


def answering(hook: str, questions: Sequence[Any]) -> str:
    """What code that answers a batch is at, in a phrase."""
    return f"answering {len(questions)} question(s) ({hook})"
