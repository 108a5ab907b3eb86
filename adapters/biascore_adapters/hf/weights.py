"""The weights of a folder: whether all that its architecture needs are there, what is left over, what they take."""

from __future__ import annotations

import math
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

import torch
from safetensors import SafetensorError, safe_open
from transformers import AutoConfig, PreTrainedModel

from biascore.errors import ModelLoadError
from biascore_adapters.hf.gguf import types_of
from biascore_adapters.hf.quantised import Quantised
from biascore_adapters.transformer.folder import ModelFolder, first_line

# Types of a safetensors file that float32 makes larger, with their bytes.
_NARROW: Final = {"BF16": 2, "F16": 2, "F8_E4M3": 1, "F8_E5M2": 1}
FEW_PARTS: Final = 1000
"""Layers or experts that a model may have whatever its weights are: some families share or stack the weights of all."""
TIMES_ITS_WEIGHTS: Final = 4
"""Parameters that a configuration may describe for each number in the weights: a head may be tied, a pooler missing."""
_TRIED: Final = 20
"""Missing weights whose names are looked for behind a prefix."""
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


def prefix_of(info: Mapping[str, Any], *, head: bool) -> str:
    """What stands before the names of the weights that the model lacks, as wrappers in training put it; "" for none.

    "module." of data parallelism, "_orig_mod." of compiled models, a name of Lightning's. Whether it brings all that is
    missing is known when the model is opened so: a file holds one name of tied weights, and transformers does not tell of
    all that it left out.
    """
    missing = sorted(key for key in info["missing_keys"] if head or "pooler" not in key)
    for name in missing[:_TRIED]:
        found = {key.removesuffix(name) for key in info["unexpected_keys"] if key.endswith(f".{name}")}
        if found:
            return found.pop() if len(found) == 1 else ""
    return ""


def check_size(folder: ModelFolder, auto: Any) -> None:
    """Raise ModelLoadError where ``config.json`` describes a model that is far larger than its weights.

    transformers makes room for all that is described before it compares it with the weights, so that a wrong number there
    would take all memory, or years. Of pickles and quantised weights layers are counted alone, of models with code of their
    own nothing.
    """
    if folder.code:
        return
    counted = not (folder.pickled or Quantised.of(folder.config))
    tensors, numbers = _stored(folder) if counted else (0, {})
    what = f"{folder.path / 'config.json'} describes a model"
    remedy = f"in the weights next to it ({folder.weights[0].name}). Fetch or save the model again"
    parts = max(_parts(folder.config), default=0)
    if parts > max(FEW_PARTS, tensors):
        raise ModelLoadError(
            f"{what} of {parts:,} layers or experts, and there are {f'{tensors:,}' if counted else 'fewer'} tensors {remedy}"
        )
    if not counted:
        return
    try:
        config = AutoConfig.from_pretrained(
            folder.path, trust_remote_code=False, local_files_only=True, **folder.reading
        )
        with torch.device("meta"):  # takes no memory
            model = auto.from_config(config, trust_remote_code=False)
    except Exception:  # it says why when it is loaded
        return
    described, held = sum(weights.numel() for weights in model.parameters()), sum(numbers.values())
    if described > TIMES_ITS_WEIGHTS * held:
        raise ModelLoadError(f"{what} of {described:,} parameters, and there are {held:,} {remedy}")


def _parts(stated: object) -> Iterator[int]:
    """The numbers of layers and experts that a configuration states, also in one within it."""
    if isinstance(stated, Mapping):
        for key, value in stated.items():
            if type(value) is int and re.search("(^|_)(layers?|experts)$", key):
                yield value
            yield from _parts(value)


def stored_narrower(folder: ModelFolder, dtype: str) -> str:
    """How much wider ``dtype`` makes the stored weights, in words, with a warning for a large model.

    "" where it makes them no wider, and for pickles, which are not read for it.
    """
    if folder.pickled or folder.gguf:  # how it is stored is a convention of the latter
        return ""
    wide = getattr(torch, dtype).itemsize
    _, numbers = _stored(folder)
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


def _stored(folder: ModelFolder) -> tuple[int, Mapping[str, int]]:
    """Tensors of the safetensors files, and numbers of each type, as their headers say; raises ModelLoadError."""
    if folder.gguf:
        types = types_of(folder.gguf)
        return sum(count for count, _ in types.values()), {kind: count for kind, (_, count) in types.items()}
    tensors, found = 0, Counter[str]()
    for path in folder.weights:
        try:
            with safe_open(path, framework="pt") as file:
                for name in file.keys():  # noqa: SIM118  (the file is no mapping)
                    tensor = file.get_slice(name)
                    found[tensor.get_dtype()] += math.prod(tensor.get_shape())
                    tensors += 1
        except (SafetensorError, OSError) as error:
            raise ModelLoadError(
                f"{path} cannot be read ({first_line(error)}). Fetch or save the model again"
            ) from error
    return tensors, found


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB"
