"""Questions with options, asked of a causal language model in three ways."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Final, NamedTuple, Protocol

import numpy as np

from biascore.api.adapters import Cost
from biascore.api.queries import (
    LETTERS,
    Choice,
    Chosen,
    Way,
    by_letters,
    by_likelihood,
    by_text,
    order_of,
    rotations,
    written_out,
)
from biascore.api.support import quoted
from biascore.api.writing import Finish, Settings
from biascore.errors import QuestionError
from biascore_adapters.transformer.causal import CausalReader, ScoredText
from biascore_adapters.transformer.prompts import Prompts

WAYS: Final[tuple[Way, ...]] = ("likelihood", "letters", "text")


class Said(NamedTuple):
    """What a model generates after a prompt, why it ends there, and in how many tokens."""

    text: str
    finish: Finish
    tokens: int


class Generate(Protocol):
    """Generates text after prompts, which are put already; an answer that chooses has ``most`` tokens or less."""

    most: int

    def write(
        self, prompts: Sequence[str], seeds: Sequence[int | None], settings: Settings, /
    ) -> Sequence[Said]:
        """The texts, one for one, each drawn with its seed or, without one, the most probable.

        Raises QuestionError for a prompt that leaves no room for one.
        """
        ...

    def lengths(self, prompts: Sequence[str], most: int, /) -> Sequence[int]:
        """The tokens of each prompt; raises as ``write`` does."""
        ...


class Chooser:
    """Asks: by the likelihood of each option, by that of its letter, or by the text that is generated.

    ``score`` gives the log-probabilities of the scored tokens of each text; without ``generate`` there is no "text".
    """

    def __init__(
        self,
        texts: CausalReader,
        prompts: Prompts,
        score: Callable[[Sequence[ScoredText]], Sequence[Sequence[float]]],
        generate: Generate | None = None,
    ) -> None:
        self._texts, self._prompts, self._score, self._generate = texts, prompts, score, generate
        self.ways = WAYS if generate is not None else WAYS[:-1]

    def choose(self, questions: Sequence[Choice], way: Way) -> tuple[Chosen, ...]:
        """What is chosen of each; raises QuestionError for a question that cannot be asked in this way."""
        if way == "text":
            assert self._generate is not None, "a way that the identity does not list is not asked"
            settings = Settings(self._generate.most, 1.0)
            said = self._generate.write(self._put(questions), [one.seed for one in questions], settings)
            return tuple(map(by_text, questions, (one.text for one in said), map(order_of, questions)))
        rows = self.read(questions, way)
        scored = iter(self._score([text for some in rows for one in some for text in one]))
        if way == "letters":
            return tuple(
                by_letters(question, [self._by_letter(question, next(scored)) for _ in some])
                for question, some in zip(questions, rows, strict=True)
            )
        sums = [[[sum(next(scored)) for _ in one] for one in some] for some in rows]
        lengths = ([len(text.scored) for text in some[0]] for some in rows)
        return tuple(by_likelihood(some[0], own) for some, own in zip(sums, lengths, strict=True))

    def cost_by_text(self, questions: Sequence[Choice], known: Cost) -> Cost:
        """What is known with the tokens of the prompts, and of answers at most; how many passes these take is not known."""
        assert self._generate is not None, "a way that the identity does not list is not asked"
        read = self._generate.lengths(self._put(questions), self._generate.most)
        written = self._generate.most * len(read)
        return known.model_copy(update={"tokens": sum(read), "tokens_out": written, "requests": 0})

    def _put(self, questions: Sequence[Choice]) -> list[str]:
        return [self._prompts.put(written_out(one, order_of(one))) for one in questions]

    def read(self, questions: Sequence[Choice], way: Way) -> list[list[list[ScoredText]]]:
        """What is scored: for each question its prompts (by letters one for each cyclic order), for each a text an
        option, or by letters the prompt with all tokens that are one."""
        if way == "letters":
            return [self._by_next_token(question) for question in questions]
        asked = [
            (one.prompt, [self._prompts.before_answer(one.prompt, text) for text in one.options])
            for one in questions
        ]
        found = [[group] for group in self._texts.alternatives(asked)]
        for question, (group,) in zip(questions, found, strict=True):
            if len({tuple(text.input.ids) for text in group}) < len(group):
                raise QuestionError(
                    f"the tokenizer reads two options of {quoted(question.prompt)} as the same tokens, so that they are "
                    "equally probable. Use options that differ in more than what it drops"
                )
        return found

    def _by_next_token(self, question: Choice) -> list[list[ScoredText]]:
        """Its prompts in all cyclic orders; raises QuestionError where no token is one of the letters."""
        tokens = self._tokens_of(question)
        lacking = [letter for letter, own in zip(LETTERS, tokens, strict=False) if not own]
        if lacking:
            raise QuestionError(
                f"the tokenizer reads {', '.join(lacking)} in several tokens, so that the next token does not tell which "
                f"option of {quoted(question.prompt)} is meant. Ask by likelihood or by text"
            )
        prompts = [written_out(question, order) for order in rotations(question)]
        return [[one] for one in self._texts.next_tokens(prompts, [id_ for own in tokens for id_ in own])]

    def _by_letter(self, question: Choice, logprobs: Sequence[float]) -> list[float]:
        """The log-probability of each letter: all tokens that are it, with a space before it and without, together."""
        values = iter(logprobs)
        return [float(np.logaddexp.reduce([next(values) for _ in own])) for own in self._tokens_of(question)]

    def _tokens_of(self, question: Choice) -> list[list[int]]:
        return self._letters[: len(question.options)]

    @cached_property
    def _letters(self) -> list[list[int]]:
        return self._texts.spelt(LETTERS)
