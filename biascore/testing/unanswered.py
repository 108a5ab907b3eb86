"""A model without an answer to some queries, each in the way of its hook: what a metric has to count as lost."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import nan
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from biascore.hookspecs import hookimpl
from biascore.models.backend import Backend
from biascore.models.model import Model
from biascore.models.questions.capabilities import CAPABILITIES
from biascore.models.questions.questions import (
    Choice,
    Chosen,
    Continuation,
    Familiarity,
    Level,
    Masked,
    Text,
    TokenLogprobs,
    Way,
)
from biascore.models.questions.writing import Prompt, Settings, Written

HOOKS: Final = frozenset({"embed", "mask_logprob", "translate", "choose", "generate"})
"""The hooks that can leave a query without an answer; a score is always a number."""
_NO_WORDS: Final = "…"
_NO: Final = "I would rather not say."


class Unanswered(Backend):
    """An open model, with ``share`` of the queries left without an answer, the same ones whenever they are asked.

    Words are out of vocabulary, hidden words are not read, translations are three dots, choices and texts are refused. Its
    vocabulary cannot be read whole.
    """

    def __init__(self, model: Model, share: float) -> None:
        self.identity = replace(model.identity, digest=f"{model.identity.digest}, unanswered: {share:g}")
        self._model, self._share = model, share
        for name in set(CAPABILITIES) - model.capabilities:
            setattr(self, name, None)  # no function, and so no hook

    @hookimpl
    def embed(self, texts: tuple[Text, ...], level: Level) -> npt.NDArray[np.float32]:
        rows = self._model.embed(texts, level)
        rows[[self._left_out(_meant(one)) for one in texts]] = nan
        return rows

    @hookimpl
    def mask_logprob(self, queries: tuple[Masked, ...]) -> tuple[TokenLogprobs, ...]:
        answers = self._model.mask_logprob(queries, unread="empty")
        return self._without(queries, _hidden, answers, lambda _: TokenLogprobs((), (), ()))

    @hookimpl
    def translate(self, texts: tuple[str, ...], source: str, target: str) -> tuple[str, ...]:
        answers = self._model.translate(texts, source, target, unusable="empty")
        return self._without(texts, str, answers, lambda _: _NO_WORDS)

    @hookimpl
    def score(self, texts: tuple[str | Continuation, ...], quantity: str) -> npt.NDArray[np.float64]:
        return self._model.score(texts, quantity)

    @hookimpl
    def choose(self, questions: tuple[Choice, ...], way: Way) -> tuple[Chosen, ...]:
        answers = self._model.choose(questions, way)
        return self._without(questions, lambda one: one.prompt, answers, _refused)

    @hookimpl
    def generate(self, prompts: tuple[Prompt, ...], settings: Settings) -> tuple[Written, ...]:
        answers = self._model.generate(prompts, settings)
        return self._without(prompts, lambda one: one.text, answers, _declined)

    def familiarity(self, words: Sequence[str]) -> Sequence[Familiarity]:
        return self._model.familiarity(words)

    def _without(
        self,
        queries: Sequence[Any],
        of: Callable[[Any], str],
        answers: Sequence[Any],
        none: Callable[[Any], Any],
    ) -> tuple[Any, ...]:
        return tuple(
            none(answer) if self._left_out(of(one)) else answer
            for one, answer in zip(queries, answers, strict=True)
        )

    def _left_out(self, text: str) -> bool:
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest()) < self._share * 2**32


def _meant(text: Text) -> str:
    return text.text if text.span is None else text.text[slice(*text.span)]


def _hidden(query: Masked) -> str:
    """The first hidden word; the text where every token is."""
    return query.text[slice(*query.spans[0])] if query.spans else query.text


def _refused(answer: Chosen) -> Chosen:
    return replace(answer, chosen=None, outcome="refused", said=_NO)


def _declined(answer: Written) -> Written:
    return replace(answer, text=_NO, said=_NO, finish="stop", outcome="refused", why="")
