"""The characters that services with a key may be sent: a bound on what a run can cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from biascore.errors import (
    AuthError,
    BudgetError,
    OptionsError,
    QuestionError,
    QuotaError,
    RateLimitError,
)

# Answers that a service gives without translating, and so without charging.
_REFUSED = (AuthError, QuestionError, QuotaError, RateLimitError)


class Budget:
    """Counts the characters sent, and stops before more than ``limit`` of them would be; None is no limit.

    Every attempt counts, since a request whose answer was lost may have been charged; one that the
    service refused does not.
    """

    def __init__(self, limit: int | None = None) -> None:
        if limit is not None and limit < 0:
            raise OptionsError(f"max_characters is {limit}. Give 0 or more, or nothing for no limit")
        self.limit = limit
        self.spent = 0

    def guard(self, model: str, ask: Callable[..., object], characters: int) -> Callable[..., object]:
        """``ask``, raising BudgetError where its characters would exceed the limit, before it is called."""

        def guarded(**arguments: Any) -> object:
            self._check(model, characters)
            self.spent += characters
            try:
                return ask(**arguments)
            except _REFUSED:
                self.spent -= characters
                raise

        return guarded

    def check(self, model: str, characters: int) -> None:
        """Raise BudgetError where all these characters, which are still to be sent, would exceed the limit."""
        if self.limit is not None and self.spent + characters > self.limit:
            raise BudgetError(
                f"{model}: these questions still need {characters:,} characters, and {self.spent:,} of the "
                f"{self.limit:,} allowed to this command (max_characters) are sent already. Nothing of them was "
                "sent, and the answers so far are kept: run the same again with a higher --max-characters and it "
                "goes on from there. What a whole audit takes says: biascore plan"
            )

    def _check(self, model: str, characters: int) -> None:
        if self.limit is not None and self.spent + characters > self.limit:
            raise BudgetError(
                f"{model}: the next request has {characters:,} characters, and {self.spent:,} of the "
                f"{self.limit:,} allowed to this command (max_characters) are sent already. It was not sent, and "
                "the answers so far are kept: run the same again with a higher --max-characters and it goes on from there. "
                "What a whole audit takes says: biascore plan"
            )
