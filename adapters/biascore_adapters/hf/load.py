"""A folder's tokenizer and model in memory, with transformers kept quiet and held to what is safe."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Literal, cast

import torch
from transformers import (
    CONFIG_MAPPING,
    MODEL_FOR_CAUSAL_LM_MAPPING,
    MODEL_FOR_MASKED_LM_MAPPING,
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoModelForSequenceClassification,
    AutoModelForTextEncoding,
    AutoTokenizer,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES,
    MODEL_FOR_TEXT_ENCODING_MAPPING_NAMES,
)
from transformers.utils import logging

from biascore.errors import ModelLoadError
from biascore_adapters.hf.options import HfOptions
from biascore_adapters.transformer.folder import ModelFolder
from biascore_adapters.transformer.tokens import Reader

_UNSTATED = 10**9  # tokenizers that state no limit carry 1e30


Kind = Literal["encoder", "decoder", "masked", "causal", "head"]

_AUTO: Final[dict[Kind, Any]] = {
    "encoder": AutoModel,
    "decoder": AutoModel,
    "masked": AutoModelForMaskedLM,
    "causal": AutoModelForCausalLM,
    "head": AutoModelForSequenceClassification,
}

# Checkpoints of a pre-training class hold the masked head beside another; the masked class reads them.
_PRETRAINING_WITH_MASKED_HEAD: Final = ("BertForPreTraining", "AlbertForPreTraining")


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model ready to run on ``device``, its trunk, the reader of its texts, and the width of its states.

    ``kind`` says which head the model has, as its configuration states; ``causal`` whether a token sees
    only those before it.
    """

    kind: Kind
    model: PreTrainedModel
    trunk: PreTrainedModel
    reader: Reader
    device: torch.device
    width: int
    causal: bool


def load(folder: ModelFolder, options: HfOptions) -> Loaded:
    """Open the model, with the head that its configuration names, and the tokenizer of a folder.

    Raises ModelLoadError for a folder that transformers cannot read, that needs code of its own, whose
    weights are not all there, or that does not map text alone to one vector a token.
    """
    check_kind(folder)
    device = place(options.device)
    kind = kind_of(folder)
    with quiet():
        tokenizer = _tokenizer(folder)
        model = _model(folder, options, device, kind)
    causal = kind == "causal" or (
        type(model.config) in MODEL_FOR_CAUSAL_LM_MAPPING
        and (
            type(model.config) not in MODEL_FOR_MASKED_LM_MAPPING
            or bool(getattr(model.config, "is_decoder", False))
        )
    )
    if kind == "encoder" and causal:
        kind = "decoder"
    trunk = cast(PreTrainedModel, model.base_model)
    weights: torch.Tensor = trunk.get_input_embeddings().get_parameter("weight")
    reader = Reader(tokenizer, _limit(trunk, tokenizer), rows=weights.shape[0])
    return Loaded(kind, model, trunk, reader, device, _width(folder, trunk, device), causal)


def kind_of(folder: ModelFolder) -> Kind:
    """What the first architecture in ``config.json`` is a class for; a bare model without one."""
    if encodes_alone(folder):
        return "encoder"
    architectures = folder.config.get("architectures") or [""]
    name = architectures[0]
    if name in MODEL_FOR_MASKED_LM_MAPPING_NAMES.values() or name in _PRETRAINING_WITH_MASKED_HEAD:
        return "masked"
    if name in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.values():
        return "causal"
    if name in MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES.values():
        return "head"
    return "encoder"


def encodes_alone(folder: ModelFolder) -> bool:
    """Whether the folder holds the encoder of an encoder-decoder by itself, as sentence-t5 and gtr-t5 do."""
    encoder = MODEL_FOR_TEXT_ENCODING_MAPPING_NAMES.get(str(folder.config.get("model_type")), "")
    stated = (folder.config.get("architectures") or [""])[0]
    return encoder.endswith("EncoderModel") and (stated == encoder or bool(folder.modules))


@contextmanager
def quiet() -> Iterator[None]:
    """Without transformers' progress bars and advice; missing weights, which it only logs, are checked here."""
    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]


def check_kind(folder: ModelFolder) -> None:
    """Raise ModelLoadError for a model that transformers does not know, or that brings its own code."""
    kind = folder.config.get("model_type")
    if kind in CONFIG_MAPPING:
        return
    if "auto_map" in folder.config:
        raise ModelLoadError(
            f"{folder.path} runs Python code of its own (auto_map in config.json), which this adapter never "
            "allows. Use a model whose architecture is part of transformers"
        )
    raise ModelLoadError(
        f"{folder.path} has the model_type {kind!r} in config.json, which the installed transformers does "
        "not know. Try a newer one: pip install --upgrade transformers"
    )


