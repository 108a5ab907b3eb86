"""A folder's tokenizer and model in memory, with transformers kept quiet and held to what is safe."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, cast

import torch
from transformers import (
    MODEL_FOR_CAUSAL_LM_MAPPING,
    MODEL_FOR_MASKED_LM_MAPPING,
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoModelForMultimodalLM,
    AutoModelForSequenceClassification,
    AutoModelForTextEncoding,
    AutoTokenizer,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    modeling_gguf_pytorch_utils,
)
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    MODEL_FOR_MULTIMODAL_LM_MAPPING_NAMES,
    MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES,
    MODEL_FOR_TEXT_ENCODING_MAPPING_NAMES,
)
from transformers.quantizers.auto import AutoHfQuantizer
from transformers.utils import logging

from biascore.errors import ModelLoadError
from biascore_adapters.hf.options import HfOptions
from biascore_adapters.hf.own_code import check_code, own_class, own_kind
from biascore_adapters.hf.quantised import Quantised, not_loaded
from biascore_adapters.hf.weights import check_size, check_weights, prefix_of, stored_narrower
from biascore_adapters.transformer.exported import Kind
from biascore_adapters.transformer.folder import ModelFolder, first_line
from biascore_adapters.transformer.stated import PRETRAINING_WITH_MASKED_HEAD, longest_text
from biascore_adapters.transformer.tokens import Reader, errors_of_libraries

_LIMITS: Final = ("max_position_embeddings", "max_seq_len")  # the latter is MPT's


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model ready to run on ``device``, its trunk, the reader of its texts, and the width of its states.

    ``trunk`` is the part whose last hidden states the head reads. ``kind`` says which head the model has, as its
    configuration states; ``decoder`` whether its family is one of decoders, and ``causal`` whether a token sees
    only those before it, which a decoder may be configured not to do. ``padding`` says whether texts of several
    lengths may share a batch. ``facts`` is what loading found out, for the record. ``quantised`` says how its weights
    are, if they are.
    """

    kind: Kind
    model: PreTrainedModel
    trunk: PreTrainedModel
    reader: Reader
    device: torch.device
    width: int
    decoder: bool
    causal: bool
    padding: bool = True
    facts: Mapping[str, str] = field(default_factory=dict)
    quantised: Quantised | None = None

    @property
    def exact(self) -> bool:
        """Whether all of it computes in float32."""
        return self.quantised is None and self.model.dtype == torch.float32

    @property
    def alone(self) -> bool:
        """Whether texts must not share a pass."""
        return self.quantised is not None and self.quantised.alone


def load(folder: ModelFolder, options: HfOptions) -> Loaded:
    """Open the model, with the head that its configuration names, and the tokenizer of a folder.

    What it says of itself is not probed here. Raises ModelLoadError for a folder that transformers cannot read,
    that needs code of its own, whose weights are not all there, or that does not map text alone to one vector a
    token.
    """
    facts = check_code(folder, options)
    device = place(options.device)
    kind, auto = kind_of(folder)
    if kind == "encoder" and not folder.architecture:
        facts["head"] = "none: config.json states no architectures, so that only the bare model is opened"
    with quiet():
        tokenizer = _tokenizer(folder)
    model, found = model_of(folder, options, auto, device, head=kind == "head")
    config = model.config.get_text_config()
    if model.config.is_encoder_decoder or config.is_encoder_decoder:
        raise ModelLoadError(
            f"{folder.path} is an encoder-decoder ({type(model).__name__}), of which hf: takes no "
            "embeddings. Use an encoder or a decoder alone"
        )
    config.use_cache = False  # the keys and values of a decoder serve generation only
    decoder = kind == "causal" or (
        type(config) in MODEL_FOR_CAUSAL_LM_MAPPING
        and (type(config) not in MODEL_FOR_MASKED_LM_MAPPING or bool(getattr(config, "is_decoder", False)))
    )
    if kind == "encoder" and decoder:
        kind = "decoder"
    trunk = _trunk(model, device)
    rows = int(model.get_input_embeddings().get_parameter("weight").shape[0])
    reader = Reader(tokenizer, _limit(folder, trunk, tokenizer), rows)
    width = _width(folder, trunk, device)
    stated = getattr(config, "is_causal", True) and not getattr(config, "use_bidirectional_attention", False)
    causal = decoder and bool(stated)
    return Loaded(
        kind,
        model,
        trunk,
        reader,
        device,
        width,
        decoder,
        causal=causal,
        facts={**facts, **found},
        quantised=Quantised.of(folder.config),
    )


