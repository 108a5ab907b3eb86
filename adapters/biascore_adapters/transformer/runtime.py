"""The interface between questions and what runs a model: token ids in; states, log-probabilities or logits out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from biascore_adapters.transformer.pooling import Pool
from biascore_adapters.transformer.tokens import Input


class Runtime(Protocol):
    """A model that something runs: torch, onnxruntime, another. It answers the questions of ``backends.py``.

    It is asked only for what the model is opened as having: ``pooled`` where it gives states, ``log_probabilities``
    with a masked or causal head, ``logits`` with a sequence head. Texts are tokenised and checked before (none is
    empty, or longer than ``Reader.limit``), and each method gets those of one batch. The answer for a text must not
    depend on which others are in the batch, but for rounding.
    Raises QuestionError naming a text that it cannot take, AnswerError where it fails; numbers that are not finite
    may be returned, and the backend raises AnswerError naming the text, with ``advice``.
    """

    @property
    def width(self) -> int:
        """The size of a state; 0 for a model that gives none."""

    @property
    def advice(self) -> str:
        """What to try where the model computes no number: the end of an error, without a full stop."""

    def batches(self, lengths: Mapping[int, int]) -> Iterable[list[int]]:
        """Which texts go into one call, in what order: the keys of ``lengths`` (the tokens of each), each once."""

    def pooled(self, inputs: Sequence[Input], pools: Sequence[Sequence[Pool]]) -> npt.NDArray[np.float32]:
        """The pools of each text's last hidden states, side by side: float32 of shape (n, k * ``width``).

        Each of the n texts has k pools, with positions below its number of tokens.
        """

    def log_probabilities(
        self, inputs: Sequence[Input], wanted: Sequence[Sequence[tuple[int, int]]]
    ) -> Sequence[Sequence[float]]:
        """log p, in nats, of the tokens that are wanted of each text, in their order.

        A (position, token) pair is the token in the distribution that the vocabulary head makes of the state at that
        position; for a causal model it is that of the token behind. Positions come in any order and may repeat.
        """

    def logits(self, inputs: Sequence[Input]) -> npt.NDArray[np.float64]:
        """The logits of the sequence head: float64 of shape (n, labels), as the model gives them."""

    def close(self) -> None:
        """Let go of the model and its memory; called once."""
