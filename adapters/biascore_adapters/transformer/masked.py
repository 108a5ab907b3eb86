"""Masked questions as forward passes: every distinct masked text is one pass, whoever asks for it.

The answer sits in the text, so that two questions whose masked token ids are equal ("[MASK] is a
cautious person." for any word of one token) are answered by the same pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from biascore.errors import AnswerError, QuestionError
from biascore.plugins_api import Masked, Span, TokenLogprobs
from biascore_adapters.transformer.tokens import Input, Tokens, shown, without_space


@dataclass(frozen=True, slots=True)
class Cell:
    """One wanted log-probability: of ``token`` at ``position`` of pass number ``pass_``."""

    pass_: int
    position: int
    token: int


@dataclass(frozen=True, slots=True)
class _Ask:
    tokens: tuple[str, ...]
    offsets: tuple[Span, ...]
    cells: tuple[int, ...]


class MaskedPlan:
    """The distinct passes and cells behind some questions, and how answers are put together from them.

    ``passes`` holds each masked text once, ``cells`` each wanted log-probability once; ``naive_passes``
    is what a loop over questions and hidden tokens would take. A question with a span that no token of the
    text lies under needs no pass, and its answer has no tokens.
    Raises QuestionError for a question about a whole text of which the tokenizer leaves nothing.
    """

    def __init__(self, queries: Sequence[Masked], read: Sequence[Tokens], mask: int) -> None:
        self.passes: list[Input] = []
        self.cells: list[Cell] = []
        self._mask = mask
        self.naive_passes = 0
        self._pass_numbers: dict[tuple[tuple[int, ...], tuple[int, ...] | None], int] = {}
        self._cell_numbers: dict[Cell, int] = {}
        self._asks = [self._ask(query, tokens) for query, tokens in zip(queries, read, strict=True)]

    def cells_by_pass(self) -> list[list[int]]:
        """The numbers of the cells of each pass."""
        cells: list[list[int]] = [[] for _ in self.passes]
        for number, cell in enumerate(self.cells):
            cells[cell.pass_].append(number)
        return cells

    def answers(self, logprobs: npt.NDArray[np.float64], advice: str) -> tuple[TokenLogprobs, ...]:
        """One answer per question from the log-probabilities of the cells, in the order of ``cells``.

        Raises AnswerError naming the text, with the ``advice``, where one is not finite.
        """
        broken = np.flatnonzero(~np.isfinite(logprobs))
        if len(broken):
            text = self.passes[self.cells[broken[0]].pass_].text
            raise AnswerError(f"the model computes no number for a token of {shown(text)}. {advice}")
        return tuple(
            TokenLogprobs(ask.tokens, ask.offsets, tuple(float(logprobs[cell]) for cell in ask.cells))
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
        cells = tuple(self._cell(self._pass(query.text, tokens, hidden[i]), i, tokens.ids[i]) for i in asked)
        return _Ask(tuple(tokens.strings[i] for i in asked), tuple(tokens.offsets[i] for i in asked), cells)

    def _pass(self, text: str, tokens: Tokens, hidden: Iterable[int]) -> int:
        ids = list(tokens.ids)
        for i in hidden:
            ids[i] = self._mask
        key = (tuple(ids), None if tokens.types is None else tuple(tokens.types))
        number = self._pass_numbers.setdefault(key, len(self.passes))
        if number == len(self.passes):
            self.passes.append(Input(*key, text))
        return number

    def _cell(self, pass_: int, position: int, token: int) -> int:
        cell = Cell(pass_, position, token)
        number = self._cell_numbers.setdefault(cell, len(self.cells))
        if number == len(self.cells):
            self.cells.append(cell)
        return number


def _everything(text: str, tokens: Tokens) -> list[int]:
    found = tokens.pieces()
    if not found:
        raise QuestionError(f"the tokenizer leaves nothing of the text {shown(text)}. Leave it out")
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