def kind_of(folder: ModelFolder) -> tuple[Kind, Any]:
    """What the first architecture in ``config.json`` is a class for, and the Auto class that opens it.

    A model without one is opened bare.
    """
    if encodes_alone(folder):
        return "encoder", AutoModelForTextEncoding
    if own := own_kind(folder):
        return own
    name = folder.architecture
    if name in MODEL_FOR_MASKED_LM_MAPPING_NAMES.values() or name in PRETRAINING_WITH_MASKED_HEAD:
        return "masked", AutoModelForMaskedLM
    if name in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.values():
        return "causal", AutoModelForCausalLM
    if (
        name in MODEL_FOR_MULTIMODAL_LM_MAPPING_NAMES.values()
    ):  # a text decoder that is also shown images or sounds
        return "causal", AutoModelForMultimodalLM
    if name in MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES.values():
        return "head", AutoModelForSequenceClassification
    return "encoder", AutoModel


def encodes_alone(folder: ModelFolder) -> bool:
    """Whether the folder holds the encoder of an encoder-decoder by itself, as sentence-t5 and gtr-t5 do."""
    encoder = MODEL_FOR_TEXT_ENCODING_MAPPING_NAMES.get(str(folder.config.get("model_type")), "")
    return encoder.endswith("EncoderModel") and (folder.architecture == encoder or bool(folder.modules))


@contextmanager
def quiet() -> Iterator[None]:
    """Without transformers' progress bars and advice; missing weights, which it only logs, are checked here."""
    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    own_bars: Any = modeling_gguf_pytorch_utils  # which asks nobody
    shown, own_bars.tqdm = own_bars.tqdm, lambda tensors, **_: tensors
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        own_bars.tqdm = shown
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]


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
    tokenizer = any_tokenizer(folder)
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        raise ModelLoadError(
            f"{folder.path} has only the slow tokenizer {type(tokenizer).__name__}, which cannot say which "
            "characters a token covers. Save a fast one (tokenizer.json) next to the model"
        )
    return tokenizer


def any_tokenizer(folder: ModelFolder) -> Any:
    """The tokenizer of a folder, fast or slow; raises ModelLoadError where it cannot be read."""
    with unreadable(folder, "tokenizer"):
        return AutoTokenizer.from_pretrained(
            folder.path, trust_remote_code=bool(folder.code), local_files_only=True, **folder.reading
        )


def model_of(
    folder: ModelFolder, options: HfOptions, auto: Any, device: torch.device, *, head: bool = False
) -> tuple[PreTrainedModel, dict[str, str]]:
    """The model that an Auto class makes of a folder, ready to run on the device, and facts of its weights.

    ``head``: it has a sequence head, which reads the pooler. Raises ModelLoadError where the files cannot be
    read, or weights are missing.
    """
    if head and folder.config.get("id2label") == {}:
        raise ModelLoadError(
            f"{folder.path} is a classifier or regressor whose config.json names no outputs (id2label is empty). "
            "Name them there, one for each row of the head's weights"
        )
    quantised = Quantised.of(folder.config)
    stored = "" if quantised else stored_narrower(folder, options.dtype)
    # Quantised weights are put on their device as they are read; most cannot be moved.
    placed: dict[str, Any] = {"device_map": {"": device}} if quantised else {}
    if quantised:
        _check_library(folder, quantised, placed)
    model: PreTrainedModel
    with quiet():
        check_size(folder, auto)
    with unreadable(folder, "model"), quiet():
        opener, own = own_class(folder, auto)

        def opened(**renamed: Any) -> tuple[PreTrainedModel, dict[str, Any]]:
            found: tuple[PreTrainedModel, dict[str, Any]] = opener.from_pretrained(
                folder.path,
                dtype=getattr(torch, options.dtype),
                use_safetensors=not folder.pickled,
                local_files_only=True,
                output_loading_info=True,
                **folder.reading,
                **own,
                **placed,
                **renamed,
            )
            return found

        try:
            model, info = opened()
            if prefix := prefix_of(info, head=head):
                model, info = opened(key_mapping={f"^{re.escape(prefix)}": ""})
        except ImportError as error:
            if quantised:  # on a GPU some methods import their library only here
                raise not_loaded(folder.path, quantised.method, first_line(error)[:200]) from error
            raise
    unused = check_weights(folder, model, info, head=head)
    try:
        model.train(False)
        if not quantised:
            model.to(device)  # type: ignore[arg-type]  # transformers hides torch's own signature
    except torch.cuda.OutOfMemoryError as error:
        raise ModelLoadError(
            f"{folder.path} does not fit into the memory of {device}. Use the option device='cpu' or "
            "dtype='bfloat16'"
        ) from error
    facts = {
        "stored_weights": stored,
        "unused_weights": unused,
        "weights_named": f"with {prefix!r} before each name" if prefix else "",
        **(quantised.facts if quantised else {}),
    }
    return model, {name: fact for name, fact in facts.items() if fact}


