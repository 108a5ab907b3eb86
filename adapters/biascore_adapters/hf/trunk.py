"""A transformer without its head: padded batches of token ids in, hidden states out; in halves where they must."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeVar

import torch
from transformers import PreTrainedModel

from biascore.api.support import quoted
from biascore.errors import BiascoreError, QuestionError
from biascore_adapters.hf.linear import fast_linear
from biascore_adapters.hf.load import Loaded
from biascore_adapters.hf.threads import on_threads
from biascore_adapters.transformer.arrays import padded
from biascore_adapters.transformer.backends import no_number
from biascore_adapters.transformer.batching import ACCELERATOR_TOKENS, CPU_TOKENS, batches
from biascore_adapters.transformer.folder import first_line
from biascore_adapters.transformer.prefixes import Branches, tree_arrays
from biascore_adapters.transformer.tokens import Input

# An upper estimate of what one token of a pass takes while a layer runs, in numbers of the width of its states.
STATES_PER_TOKEN: Final = 64

HELD_BYTES: Final = 2**30
"""Of keys and values of the texts that a model writes at once, on a CPU."""

ADVICE: Final = (
    "With a 16-bit dtype the option dtype='float32' may help; otherwise the weights are damaged: fetch the "
    "model again"
)

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


class Trunk:
    """Runs a model on texts of any length.

    ``padding`` says whether texts of several lengths share a batch, ``one_frequency`` whether positions are coded alike at
    every length of text.
    """

    def __init__(self, loaded: Loaded, batch_tokens: int | None, threads: int | None = None) -> None:
        self.model, self.device = loaded.trunk, loaded.device
        self.padding = loaded.padding
        self._switch = _switch(loaded.model)
        self.one_frequency = self._switch is None
        self._budget = batch_tokens or (1 if loaded.alone else _default_budget(loaded))
        self._held = batch_tokens or (1 if loaded.alone else max(self._budget, _held(loaded)))
        self._threads = threads
        # The pass at chosen positions hooks into the model, and the number of threads is the process's.
        self._one_pass = threading.Lock()
        # Any id would do behind a mask, but the convolutions of some models see through it.
        self.pad = loaded.reader.pad

    def batches(self, lengths: Mapping[int, int], *, equal: bool = False) -> Iterator[list[int]]:
        """The keys of ``lengths`` (tokens of each) in batches of like or ``equal`` length under the token budget.

        Texts on both sides of the length where long rotary embeddings (Phi's longrope) take other frequencies never
        share one: the longest text would decide for all.
        """
        long = {key for key, length in lengths.items() if self._switch is not None and length > self._switch}
        for part in (long, lengths.keys() - long):
            some = {key: length for key, length in lengths.items() if key in part}
            yield from batches(some, self._budget, equal=equal or not self.padding)

    def batches_of_prompts(
        self, lengths: Sequence[int], rests: Sequence[Sequence[Sequence[int]]]
    ) -> Iterator[list[int]]:
        """The numbers of prompts in batches of one length, under the token budget with what is read after them."""
        order = sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True)
        batch: list[int] = []
        taken = 0
        for row in order:
            # The keys and values of a prompt are held once for each of its rests.
            tokens = (1 + len(rests[row])) * lengths[row] + sum(map(len, rests[row]))
            if batch and (lengths[row] != lengths[batch[0]] or taken + tokens > 2 * self._budget):
                yield batch
                batch, taken = [], 0
            batch.append(row)
            taken += tokens
        if batch:
            yield batch

    def batches_of_answers(self, lengths: Mapping[int, int], *, equal: bool) -> Iterator[list[int]]:
        """The keys of ``lengths`` (tokens of each prompt with its answer) in batches, of ``equal`` length if asked.

        Each step reads all weights for one token of each: many cost little more than one, and padding next to nothing.
        """
        if equal:
            yield from batches(lengths, self._held, equal=True)
            return
        order = sorted(lengths, key=lengths.__getitem__, reverse=True)
        while order:
            full = max(1, self._held // lengths[order[0]])
            yield order[:full]
            order = order[full:]

    def tensors(self, inputs: Sequence[Input]) -> dict[str, torch.Tensor]:
        """Padded on the right: ids, attention mask and, where the model takes them, token types: (n, t).

        Of rows of a tree positions as well, and an attention mask (n, 1, t, t) to add to attention.
        """
        arrays = padded(inputs, self.pad)
        if inputs[0].types is None:
            del arrays["token_type_ids"]
        found = {name: torch.from_numpy(values).to(self.device) for name, values in arrays.items()}
        if rows := [one for one in inputs if isinstance(one, Branches)]:
            positions, sees = tree_arrays(rows, found["input_ids"].shape[1])
            found["position_ids"] = torch.from_numpy(positions).to(self.device)
            hidden = torch.from_numpy(~sees[:, None]).to(self.device)
            lowest = torch.finfo(self.model.dtype).min
            found["attention_mask"] = torch.zeros(
                hidden.shape, dtype=self.model.dtype, device=self.device
            ).masked_fill(hidden, lowest)
        return found

    def hidden(self, inputs: Mapping[str, torch.Tensor]) -> torch.Tensor:
        """Last hidden states of shape (n, t, width), on the device and in the dtype of the model."""
        states: torch.Tensor = self.model(**inputs).last_hidden_state
        return states

    def in_halves(
        self,
        inputs: Sequence[Input],
        asked: Sequence[Asked],
        work: Callable[[Sequence[Input], Sequence[Asked]], Sequence[Answer]],
        broken: Callable[[Answer], bool],
    ) -> Sequence[Answer]:
        """``work(inputs, asked)``, in halves where they do not fit into the memory, fail, or an answer is ``broken``.

        Raises QuestionError naming the text where the accelerator's memory does not hold a single one or the
        model's own code fails on it, AnswerError where the model computes no number for it.
        """
        try:
            with (
                self._one_pass,
                torch.inference_mode(),
                on_threads(self._threads),
                fast_linear(self.device, self.model.dtype),
            ):
                answers = work(inputs, asked)
            if not any(map(broken, answers)):
                return answers
            if len(inputs) == 1:
                raise no_number(inputs[0].text, ADVICE)
            # A NaN behind the padding mask spoils a sound text too: zero times NaN is NaN. Apart, they tell.
        except torch.cuda.OutOfMemoryError as error:
            if len(inputs) == 1:
                raise QuestionError(
                    f"the text {quoted(inputs[0].text)} does not fit into the memory of {self.device}. "
                    "Use the option device='cpu' or dtype='bfloat16'"
                ) from error
        except BiascoreError:
            raise
        except (
            Exception
        ) as error:  # the model's own code raises whatever it likes on a text that it cannot take
            if len(inputs) == 1:
                raise QuestionError(
                    f"the model fails on the text {quoted(inputs[0].text)} ({type(error).__name__}: "
                    f"{first_line(error)[:200]}). It may be too long: shorten it or leave it out"
                ) from error
        # Outside the except clauses, which would keep the tensors of the failed attempt alive.
        middle = len(inputs) // 2
        return [
            *self.in_halves(inputs[:middle], asked[:middle], work, broken),
            *self.in_halves(inputs[middle:], asked[middle:], work, broken),
        ]


def _switch(model: PreTrainedModel) -> int | None:
    """The longest text with the short frequencies of a longrope model; None for any other."""
    config = model.config.get_text_config()
    rope = getattr(config, "rope_parameters", None) or {}
    if rope.get("rope_type") != "longrope":
        return None
    stated = rope.get("original_max_position_embeddings")
    return stated or getattr(config, "original_max_position_embeddings", None)


def _held(loaded: Loaded) -> int:
    """Tokens whose keys and values are held while a model on the CPU writes; 0 on another device."""
    config = loaded.model.config.get_text_config()
    names = "num_hidden_layers", "num_attention_heads", "num_key_value_heads"
    layers, heads, shared = (getattr(config, name, None) for name in names)
    if loaded.device.type != "cpu" or not isinstance(layers, int) or not isinstance(heads, int):
        return 0
    share = shared / heads if isinstance(shared, int) else 1.0
    each = 2 * layers * loaded.width * share * loaded.model.dtype.itemsize
    return int(min(8 * CPU_TOKENS, HELD_BYTES // each))


def _default_budget(loaded: Loaded) -> int:
    """Tokens of one pass: what half of the free memory of a CUDA device holds, within bounds."""
    if loaded.device.type == "cpu":
        return CPU_TOKENS
    if loaded.device.type != "cuda":
        return ACCELERATOR_TOKENS
    free, _total = torch.cuda.mem_get_info(loaded.device)
    bytes_per_token = loaded.width * STATES_PER_TOKEN * loaded.model.dtype.itemsize
    return int(min(max(free // 2 // bytes_per_token, CPU_TOKENS), 8 * ACCELERATOR_TOKENS))