def place(name: str) -> torch.device:
    """The device of that name; raises ModelLoadError where this machine has none."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    device = torch.device(name)
    if device.type == "cuda":
        index = device.index or 0
        if index >= torch.cuda.device_count():
            raise ModelLoadError(
                f"device {name!r}: this machine has {torch.cuda.device_count()} CUDA devices. Use cpu"
            )
        return torch.device("cuda", index)
    if device.type == "mps" and not torch.backends.mps.is_available():
        raise ModelLoadError("device 'mps': this machine has none. Use cpu")
    return device


def _tokenizer(folder: ModelFolder) -> PreTrainedTokenizerFast:
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder.path, trust_remote_code=False, local_files_only=True)
    except Exception as error:  # whatever the file makes the Rust and Python parsers raise
        raise unreadable(folder, "tokenizer", error) from error
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        raise ModelLoadError(
            f"{folder.path} has only the slow tokenizer {type(tokenizer).__name__}, which cannot say which "
            "characters a token covers. Save a fast one (tokenizer.json) next to the model"
        )
    return tokenizer


def _model(folder: ModelFolder, options: HfOptions, device: torch.device, kind: Kind) -> PreTrainedModel:
    auto = AutoModelForTextEncoding if encodes_alone(folder) else _AUTO[kind]
    model = model_of(folder, options, auto, device)
    if model.config.is_encoder_decoder:
        raise ModelLoadError(
            f"{folder.path} is an encoder-decoder ({type(model).__name__}), of which hf: takes no "
            "embeddings. Use an encoder or a decoder alone"
        )
    model.config.use_cache = False  # the keys and values of a decoder serve generation only
    return model


def model_of(folder: ModelFolder, options: HfOptions, auto: Any, device: torch.device) -> PreTrainedModel:
    """The model that an Auto class makes of a folder, ready to run on the device.

    Raises ModelLoadError where the files cannot be read, or weights are missing.
    """
    model: PreTrainedModel
    try:
        model, info = auto.from_pretrained(
            folder.path,
            dtype=getattr(torch, options.dtype),
            use_safetensors=not folder.pickled,
            trust_remote_code=False,
            local_files_only=True,
            output_loading_info=True,
        )
    except Exception as error:  # safetensors, pickle, torch and transformers each raise their own
        raise unreadable(folder, "model", error) from error
    _check_weights(folder, info)
    try:
        model.train(False).to(device)
    except torch.cuda.OutOfMemoryError as error:
        raise ModelLoadError(
            f"{folder.path} does not fit into the memory of {device}. Use the option device='cpu' or "
            "dtype='bfloat16'"
        ) from error
    return model


def _check_weights(folder: ModelFolder, info: Mapping[str, Any]) -> None:
    """Raise ModelLoadError where transformers made weights up; those of a pooler are never used here."""
    if missing := sorted(key for key in info["missing_keys"] if "pooler" not in key):
        raise ModelLoadError(
            f"{folder.path} lacks {len(missing)} weights of its own architecture, such as {missing[0]}, and "
            "random ones would stand in for them. Fetch or save the model again"
        )


def _limit(model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast) -> int | None:
    """The longest text in tokens: the least of what tokenizer, configuration and position table state."""
    stated = [tokenizer.model_max_length, getattr(model.config, "max_position_embeddings", None)]
    for name, module in model.named_modules():
        if name.endswith("position_embeddings") and getattr(module, "padding_idx", None) is not None:
            # RoBERTa counts positions from padding_idx + 1
            stated.append(module.num_embeddings - module.padding_idx - 1)
    return min((int(n) for n in stated if n is not None and 0 < n < _UNSTATED), default=None)


def _width(folder: ModelFolder, model: PreTrainedModel, device: torch.device) -> int:
    """The width of a hidden state, seen by running the model on a few tokens."""
    ids = torch.zeros((1, 4), dtype=torch.long, device=device)
    try:
        with torch.inference_mode():
            hidden = model(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state
    except Exception as error:  # a model of images, say, raises whatever it likes without them
        raise ModelLoadError(
            f"{folder.path} ({type(model).__name__}) does not embed text alone ({type(error).__name__}: "
            f"{error}). Use a text encoder or decoder"
        ) from error
    if hidden.shape[:2] != ids.shape:
        raise ModelLoadError(
            f"{folder.path} ({type(model).__name__}) does not give one hidden state a token. "
            f"Use a text encoder or decoder"
        )
    return int(hidden.shape[2])


def unreadable(folder: ModelFolder, what: str, error: Exception) -> ModelLoadError:
    """The error for files that a library could not read."""
    reason = " ".join(str(error).split())[:300]
    return ModelLoadError(
        f"the {what} in {folder.path} cannot be read ({type(error).__name__}: {reason}). "
        f"The files may be damaged or incomplete: fetch or save the model again"
    )