def _check_library(folder: ModelFolder, quantised: Quantised, placed: Mapping[str, Any]) -> None:
    """Raise ModelLoadError where transformers finds that the library of a method cannot load weights here."""
    try:
        with quiet():
            own = AutoHfQuantizer.from_config(dict(folder.config["quantization_config"]), pre_quantized=True)
            own.validate_environment(**placed)
    except Exception as error:  # ImportError, RuntimeError, and what the library raises where it is imported
        raise not_loaded(folder.path, quantised.method, first_line(error)[:200]) from error


def _trunk(model: PreTrainedModel, device: torch.device) -> PreTrainedModel:
    """The outermost part of the model that gives hidden states: what its head reads, as seen by running it.

    That is not always the attribute that transformers calls the base model.
    """
    found: list[torch.nn.Module] = []

    def see(module: torch.nn.Module, _arguments: Any, output: Any) -> None:
        if getattr(output, "last_hidden_state", None) is not None:
            found.append(module)  # inner parts end, and so come, before outer ones

    parts = [part for part in model.modules() if isinstance(part, PreTrainedModel)]
    hooks = [part.register_forward_hook(see) for part in parts]
    ids = torch.zeros((1, 4), dtype=torch.long, device=device)
    try:
        with torch.inference_mode():
            model(input_ids=ids, attention_mask=torch.ones_like(ids))
    except Exception:  # whatever its head raises; the trunk alone is run next, and its errors are told
        return cast(PreTrainedModel, model.base_model)
    finally:
        for hook in hooks:
            hook.remove()
    return cast(PreTrainedModel, found[-1] if found else model.base_model)


def _limit(folder: ModelFolder, model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast) -> int | None:
    """The longest text in tokens: the least of what tokenizer, configuration and position table state."""
    config = model.config.get_text_config()
    stated = [tokenizer.model_max_length, *(getattr(config, name, None) for name in _LIMITS)]
    for name, module in model.named_modules():
        padding = getattr(module, "padding_idx", None)
        if name.endswith("position_embeddings") and padding is not None:
            # RoBERTa counts positions from padding_idx + 1
            stated.append(module.get_parameter("weight").shape[0] - padding - 1)
    return longest_text(folder, stated)


def _width(folder: ModelFolder, model: PreTrainedModel, device: torch.device) -> int:
    """The width of a hidden state, seen by running the model on a few tokens."""
    ids = torch.zeros((1, 4), dtype=torch.long, device=device)
    try:
        with torch.inference_mode():
            hidden = model(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state
    except Exception as error:  # a model of images, say, raises whatever it likes without them
        if quantised := Quantised.of(folder.config):
            raise not_loaded(folder.path, quantised.method, first_line(error)[:200]) from error
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


def unreadable(folder: ModelFolder, what: str) -> AbstractContextManager[None]:
    """Within it, what a library raises that cannot read the files is a ModelLoadError."""
    own = "Its own code may need other packages or another version of transformers: see what its authors say"
    return errors_of_libraries(f"the {what} in {folder.path}", own if folder.code else "")
