"""A model without an answer to some queries, each in the way of its hook: what a metric has to count as lost."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from math import nan
from typing import Any, Final

from biascore.hookspecs import hookimpl
from biascore.models.backend import ModelPlugin
from biascore.models.questions import Choice, Chosen, Masked, Text, TokenLogprobs

HOOKS: Final = frozenset({"embed", "mask_logprob", "translate", "choose"})
"""The hooks that can leave a query without an answer; a score is always a number."""
_NO_WORDS: Final = "…"


class Unanswered(ModelPlugin):
    """Leaves ``share`` of the queries without an answer, the same ones whenever they are asked.

    Words are out of vocabulary, hidden words are not read, translations are three dots, and choices are refused.
    """

    role = "transform"

    def __init__(self, share: float) -> None:
        self.name, self.fingerprint, self.share = "unanswered", f"{share:g}", share

    def _without(
        self, queries: Sequence[Any], of: Callable[[Any], str], answers: Sequence[Any], none: Any
    ) -> Any:
        return tuple(
            none(one, answer) if self._left_out(of(one)) else answer
            for one, answer in zip(queries, answers, strict=True)
        )

    def _left_out(self, text: str) -> bool:
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest()) < self.share * 2**32

    @hookimpl(wrapper=True)
    def embed(self, texts: tuple[Text, ...]) -> Generator[None, Any, Any]:
        """Rows of NaN."""
        rows = (yield).copy()
        rows[[self._left_out(_meant(one)) for one in texts]] = nan
        return rows

    @hookimpl(wrapper=True)
    def mask_logprob(self, queries: tuple[Masked, ...]) -> Generator[None, Any, Any]:
        """Answers without tokens."""
        answers = yield
        return self._without(queries, _hidden, answers, lambda *_: TokenLogprobs((), (), ()))

    @hookimpl(wrapper=True)
    def translate(self, texts: tuple[str, ...]) -> Generator[None, Any, Any]:
        """Texts without words."""
        answers = yield
        return self._without(texts, str, answers, lambda *_: _NO_WORDS)

    @hookimpl(wrapper=True)
    def choose(self, questions: tuple[Choice, ...]) -> Generator[None, Any, Any]:
        """Refusals."""
        answers = yield
        return self._without(questions, lambda one: one.prompt, answers, lambda _, answer: _refused(answer))


def _meant(text: Text) -> str:
    return text.text if text.span is None else text.text[slice(*text.span)]


def _hidden(query: Masked) -> str:
    """The first hidden word; the text where every token is."""
    return query.text[slice(*query.spans[0])] if query.spans else query.text


def _refused(answer: Chosen) -> Chosen:
    return replace(answer, chosen=None, outcome="refused", said="I would rather not say.")
