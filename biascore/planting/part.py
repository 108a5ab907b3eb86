"""What a kind of test says of an effect that is planted in it, and how ``planted:`` answers then."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import ClassVar, Self, TypeVar

from biascore.errors import RefError
from biascore.models.questions.questions import Choice, Chosen, Continuation, Masked, Way
from biascore.models.questions.writing import Prompt, Settings, Written
from biascore.planting.lexicon import Lexicon
from biascore.planting.sentences import Sentence, Sentences
from biascore.planting.world import World
from biascore.stimuli import Test

A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Ground:
    """What effects are planted in: words on axes, sentences, and the conditions of the world."""

    words: Lexicon
    sentences: Sentences
    world: World


class Part(ABC):
    """The planted texts of tests of some kinds, which name the class: ``planted = "module:Class"``.

    An answer is None for a text that is none of them. ``carries``: what an effect is carried in, for messages.
    """

    carries: ClassVar[str]
    ground: Ground

    @classmethod
    def on(cls, ground: Ground) -> Self:
        """One in which nothing is planted yet; the ``ground`` is what it is planted in."""
        found = cls()
        found.ground = ground
        return found

    @abstractmethod
    def plant(self, test: Test, effect: float, seed: int) -> None:
        """Plant a test. A text of two tests carries what the first gives it."""

    def refused(self, text: str) -> Sentence | None:  # noqa: ARG002
        """A planted text as one that cannot carry its effect in what is asked; None for another text."""
        return None

    def told(self) -> Iterable[str]:
        """The planted bias as lines, for a digest."""
        return ()

    def __len__(self) -> int:
        """How many texts are planted."""
        return 0

    def sentence(self, text: str, test: str, kind: str, value: float = 0.0) -> Sentence:
        """A text of a test, as a message names it."""
        return Sentence(text, test, kind, value, carries=self.carries)

    def chosen(self, question: Choice, way: Way, seed: int) -> Chosen | None:  # noqa: ARG002
        """What is chosen of a planted question."""
        return None

    def generated(self, prompt: Prompt, settings: Settings, seed: int) -> Written | None:  # noqa: ARG002
        """What is written to a planted prompt; `PlantedText` writes it."""
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

    def logprobs(self, query: Masked, asked: int, seed: int) -> list[float] | None:  # noqa: ARG002
        """Of the ``asked`` tokens that a planted text hides, in nats."""
        return None


def part_of(test: Test) -> type[Part]:
    """The class that a test names; raises RefError where it is none."""
    module, _, name = test.planted.partition(":")
    found = getattr(import_module(module), name)
    if not (isinstance(found, type) and issubclass(found, Part)):
        raise RefError(
            f"planted: tests of kind {test.kind} name {test.planted} for what an effect in them is, which is no Part. "
            "Report this to the authors of that kind"
        )
    return found


def first(parts: Iterable[Part], answer: Callable[[Part], A | None]) -> A | None:
    """The answer of the part whose text it is; None without any."""
    return next((found for part in parts if (found := answer(part)) is not None), None)
