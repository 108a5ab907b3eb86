"""Which token states make a vector: sums of last hidden states, weighted, or their greatest components."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from biascore.api.queries import Text
from biascore.api.support import quoted
from biascore.errors import QuestionError
from biascore_adapters.transformer.tokens import Input, Tokens, without_space

Mode = Literal["cls", "max", "mean", "mean_sqrt_len_tokens", "weightedmean", "lasttoken"]
"""How the states of a text's tokens become one vector, by the names that sentence-transformers gives."""

MEANING: Final[dict[Mode, str]] = {
    "cls": "last hidden state of the first token ([CLS])",
    "max": "greatest last hidden states of all tokens, component by component",
    "mean": "mean of the last hidden states of all tokens, special ones included",
    "mean_sqrt_len_tokens": "sum of the last hidden states of all tokens over the square root of their number",
    "weightedmean": "mean of the last hidden states of all tokens, weighted by their place (1, 2, 3 ...)",
    "lasttoken": "last hidden state of the last token",
}


@dataclass(frozen=True, slots=True)
class Pool:
    """The states at ``positions`` with their ``weights`` in a sum, or their greatest components (None)."""

    positions: Sequence[int]
    weights: npt.NDArray[np.float32] | None

    @classmethod
    def mean(cls, positions: Sequence[int]) -> Pool:
        """The mean of some states."""
        return cls(positions, np.full(len(positions), 1 / len(positions), dtype=np.float32))


@dataclass(frozen=True, slots=True)
class Question:
    """A text as the model reads it, and the pools joined into its vector; none where it is out of vocabulary."""

    input: Input
    pools: tuple[Pool, ...]


def shares(pools: Sequence[Pool], length: int) -> npt.NDArray[np.float32] | None:
    """The weights of ``length`` tokens for each pool, (n, length); None where greatest components are asked for."""
    found = np.zeros((len(pools), length), dtype=np.float32)
    for row, pool in enumerate(pools):
        if pool.weights is None:
            return None
        found[row, list(pool.positions)] = pool.weights
    return found


def outside(pools: Sequence[Pool], length: int) -> npt.NDArray[np.bool_]:
    """Which of ``length`` tokens do not belong to each pool: (n, length)."""
    found = np.ones((len(pools), length), dtype=np.bool_)
    for row, pool in enumerate(pools):
        found[row, list(pool.positions)] = False
    return found


def word_positions(text: Text, tokens: Tokens) -> list[int]:
    """The sub-tokens that cover ``text.span``; empty where all of them are the tokenizer's unknown token.

    Raises QuestionError without a span, and where the tokenizer leaves nothing of the characters under it.
    """
    if text.span is None:
        raise QuestionError(
            f"no span is given for the word meant in {quoted(text.text)}. At level 'token' write Text(text, "
            "(start, end)), or Text.word(word) for a word alone; or ask for level 'sentence'"
        )
    start, end = without_space(text.text, text.span)
    covering = tokens.content((start, end)) if start < end else []
    if not covering:
        raise QuestionError(
            f"no sub-token covers {text.text[slice(*text.span)]!r} at {text.span} of {quoted(text.text)}: the "
            "tokenizer drops those characters. Put the span on a word"
        )
    return [] if tokens.unknown_at(covering) else covering


def pool(mode: Mode, positions: Sequence[int]) -> Pool:
    """The pool of a mode over these positions of a text."""
    match mode:
        case "cls":
            return Pool.mean(positions[:1])
        case "lasttoken":
            return Pool.mean(positions[-1:])
        case "mean":
            return Pool.mean(positions)
        case "mean_sqrt_len_tokens":
            return Pool(positions, np.full(len(positions), len(positions) ** -0.5, dtype=np.float32))
        case "weightedmean":
            places = np.array(positions, dtype=np.float32) + 1
            return Pool(positions, places / places.sum())
        case "max":
            return Pool(positions, None)
