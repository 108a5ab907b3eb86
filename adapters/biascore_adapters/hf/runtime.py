"""A model of transformers run by torch: batches under a token budget, the head only where it is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from biascore_adapters.hf.head import VocabularyHead
from biascore_adapters.hf.heads import SequenceHead
from biascore_adapters.hf.load import Loaded
from biascore_adapters.hf.options import HfOptions
from biascore_adapters.hf.probe import shares_prefixes
from biascore_adapters.hf.prompted import PromptCache
from biascore_adapters.hf.trunk import ADVICE, Trunk
from biascore_adapters.transformer.pooling import Pool, outside, shares
from biascore_adapters.transformer.tokens import Input

_Places = Sequence[tuple[int, int]]


class TorchRuntime:
    """The ``Runtime`` of ``hf:``; ``facts`` says what opening the head showed of the model.

    Raises UnusableHead where the head that the model is loaded with cannot be run.
    """

    advice = ADVICE

    def __init__(self, loaded: Loaded, options: HfOptions) -> None:
        self.width = loaded.width
        self.facts: dict[str, str] = {}
        self.keeps_prompts = self.shares_prefixes = False
        self.trunk = Trunk(loaded, options.batch_tokens, options.threads)
        if loaded.kind in ("masked", "causal"):
            self._vocabulary = VocabularyHead(loaded)
            if loaded.kind == "causal":
                self._prompts = PromptCache(loaded, self.trunk, self._vocabulary)
                self.keeps_prompts = self._prompts.works
                self.shares_prefixes = shares_prefixes(loaded, self.trunk)
        elif loaded.kind == "head":
            self._head = SequenceHead(loaded, self.trunk)
            self.facts = self._head.facts

    def batches(self, lengths: Mapping[int, int]) -> Iterator[list[int]]:
        """Of like length, under the token budget."""
        return self.trunk.batches(lengths)

    def pooled(self, inputs: Sequence[Input], pools: Sequence[Sequence[Pool]]) -> npt.NDArray[np.float32]:
        """The pools of each text: float32 of shape (n, k * width)."""
        return np.stack(self.trunk.in_halves(inputs, pools, self._pools, _not_finite))

    def log_probabilities(
        self, inputs: Sequence[Input], wanted: Sequence[_Places]
    ) -> Sequence[Sequence[float]]:
        """log p of the (position, token) pairs of each text, in their order."""
        return self.trunk.in_halves(inputs, wanted, self._log_probabilities, _not_finite)

    def after_prompts(
        self, prompts: Sequence[Input], rests: Sequence[Sequence[Sequence[int]]]
    ) -> list[list[list[float]]]:
        """log p of the tokens but the first of each rest of a prompt, whose keys and values are computed once."""
        return self._prompts.log_probabilities(prompts, rests)

    def logits(self, inputs: Sequence[Input]) -> npt.NDArray[np.float64]:
        """Those of the sequence head: float64 of shape (n, labels)."""

        def work(some: Sequence[Input], _asked: Sequence[None]) -> list[npt.NDArray[np.float64]]:
            return list(self._head.logits(some))

        # An infinite logit is a probability of 0 or 1.
        return np.stack(self.trunk.in_halves(inputs, [None] * len(inputs), work, _not_a_number))

    def close(self) -> None:
        """Let go of the model and of the accelerator's memory."""
        device = self.trunk.device
        self.__dict__.clear()  # all parts hold the model
        if device.type == "cuda":
            torch.cuda.empty_cache()

    def _pools(
        self, inputs: Sequence[Input], pools: Sequence[Sequence[Pool]]
    ) -> list[npt.NDArray[np.float32]]:
        hidden = self.trunk.hidden(self.trunk.tensors(inputs)).float()
        joined = torch.cat([_pooled(hidden, some) for some in zip(*pools, strict=True)], dim=1)
        return list(joined.cpu().numpy())

    def _log_probabilities(self, inputs: Sequence[Input], wanted: Sequence[_Places]) -> list[list[float]]:
        positions = [sorted({position for position, _ in own}) for own in wanted]
        states = self._states(self.trunk.tensors(inputs), positions)
        places = [(row, position) for row, some in enumerate(positions) for position in some]
        row_of = {place: number for number, place in enumerate(places)}
        cells = [(row_of[row, position], token) for row, own in enumerate(wanted) for position, token in own]
        found = iter(self._vocabulary.log_probabilities(states, cells))
        return [[next(found) for _ in own] for own in wanted]

    def _states(self, tensors: dict[str, torch.Tensor], positions: list[list[int]]) -> torch.Tensor:
        """The last hidden states at the positions of each row, one below the other."""
        most = max(map(len, positions))
        padded = torch.tensor(
            [[*some, *[some[0]] * (most - len(some))] for some in positions], device=self.trunk.device
        )
        own = torch.tensor([[i < len(some) for i in range(most)] for some in positions], device=padded.device)
        few = 2 * most <= tensors["input_ids"].shape[1]
        with self._vocabulary.only_at(padded) if few else nullcontext(False) as trimmed:
            hidden = self.trunk.hidden(tensors)
        if trimmed:
            return hidden[own]
        rows, _columns = torch.nonzero(own, as_tuple=True)
        return hidden[rows, padded[own]]


def _pooled(hidden: torch.Tensor, pools: Sequence[Pool]) -> torch.Tensor:
    """One pool of each text, of states (n, t, width): (n, width)."""
    weights = shares(pools, hidden.shape[1])
    if weights is not None:
        return torch.einsum("nt,ntd->nd", torch.from_numpy(weights).to(hidden.device), hidden)
    elsewhere = torch.from_numpy(outside(pools, hidden.shape[1])).to(hidden.device)
    return hidden.masked_fill(elsewhere[:, :, None], -torch.inf).amax(dim=1)


def _not_finite(answer: Any) -> bool:
    return not np.isfinite(np.asarray(answer)).all()


def _not_a_number(answer: Any) -> bool:
    return bool(np.isnan(answer).any())
