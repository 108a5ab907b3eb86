"""A masked language model trained further by torch, in steps of which each is the same whenever it is made."""

from __future__ import annotations

import copy
import hashlib
import json
import math
import shutil
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from transformers import PreTrainedModel

from biascore.api.adapters import Checkpoints, Progress, Trained, Training
from biascore.api.formats import parse_json
from biascore.api.support import either
from biascore.errors import CapabilityError, ModelLoadError, OptionsError, QuestionError
from biascore_adapters.hf.load import Loaded, quiet
from biascore_adapters.transformer.folder import SETTINGS, VOCABULARY, ModelFolder, first_line, matching
from biascore_adapters.transformer.masking import Ids, Masking, Piece
from biascore_adapters.transformer.tokens import check_ids, check_known

ADAPTER: Final = "hf"
CLIP: Final = 1.0
"""The norm at which gradients are clipped."""

_TENSORS, _PLACE = "state.safetensors", "state.json"


def fine_tune(
    folder: ModelFolder,
    loaded: Loaded,
    into: Path,
    texts: Sequence[str],
    training: Training,
    checkpoints: Checkpoints,
    progress: Progress,
) -> Trained:
    """Train a copy of the model on the texts and write it with its tokenizer; see ``Backend.fine_tune``.

    A text longer than the model takes is cut in consecutive pieces. Raises CapabilityError for a model that was not
    opened in float32 and for a sentence-transformers folder, QuestionError where the tokenizer leaves nothing of the texts
    or reads half of their words as unknown, OptionsError where the loss is no number any more, ModelLoadError where
    memory or disk are too small, or a state that was kept is damaged.
    """
    if loaded.model.dtype != torch.float32:
        raise CapabilityError(
            f"{folder.path} is open in {str(loaded.model.dtype).removeprefix('torch.')}, and only float32 is trained. Leave "
            "the option dtype away"
        )
    if folder.modules:
        raise CapabilityError(
            f"{folder.path} is a sentence-transformers folder, whose modules are made for the weights as they are. Name the "
            "masked language model that it was made from"
        )
    pieces = _pieces(loaded, texts)
    a_epoch = math.ceil(len(pieces) / training.batch)
    steps = training.epochs * a_epoch
    if steps <= training.warmup_steps:
        warnings.warn(
            f"{training.epochs} epochs of {a_epoch:,} batches are {steps:,} steps, and the learning rate rises over "
            f"{training.warmup_steps:,}: it never reaches {training.learning_rate:g}. Give fewer with "
            f"{either('--warmup-steps', 'warmup_steps')}",
            stacklevel=2,
        )
    masking = _masking(loaded, training.masked)
    try:
        # torch's own generators are seeded for each step; afterwards they are as before.
        with (
            torch.random.fork_rng([loaded.device] if loaded.device.type == "cuda" else []),
            progress.task("training", steps) as advance,
        ):
            state = State(loaded, training, checkpoints.latest)
            advance(state.step)
            order, of_epoch = np.empty(0, dtype=np.int64), -1
            while state.step < steps:
                epoch, place = divmod(state.step, a_epoch)
                if epoch != of_epoch:
                    order = np.random.default_rng([training.seed, 0, epoch]).permutation(len(pieces))
                    of_epoch = epoch
                rows = order[place * training.batch : (place + 1) * training.batch]
                rng = np.random.default_rng([training.seed, 1, state.step])
                batch = masking.batch([pieces[row] for row in rows], rng)
                state.take_step(batch, epoch, training.rate(state.step, steps))
                advance(1)
                if state.step < steps and checkpoints.due():
                    with checkpoints.keep() as kept:
                        state.write(kept)
    except torch.cuda.OutOfMemoryError as error:
        raise ModelLoadError(
            f"training {folder.path} does not fit into the memory of {loaded.device}. Use a smaller "
            f"{either('--batch', 'batch')}, or the option device=cpu"
        ) from error
    _write(folder, state.model, into)
    return Trained(ADAPTER, len(pieces), steps, tuple(total / a_epoch for total in state.losses))


