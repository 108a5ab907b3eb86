"""What tests that are asked in whole texts have in common when an effect is planted in them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import TypeVar

from biascore.api.queries import Choice, Chosen, Continuation, Masked, Way
from biascore.api.stimuli import Test
from biascore_adapters.planted.sentences import Sentence

A = TypeVar("A")


class Part(ABC):
    """The planted texts of tests of some kinds. An answer is None for a text that is none of them."""

    @abstractmethod
    def plant(self, test: Test, effect: float, seed: int) -> bool:
        """Plant a test; False for one of another kind. A text of two tests carries what the first gives it."""

    @abstractmethod
    def refused(self, text: str) -> Sentence | None:
        """A planted text as one that cannot carry its effect in what is asked; None for another text."""

    @abstractmethod
    def told(self) -> Iterable[str]:
        """All that is planted as lines, for a digest."""

    @abstractmethod
    def __len__(self) -> int:
        """How many texts are planted."""

    def chosen(self, question: Choice, way: Way, seed: int) -> Chosen | None:  # noqa: ARG002
        """What is chosen of a planted question."""
        return None

    def translated(self, text: str, target: str, seed: int) -> str | None:  # noqa: ARG002
        """The translation of a planted text."""
        return None

    def scored(self, text: str, quantity: str, seed: int) -> float | None:  # noqa: ARG002
        """The output of a head for a planted text."""
        return None

    def log_likelihood(self, text: str | Continuation, seed: int) -> float | None:  # noqa: ARG002
        """Of a planted text, or of one after a planted prompt, in nats."""
        return None

    def logprobs(self, query: Masked, asked: int) -> list[float] | None:  # noqa: ARG002
        """Of the ``asked`` tokens that a planted text hides, in nats."""
        return None


def first(parts: Iterable[Part], answer: Callable[[Part], A | None]) -> A | None:
    """The answer of the part whose text it is; None without any."""
    return next((found for part in parts if (found := answer(part)) is not None), None)
