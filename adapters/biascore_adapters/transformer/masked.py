"""Masked questions as forward passes: every distinct masked text is one pass, whoever asks for it.

The answer sits in the text, so that two questions whose masked token ids are equal ("[MASK] is a
cautious person." for any word of one token) are answered by the same pass.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from biascore.api.queries import Masked, Span, TokenLogprobs
from biascore.api.support import quoted
from biascore.errors import AnswerError, QuestionError
from biascore_adapters.transformer.tokens import Input, Tokens, without_space


@dataclass(frozen=True, slots=True)
class _Ask:
    tokens: tuple[str, ...]
    offsets: tuple[Span, ...]
    cells: tuple[tuple[int, int], ...]  # number of the pass, and of the place in it


class MaskedPlan:
    """The distinct passes behind some questions, what is wanted of each, and how answers are assembled from it.

    ``passes`` holds each masked text once; ``naive_passes`` is what a loop over questions and hidden tokens would
    take. A question with a span that no token of the text lies under needs no pass, and its answer has no tokens.
    Raises QuestionError for a question about a whole text of which the tokenizer leaves nothing.
    """

    def __init__(self, queries: Sequence[Masked], read: Sequence[Tokens], mask: int) -> None:
        self.passes: list[Input] = []
        self._mask = mask
        self.naive_passes = 0
        self._pass_numbers: dict[tuple[tuple[int, ...], tuple[int, ...] | None], int] = {}
        self._places: list[dict[tuple[int, int], int]] = []
        self._asks = [self._ask(query, tokens) for query, tokens in zip(queries, read, strict=True)]

    def wanted(self) -> list[list[tuple[int, int]]]:
        """The (position, token) pairs whose log-probabilities are wanted of each pass, each once."""
        return [list(places) for places in self._places]

    def answers(self, logprobs: Sequence[Sequence[float]], advice: str) -> tuple[TokenLogprobs, ...]:
        """One answer per question from the log-probabilities ``wanted`` of each pass.

        Raises AnswerError naming the text, with the ``advice``, where one is not finite.
        """

        def value(number: int, place: int) -> float:
            found = float(logprobs[number][place])
            if not math.isfinite(found):
                text = self.passes[number].text
                raise AnswerError(f"the model computes no number for a token of {quoted(text)}. {advice}")
            return found

        return tuple(
            TokenLogprobs(ask.tokens, ask.offsets, tuple(value(*cell) for cell in ask.cells))
            for ask in self._asks
        )

    def _ask(self, query: Masked, tokens: Tokens) -> _Ask:
        spans = [_under(query.text, tokens, span) for span in query.spans or ()]
        beside = [_under(query.text, tokens, span) for span in query.also]
        if not all(spans) or not all(beside):
            return _Ask((), (), ())
        asked = _everything(query.text, tokens) if query.spans is None else sorted(set().union(*spans))
        also = set().union(*beside)
        if query.one_at_a_time:
            hidden = {i: also | {i} | _rest_of_word(i, tokens, query) for i in asked}
        else:
            hidden = dict.fromkeys(asked, also | set(asked))
        self.naive_passes += len(asked) if query.one_at_a_time else 1
        cells = []
        for i in asked:
            number = self._pass(query.text, tokens, hidden[i])
            places = self._places[number]
            cells.append((number, places.setdefault((i, tokens.ids[i]), len(places))))
        return _Ask(
            tuple(tokens.strings[i] for i in asked), tuple(tokens.offsets[i] for i in asked), tuple(cells)
        )

    def _pass(self, text: str, tokens: Tokens, hidden: Iterable[int]) -> int:
        ids = list(tokens.ids)
        for i in hidden:
            ids[i] = self._mask
        key = (tuple(ids), None if tokens.types is None else tuple(tokens.types))
        number = self._pass_numbers.setdefault(key, len(self.passes))
        if number == len(self.passes):
            self.passes.append(Input(*key, text))
            self._places.append({})
        return number


def _everything(text: str, tokens: Tokens) -> list[int]:
    found = tokens.pieces()
    if not found:
        raise QuestionError(f"the tokenizer leaves nothing of the text {quoted(text)}. Leave it out")
    return found


def _under(text: str, tokens: Tokens, span: Span) -> list[int]:
    word = without_space(text, span)
    return tokens.pieces(word) if word[0] < word[1] else []


def _rest_of_word(position: int, tokens: Tokens, query: Masked) -> set[int]:
    """The later sub-tokens of the same word, hidden too for ``within_word_l2r`` (Kauf & Ivanova 2023)."""
    if query.pll == "original":
        return set()
    word = tokens.words[position]
    return {i for i in range(position + 1, len(tokens.ids)) if word is not None and tokens.words[i] == word}