class State:
    """The copy that is trained, its optimiser, the steps made, and the sum of losses of each epoch.

    A step depends on nothing but these, its batch and the seed, so that a training may stop after any.
    """

    def __init__(self, loaded: Loaded, training: Training, kept: Path | None) -> None:
        self.model = copy.deepcopy(loaded.model).train()
        self.step = 0
        self.losses: list[float] = []
        self._seed = training.seed
        self._device = loaded.device
        self._weights = dict(self.model.named_parameters())
        self._optimiser = torch.optim.AdamW(
            self._weights.values(), lr=training.learning_rate, weight_decay=training.weight_decay
        )
        if kept is not None:
            self._read(kept)

    def take_step(self, batch: Mapping[str, Ids], epoch: int, rate: float) -> None:
        """One step of the optimiser; raises OptionsError where the loss is no number."""
        torch.manual_seed(_seed(self._seed, self.step))  # dropout draws from torch's own generator
        for group in self._optimiser.param_groups:
            group["lr"] = rate
        tensors = {name: torch.from_numpy(ids).to(self._device) for name, ids in batch.items()}
        loss = self.model(**tensors).loss
        value = float(loss.item())
        if not math.isfinite(value):
            raise OptionsError(
                f"the loss is no number in step {self.step + 1:,}: the training has come apart. Give a lower "
                f"{either('--learning-rate', 'learning_rate')}, or more {either('--warmup-steps', 'warmup_steps')}"
            )
        self._optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._weights.values(), CLIP)
        self._optimiser.step()
        self.losses += [0.0] * (epoch + 1 - len(self.losses))
        self.losses[epoch] += value
        self.step += 1

    def write(self, folder: Path) -> None:
        """Write all of it into a folder."""
        tensors = {f"weight/{name}": weights.detach() for name, weights in self._weights.items()}
        for name, weights in self._weights.items():
            tensors |= {f"{key}/{name}": value for key, value in self._optimiser.state[weights].items()}
        _saved({name: tensor.contiguous() for name, tensor in tensors.items()}, folder / _TENSORS)
        place = {"step": self.step, "losses": self.losses}
        (folder / _PLACE).write_text(json.dumps(place), encoding="utf-8")

    def _read(self, folder: Path) -> None:
        try:
            place = parse_json((folder / _PLACE).read_text(encoding="utf-8"))
            self.step, self.losses = int(place["step"]), [float(total) for total in place["losses"]]
            tensors = load_file(folder / _TENSORS)
            with torch.no_grad():
                for name, weights in self._weights.items():
                    weights.copy_(tensors.pop(f"weight/{name}"))
            for full, tensor in tensors.items():
                key, _, name = full.partition("/")
                # The count of steps stays on the CPU, where the optimiser puts it.
                moved = tensor if key == "step" else tensor.to(self._device)
                self._optimiser.state[self._weights[name]][key] = moved
        except (
            OSError,
            ArithmeticError,
            ValueError,
            KeyError,
            TypeError,
            RuntimeError,
            SafetensorError,
        ) as error:
            raise ModelLoadError(
                f"the state of the training in {folder} is damaged ({first_line(error)}). Remove that folder, and give "
                "the same command again: it begins anew"
            ) from error


def _pieces(loaded: Loaded, texts: Sequence[str]) -> list[Piece]:
    """The texts as the model takes them, long ones in pieces; a text without a token of its own is left out.

    Cut here: with tokenizers 0.23.2 its own way of cutting loses all but the end of a long text.
    """
    reader = loaded.reader
    encoded = reader.tokenizer(
        list(texts),
        truncation=False,
        return_special_tokens_mask=True,
        return_attention_mask=False,
        padding=False,
        verbose=False,
    )
    ids = encoded["input_ids"]
    types = encoded.get("token_type_ids") or [None] * len(ids)
    found = []
    for text, its_ids, its_types, special in zip(
        texts, ids, types, encoded["special_tokens_mask"], strict=True
    ):
        check_ids(text, its_ids, reader.rows)
        own = [place for place, added in enumerate(special) if not added]
        if not own:
            continue
        before, after = range(own[0]), range(own[-1] + 1, len(special))
        most = len(special) if reader.limit is None else reader.limit
        room = most - len(before) - len(after)
        for start in range(own[0], after.start, room):
            places = [*before, *range(start, min(start + room, after.start)), *after]
            found.append(
                Piece(
                    [its_ids[place] for place in places],
                    its_types and [its_types[place] for place in places],
                    own=[i for i, place in enumerate(places) if not special[place]],
                )
            )
    if not found:
        raise QuestionError("the tokenizer leaves nothing of these texts. Train on others")
    check_known(reader.tokenizer, texts, few=1)
    return found


def _masking(loaded: Loaded, share: float) -> Masking:
    tokenizer = loaded.reader.tokenizer
    ordinary = np.array(
        loaded.reader.ordinary_ids(loaded.reader.rows, loaded.model.config.to_dict()), dtype=np.int64
    )
    return Masking(int(tokenizer.mask_token_id), ordinary, share, loaded.reader.pad)


def _seed(seed: int, step: int) -> int:
    return int.from_bytes(hashlib.blake2b(f"{seed} {step}".encode(), digest_size=7).digest())


def _write(folder: ModelFolder, model: PreTrainedModel, into: Path) -> None:
    try:
        with quiet():
            model.train(False).save_pretrained(into)
        for source in matching(folder.path, (*SETTINGS, *VOCABULARY)):
            if source.name != "config.json":
                shutil.copyfile(source, into / source.name)
    except (OSError, SafetensorError) as error:
        raise _unwritten(into, error) from error


def _saved(tensors: dict[str, torch.Tensor], path: Path) -> None:
    try:
        save_file(tensors, path)
    except (OSError, SafetensorError) as error:
        raise _unwritten(path.parent, error) from error


def _unwritten(folder: Path, error: Exception) -> ModelLoadError:
    return ModelLoadError(
        f"the weights cannot be written in {folder.parent.parent} ({first_line(error)}). Free space, and give the same "
        "command again: it goes on from the state that was kept last"
    )
