"""The vocabulary head alone, run at the positions that are asked for and nowhere else."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt
import torch
from transformers import PreTrainedModel

from biascore_adapters.hf.load import Loaded
from biascore_adapters.hf.probe import few_tokens
from biascore_adapters.transformer.folder import first_line

MAX_LOGITS: Final = 2**24
"""Logits held at once (64 MiB in float32): positions times the size of the vocabulary."""
ACCELERATOR_LOGITS: Final = 4 * MAX_LOGITS
"""The same on an accelerator (256 MiB), which many small pieces would keep waiting."""

# The module whose output is the last layer's attention block, before the feed-forward network, by family:
# BERT, RoBERTa, XLM-R, ELECTRA; DistilBERT. Everything after it works on each position by itself.
_BEFORE_LAST_FEED_FORWARD: Final = ("encoder.layer.-1.attention.output", "transformer.layer.-1.sa_layer_norm")


_Ints = npt.NDArray[np.int64]


class UnusableHead(Exception):
    """A head that is not run here; the text says why. The model can still be asked for its states."""


class VocabularyHead:
    """A model's own head behind a trunk that hands given states through.

    No head is written anew here: whatever the family does between hidden states and logits is done by
    its own code. When it is opened the result is compared with the whole model's; raises UnusableHead where it
    fails or differs, because then the head takes more than the states.
    """

    def __init__(self, loaded: Loaded) -> None:
        self._trunk, self._device = loaded.trunk, loaded.device
        name = type(loaded.model).__name__
        ids = few_tokens(loaded)[0]
        inputs = {"input_ids": torch.tensor([(ids * 6)[:6]], device=self._device)}
        inputs["attention_mask"] = torch.ones_like(inputs["input_ids"])
        try:
            with torch.inference_mode():
                whole = loaded.model(**inputs).logits[0]
                output = self._trunk(**inputs)
                self._head = _with_trunk(loaded.model, self._trunk, _HandThrough(self._trunk, type(output)))
                alone = self._logits(output.last_hidden_state[0])
        except Exception as error:  # whatever the head's own code raises
            raise UnusableHead(
                f"the head of {name} cannot be run on hidden states ({type(error).__name__}: {first_line(error)})"
            ) from error
        if not _same(alone, whole):
            raise UnusableHead(f"the head of {name} takes more than the hidden states")
        self._vocabulary = whole.shape[-1]
        # A decoder is asked at nearly every position, where leaving some out gains nothing.
        masked = loaded.kind == "masked"
        self._feed_forward_input = _find(self._trunk, _BEFORE_LAST_FEED_FORWARD) if masked else None
        if not self._trims(inputs, output.last_hidden_state[0]):
            self._feed_forward_input = None

    def log_probabilities(self, states: torch.Tensor, wanted: Sequence[tuple[int, int]]) -> list[float]:
        """log p of (row of ``states``, token) pairs, in nats; states of shape (p, width)."""
        if not wanted:
            return []
        rows, tokens = np.array(wanted, dtype=np.int64).reshape(-1, 2).T
        order = np.argsort(rows, kind="stable")
        most = MAX_LOGITS if self._device.type == "cpu" else ACCELERATOR_LOGITS
        size = max(1, most // self._vocabulary)
        starts = range(0, len(states), size)
        # Cut on the CPU: a mask on the device would make it wait for each piece.
        pieces = np.split(order, np.searchsorted(rows[order], starts[1:]))
        found = [
            self._of_piece(states[start : start + size], rows[piece] - start, tokens[piece])
            for start, piece in zip(starts, pieces, strict=True)
        ]
        values = np.empty(len(wanted))
        values[order] = torch.cat(found).double().cpu().numpy()
        return [float(value) for value in values]

    def _of_piece(self, states: torch.Tensor, rows: _Ints, tokens: _Ints) -> torch.Tensor:
        """log p of the tokens at rows of some states, on the device."""
        logits = self._logits(states).float()
        own = torch.from_numpy(rows).to(self._device)
        return logits[own, torch.from_numpy(tokens).to(self._device)] - torch.logsumexp(logits, dim=-1)[own]

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

    def _trims(self, inputs: Mapping[str, torch.Tensor], states: torch.Tensor) -> bool:
        """Whether the trunk's states at some positions are right within ``only_at`` them."""
        some = torch.tensor([[1, 4]], device=self._device)
        try:
            with torch.inference_mode(), self.only_at(some) as trimmed:
                kept = self._trunk(**inputs).last_hidden_state
        except Exception:  # a family whose last layer needs all positions
            return False
        return bool(trimmed and kept.shape[1] == 2 and _same(kept[0], states[some[0]]))


class _HandThrough(torch.nn.Module):
    """A trunk that returns the states it is given, in the family's own output class; else it is the real one."""

    def __init__(self, trunk: PreTrainedModel, output: type[Any]) -> None:
        super().__init__()
        # Not as an attribute, which would make it a part of this module.
        self.__dict__["_real"], self.__dict__["_output"] = trunk, output

    def forward(self, *_arguments: Any, inputs_embeds: torch.Tensor, **_others: Any) -> Any:
        return self._output(last_hidden_state=inputs_embeds)

    def __getattr__(self, name: str) -> Any:  # what heads read of their trunk, such as a scale
        return getattr(self.__dict__["_real"], name)


def _with_trunk(model: PreTrainedModel, trunk: PreTrainedModel, stand_in: torch.nn.Module) -> PreTrainedModel:
    path = next(name for name, module in model.named_modules() if module is trunk)
    return cast(PreTrainedModel, _replaced(model, path, stand_in))


def _replaced(module: torch.nn.Module, path: str, part: torch.nn.Module) -> torch.nn.Module:
    """A shallow copy of the module with another part at ``path``."""
    if not path:
        return part
    name, _, rest = path.partition(".")
    changed = copy.copy(module)
    # A shallow copy shares the dictionary of modules with the original, which must keep its own.
    modules = {**module._modules, name: _replaced(module.get_submodule(name), rest, part)}
    object.__setattr__(changed, "_modules", modules)
    return changed


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
