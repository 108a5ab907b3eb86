"""The weights of a folder: whether all that its architecture needs are there, what is left over, what they take."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

import torch
from safetensors import SafetensorError, safe_open
from transformers import PreTrainedModel

from biascore.errors import ModelLoadError
from biascore_adapters.transformer.folder import ModelFolder

# Types of a safetensors file that float32 makes larger, with their bytes.
_NARROW: Final = {"BF16": 2, "F16": 2, "F8_E4M3": 1, "F8_E5M2": 1}
LARGE: Final = 4 * 10**9
"""Bytes of a model in memory from which on a wider type than the stored one is worth a warning."""

# What a model carries for another purpose than the one it is opened for; nothing of it is used here.
_OTHER_HEADS: Final = frozenset(
    {
        *("cls", "lm_head", "classifier", "pre_classifier", "score", "qa_outputs", "predictions", "pooler"),
        *(
            "vocab_transform",
            "vocab_layer_norm",
            "vocab_projector",
            "generator_predictions",
            "sop_classifier",
        ),
        *("generator_lm_head", "discriminator_predictions", "lm_predictions", "mask_predictions", "dropout"),
    }
)


def check_weights(folder: ModelFolder, model: PreTrainedModel, info: Mapping[str, Any], *, head: bool) -> str:
    """Which weights of the folder the model has no place for, in words; "" where all have one.

    ``info`` is what transformers tells of loading. Left-over weights of the trunk are warned of: the configuration
    makes another model of them. Those of another head are not. Raises ModelLoadError where transformers made
    weights up; those of a pooler matter only to a sequence head (``head``), which reads it.
    """
    if missing := sorted(key for key in info["missing_keys"] if head or "pooler" not in key):
        raise ModelLoadError(
            f"{folder.path} lacks {len(missing)} weights of its own architecture, such as {missing[0]}, and "
            "random ones would replace them. Fetch or save the model again"
        )
    unused = sorted(info["unexpected_keys"])
    prefix = f"{model.base_model_prefix}."
    strange = [key for key in unused if _OTHER_HEADS.isdisjoint(key.removeprefix(prefix).split(".")[:1])]
    if strange:
        warnings.warn(
            f"{folder.path} holds {len(strange)} weights that {type(model).__name__} has no place for as config.json "
            f"describes it, such as {strange[0]}, so that this is not the model that was saved. Compare config.json "
            "with the original",
            stacklevel=2,
        )
    shown = strange or unused
    return f"{len(unused)}, such as {shown[0]}" if unused else ""


def stored_narrower(folder: ModelFolder, dtype: str) -> str:
    """How much wider ``dtype`` makes the stored weights, in words, with a warning for a large model.

    "" where it makes them no wider, and for pickles, which are not read for it.
    """
    if folder.pickled:
        return ""
    wide = getattr(torch, dtype).itemsize
    numbers = _numbers(folder)
    narrow = {kind: count for kind, count in numbers.items() if _NARROW.get(kind, wide) < wide}
    if not narrow:
        return ""
    now = sum(count * _NARROW.get(kind, wide) for kind, count in numbers.items())
    then = sum(numbers.values()) * wide
    kinds = "/".join(sorted(narrow))
    if then >= LARGE:
        warnings.warn(
            f"{folder.path} stores its weights as {kinds} ({_gigabytes(now)}), and {dtype} takes {_gigabytes(then)} of "
            f"memory. The option dtype='{'float16' if kinds == 'F16' else 'bfloat16'}' takes half of it, with answers "
            "that are rounded",
            stacklevel=2,
        )
    return f"{kinds}, {_gigabytes(now)}; as {dtype} {_gigabytes(then)}"


def _numbers(folder: ModelFolder) -> Mapping[str, int]:
    """How many numbers of each type the safetensors files hold, as their headers say."""
    found: Counter[str] = Counter()
    for path in folder.weights:
        try:
            with safe_open(path, framework="pt") as file:
                for name in file.keys():  # noqa: SIM118  (the file is no mapping)
                    tensor = file.get_slice(name)
                    found[tensor.get_dtype()] += math.prod(tensor.get_shape())
        except (SafetensorError, OSError):
            return {}  # damaged: transformers says so when it reads the weights
    return found


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB"
