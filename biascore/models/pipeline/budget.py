"""The characters, and the tokens, that services with a key may be sent and asked for: a bound on what a run can cost."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Literal

from biascore.basics.surface import either
from biascore.errors import (
    AuthError,
    BudgetError,
    OptionsError,
    QuestionError,
    QuotaError,
    RateLimitError,
)

# Answers that a service gives without working, and so without charging.
_REFUSED = (AuthError, BudgetError, QuotaError, RateLimitError)


class Budget:
    """Counts the characters or tokens of one command, and stops before they exceed ``limit``; None is no limit.

    Every attempt counts, since a request whose answer was lost may have been charged; one that the
    service refused does not. ``unit``: "characters", those that are sent, or "tokens", those of prompts and answers at most.
    Threads may share it.
    """

    def __init__(
        self, limit: int | None = None, unit: Literal["characters", "tokens"] = "characters"
    ) -> None:
        if limit is not None and limit < 0:
            raise OptionsError(f"max_{unit} is {limit}. Give 0 or more, or nothing for no limit")
        self.limit, self.unit = limit, unit
        self.spent = 0
        self._lock = threading.Lock()

    def guard(self, model: str, ask: Callable[..., object], needed: int) -> Callable[..., object]:
        """``ask``, raising BudgetError where what it needs would exceed the limit, before it is called."""

        def guarded(**arguments: Any) -> object:
            with self._lock:  # what is sent at once is counted before any of it is answered
                self._check(model, needed, "the next request has", "It was not sent")
                self.spent += needed
            try:
                return ask(**arguments)
            except _REFUSED:
                self._give_back(needed)
                raise
            except QuestionError:
                # Where tokens are counted, a call is many requests, and those before this one were answered.
                self._give_back(needed if self.unit == "characters" else 0)
                raise

        return guarded

    def check(self, model: str, needed: int) -> None:
        """Raise BudgetError where all of this, which is still to be sent, would exceed the limit."""
        self._check(model, needed, "these questions still need", "Nothing of them was sent")

    def _give_back(self, needed: int) -> None:
        with self._lock:
            self.spent -= needed

    def _check(self, model: str, needed: int, what: str, sent: str) -> None:
        if self.limit is not None and self.spent + needed > self.limit:
            amount, used = (
                (f"{needed:,} characters", "sent")
                if self.unit == "characters"
                else (f"up to {needed:,} tokens in and out", "used")
            )
            raise BudgetError(
                f"{model}: {what} {amount}, and {self.spent:,} of the {self.limit:,} allowed to this command "
                f"(max_{self.unit}) are {used} already. {sent}, and the answers so far are kept: run the same again with a "
                f"higher {either(f'--max-{self.unit}', f'max_{self.unit}')} and it goes on from there. What a whole audit "
                f"takes says: {either('biascore plan', 'engine.plan(audit)')}"
            )
