"""The vocabulary head alone, run at the positions that are asked for and nowhere else."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import torch
from transformers import PreTrainedModel
from transformers.modeling_outputs import BaseModelOutputWithPastAndCrossAttentions

from biascore.errors import ModelLoadError

MAX_LOGITS: Final = 2**24
"""Logits held at once (64 MiB in float32): positions times the size of the vocabulary."""

# The module whose output is the last layer's attention block, before the feed-forward network, by family:
# BERT, RoBERTa, XLM-R, ELECTRA; DistilBERT. Everything after it works on each position by itself.
_BEFORE_LAST_FEED_FORWARD: Final = ("encoder.layer.-1.attention.output", "transformer.layer.-1.sa_layer_norm")


class VocabularyHead:
    """A model's own head behind a trunk that hands given states through.

    No head is written anew here: whatever the family does between hidden states and logits is done by
    its own code. At load the result is compared with the whole model's; raises ModelLoadError where it
    differs, because then the head takes more than the states.
    """

    def __init__(self, model: PreTrainedModel, device: torch.device) -> None:
        self._trunk = model.base_model
        self._head = _with_trunk(model, _HandThrough())
        self._device = device
        self._feed_forward_input = _find(self._trunk, _BEFORE_LAST_FEED_FORWARD)
        self._check(model)

    def log_probabilities(self, states: torch.Tensor, wanted: Sequence[tuple[int, int]]) -> list[float]:
        """log p of (row of ``states``, token) pairs, in nats; states of shape (p, width), rows ascending."""
        rows = torch.tensor([row for row, _ in wanted], device=self._device)
        tokens = torch.tensor([token for _, token in wanted], device=self._device)
        found: list[torch.Tensor] = []
        size = max(1, MAX_LOGITS // self._vocabulary)
        for start in range(0, len(states), size):
            logits = self._logits(states[start : start + size]).float()
            here = (rows >= start) & (rows < start + size)
            own = rows[here] - start
            found.append(logits[own, tokens[here]] - torch.logsumexp(logits, dim=-1)[own])
        return [float(value) for value in torch.cat(found).double().cpu()]

    @contextmanager
    def only_at(self, positions: torch.Tensor) -> Iterator[bool]:
        """Within it the trunk's states are those at ``positions`` (n, k) only: (n, k, width).

        The last feed-forward network then runs at k positions a text, with the same result. Yields False,
        and changes nothing, for families where that is not known to hold.
        """
        if self._feed_forward_input is None:
            yield False
            return
        rows = torch.arange(len(positions), device=positions.device)[:, None]

        def keep(_module: Any, _arguments: Any, output: torch.Tensor) -> torch.Tensor:
            return output[rows, positions]

        handle = self._feed_forward_input.register_forward_hook(keep)
        try:
            yield True
        finally:
            handle.remove()

    def _logits(self, states: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self._head(inputs_embeds=states[:, None, :]).logits
        return logits[:, 0]

    def _check(self, model: PreTrainedModel) -> None:
        ids = torch.arange(6, device=self._device)[None] % int(model.config.vocab_size)
        inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
        with torch.inference_mode():
            whole = model(**inputs).logits[0]
            states = self._trunk(**inputs).last_hidden_state
            alone = self._logits(states[0])
            self._vocabulary = whole.shape[-1]
            if not _same(alone, whole):
                raise ModelLoadError(
                    f"the head of {type(model).__name__} takes more than the hidden states, so that it cannot be "
                    "run on single positions. Report this model to the adapter's authors"
                )
            some = torch.tensor([[1, 4]], device=self._device)
            with self.only_at(some) as trimmed:
                kept = self._trunk(**inputs).last_hidden_state
            if trimmed and not (kept.shape[1] == 2 and _same(kept[0], states[0, some[0]])):
                self._feed_forward_input = None


class _HandThrough(torch.nn.Module):
    """A trunk that returns the states it is given."""

    def forward(
        self,
        input_ids: Any = None,  # noqa: ARG002  (the arguments that heads pass to their trunk)
        *_others: Any,
        inputs_embeds: torch.Tensor,
        **_ignored: Any,
    ) -> BaseModelOutputWithPastAndCrossAttentions:
        return BaseModelOutputWithPastAndCrossAttentions(last_hidden_state=inputs_embeds)


def _with_trunk(model: PreTrainedModel, trunk: torch.nn.Module) -> PreTrainedModel:
    head = copy.copy(model)
    # A shallow copy shares the dictionary of modules with the original, which must keep its trunk.
    object.__setattr__(head, "_modules", {**model._modules, model.base_model_prefix: trunk})
    return head


def _find(trunk: torch.nn.Module, paths: Sequence[str]) -> torch.nn.Module | None:
    for path in paths:
        module: Any = trunk
        for name in path.split("."):
            module = module[-1] if name == "-1" and len(module) else getattr(module, name, None)
            if module is None:
                break
        else:
            return module if isinstance(module, torch.nn.Module) else None
    return None


def _same(one: torch.Tensor, other: torch.Tensor) -> bool:
    tolerance = 1e-4 if one.dtype == torch.float32 else 5e-2
    # Damaged weights give NaN on both sides; they are found, with the text, when a question is asked.
    return bool(torch.allclose(one.float(), other.float(), rtol=tolerance, atol=tolerance, equal_nan=True))
