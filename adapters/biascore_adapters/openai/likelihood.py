"""Texts scored by what a server tells of their tokens: common to all ways in which servers tell it."""

from __future__ import annotations

import math
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar

from biascore.api.queries import Choice, Chosen, Continuation, by_likelihood
from biascore.errors import AnswerError, QuestionError
from biascore_adapters.openai.client import ChatClient, Completed, Piece, Prompt

PROBES: Final = (
    "The weather today is",
    "Two and two make",
    "She opened the door and",
    "The capital of France is",
    "He said that the",
    "In the morning they",
    "My brother bought a",
    "When it rains, we",
)
WANTED: Final = 3
TOLERANCE: Final = 0.05
"""Nats by which a token's log-probability may differ when it is reported in two ways. Two tokens that differ by less are not
distinguished, so a probe with such neighbours shows nothing."""

Q = TypeVar("Q", bound=Hashable)
A = TypeVar("A")


class Every(Protocol):
    """Asks questions one after the other, and keeps answers that came where another fails."""

    def __call__(self, questions: Sequence[Q], ask: Callable[[Q], A], /) -> list[A]:
        """The answers; raises what ``ask`` does."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A sum of log-probabilities in nats, and of how many tokens."""

    total: float
    tokens: int


class ServerTokens:
    """Token ids of texts, by the server's own tokenizer.

    ``start``: those that the tokenizer puts before a text; each text has them once, and none behind it. ``parts``: those
    found so far that are no text by themselves, as far as the server tells.
    """

    def __init__(self, client: ChatClient, every: Every, advice: str) -> None:
        self._client, self._every, self._advice = client, every, advice
        self.start: tuple[int, ...] = ()
        self.parts: set[int] = set()
        self._known: dict[str, tuple[int, ...]] = {}
        self._told: dict[bool, tuple[Piece, ...] | None] = {}

    def check(self) -> None:
        """Raise AnswerError where the server has no tokenizer that can be asked."""
        for special in (True, False):
            if special not in self._told:
                self._told[special] = self._client.tokenised(PROBES[0], special=special)
        whole, own = self._told[True], self._told[False]
        if whole is None or not own:
            raise AnswerError(
                f"openai: {self._client.server} tells no token ids of a text (POST /tokenize). {self._advice}"
            )
        place = next((i for i in range(len(whole)) if whole[i : i + len(own)] == own), None)
        if place is None:
            raise AnswerError(
                f"openai: {self._client.server} reads a text in other tokens where it puts a start token before it, so "
                f"that its log-probability is not that of the text. {self._advice}"
            )
        self.start = tuple(one.id for one in whole[:place])

    def of(self, texts: Sequence[str]) -> Mapping[str, tuple[int, ...]]:
        """The ids of each text, the start before them."""
        new = [one for one in dict.fromkeys(texts) if one not in self._known]
        for text, ids in zip(new, self._every(new, self._own), strict=True):
            begun = ids[: len(self.start)] == self.start
            self._known[text] = ids if begun else (*self.start, *ids)
        return {one: self._known[one] for one in texts}

    def _own(self, text: str) -> tuple[int, ...]:
        found = self._client.tokenised(text, special=False)
        if found is None:
            raise AnswerError(f"openai: {self._client.server} tells no token ids any more. {self._advice}")
        self.parts.update(one.id for one in found if not one.whole)
        return tuple(one.id for one in found)


class Likelihood(ABC):
    """Scores texts; nothing is scored before probes have shown that the server's numbers are what they are taken for.

    ``start``: put before a text without a prompt.
    """

    lowest: float = -9999.0
    """Log-probabilities down to this represent none."""

    def __init__(self, client: ChatClient, every: Every, start: str) -> None:
        self._client, self._every, self._start = client, every, start
        self._checked = False
        self._checking = threading.Lock()
        self._known: dict[str | Continuation, Scored] = {}
        self._probed: dict[Hashable, Completed | QuestionError] = {}

    def score(self, texts: Sequence[str | Continuation]) -> list[Scored]:
        """The texts, each after the start or after its prompt; raises AnswerError, QuestionError, and as the client does."""
        self._check()
        new = [one for one in dict.fromkeys(texts) if one not in self._known]
        groups = [(self._before(one), (one if isinstance(one, str) else one.text,)) for one in new]
        self._known |= {one: some[0] for one, some in zip(new, self._after(groups), strict=True)}
        return [self._known[one] for one in texts]

    def choose(self, questions: Sequence[Choice]) -> tuple[Chosen, ...]:
        """By the likelihood of each option after the prompt, all scored from the first token that any of them changes."""
        self._check()
        groups = [(one.prompt, tuple(_answer(one.prompt, text) for text in one.options)) for one in questions]
        return tuple(
            by_likelihood([one.total for one in some], [one.tokens for one in some])
            for some in self._after(groups)
        )

    @abstractmethod
    def probe(self) -> None:
        """Raise AnswerError where the server's numbers are not the log-probabilities of the tokens."""

    def _probe(self, prompt: Prompt, **how: Any) -> Completed:
        """What a probe is answered. Each is asked once a session: a batch that is asked again, because the server failed
        or was found unfit, does not pay for them again."""
        key = (prompt if isinstance(prompt, str) else tuple(prompt), *sorted(how.items()))
        if key not in self._probed:
            try:
                self._probed[key] = self._client.complete(prompt, **how)
            except QuestionError as error:
                self._probed[key] = error
        found = self._probed[key]
        if isinstance(found, QuestionError):
            raise found
        return found

    @abstractmethod
    def _after(self, groups: Sequence[tuple[str, Sequence[str]]]) -> list[list[Scored]]:
        """Texts after each prompt; where there is none, after the start token of the server's model."""

    def _check(self) -> None:
        with self._checking:  # the first of several at once; the others wait for what it finds
            if not self._checked:
                self.probe()
                self._checked = True

    def _before(self, question: str | Continuation) -> str:
        return self._start if isinstance(question, str) else question.prompt

    def _sum(self, values: Sequence[float | None], text: str, prompt: str) -> Scored:
        """Raises QuestionError for a value that is none, and for none at all."""
        known = [value for value in values if value is not None and value > self.lowest]
        if not known or len(known) < len(values):
            raise QuestionError(
                f"openai: {self._client.server} tells no log-probability of a token of {text[:60]!r} after "
                f"{prompt[-60:]!r}. Use a longer prompt or another text"
            )
        return Scored(math.fsum(known), len(known))

    def _no_start(self, text: str) -> QuestionError:
        return QuestionError(
            f"openai: the model of {self._client.server} reads no start token, or the server does not tell it, so that the "
            f"first word of {text[:60]!r} has no log-probability. Name a text to put before each with the option "
            'text_start, such as text_start="<|endoftext|>" or text_start="."'
        )


def told_apart(value: float, others: Sequence[float | None]) -> bool:
    """Whether a value that belongs to another token would be seen."""
    return all(one is None or abs(value - one) > TOLERANCE for one in others)


def first_other(tokens: Sequence[Hashable], longer: Sequence[Sequence[Hashable]]) -> int:
    """The place of the first token that any of the longer sequences has other than the short one."""
    return min(
        next(
            (i for i, (one, other) in enumerate(zip(tokens, own, strict=False)) if one != other), len(tokens)
        )
        for own in longer
    )


def _answer(prompt: str, option: str) -> str:
    return option.strip() if prompt[-1:].isspace() else f" {option.strip()}"
