"""A folder opened: tokenizer, graph, and what the two together are, without torch."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from biascore.errors import ModelLoadError
from biascore_adapters.onnx.graph import HIDDEN, LOGITS, Graph
from biascore_adapters.onnx.locate import OnnxFolder
from biascore_adapters.onnx.options import OnnxOptions
from biascore_adapters.transformer.exported import Exported, Kind
from biascore_adapters.transformer.tokens import Reader

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

_UNSTATED: Final = 10**9  # tokenizers that state no limit carry 1e30
_PRETRAINING_WITH_MASKED_HEAD: Final = ("BertForPreTraining", "AlbertForPreTraining")

# Families that count positions from the padding id + 1, so that their table is longer than their texts.
_POSITIONS_AFTER_PADDING: Final = frozenset(
    {
        "camembert",
        "data2vec-text",
        "esm",
        "ibert",
        "longformer",
        "luke",
        "mpnet",
        "roberta",
        "roberta-prelayernorm",
        "xlm-roberta",
        "xlm-roberta-xl",
        "xmod",
    }
)


@dataclass(frozen=True, slots=True)
class OnnxModel:
    """An open model: its folder, the options it was opened with, graph, tokenizer, and what is known of it."""

    folder: OnnxFolder
    options: OnnxOptions
    graph: Graph
    reader: Reader
    known: Exported

    @property
    def architecture(self) -> str:
        """The class that the configuration names."""
        return _architecture(self.folder.files.config) or "not stated"


def open_model(folder: OnnxFolder, options: OnnxOptions) -> OnnxModel:
    """Open tokenizer and graph; raises ModelLoadError where either cannot be, or they do not fit together."""
    with _quiet():
        tokenizer = _tokenizer(folder)
        known = folder.exported or _from_config(folder, tokenizer)
    graph = Graph(folder, options, known.pad or 0)
    _check_fit(folder, tokenizer, known, graph)
    return OnnxModel(folder, options, graph, Reader(tokenizer, known.max_tokens, known.rows), known)


@contextmanager
def _quiet() -> Iterator[None]:
    """Without transformers' advice, such as that torch is not installed, which is not needed here."""

    def no_advice(record: logging.LogRecord) -> bool:
        return record.levelno >= logging.ERROR

    logger = logging.getLogger("transformers")
    logger.addFilter(no_advice)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.removeFilter(no_advice)


def _tokenizer(folder: OnnxFolder) -> PreTrainedTokenizerFast:
    from transformers import AutoTokenizer, PreTrainedTokenizerFast

    try:
        tokenizer = AutoTokenizer.from_pretrained(folder.path, trust_remote_code=False, local_files_only=True)
    except Exception as error:  # whatever the file makes the Rust and Python parsers raise
        reason = " ".join(str(error).split())[:300]
        raise ModelLoadError(
            f"the tokenizer in {folder.path} cannot be read ({type(error).__name__}: {reason}). The files may be "
            "damaged or incomplete: fetch or save it again"
        ) from error
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        raise ModelLoadError(
            f"{folder.path} has only the slow tokenizer {type(tokenizer).__name__}, which cannot say which "
            "characters a token covers. Save a fast one (tokenizer.json) next to the graph"
        )
    return tokenizer


def _from_config(folder: OnnxFolder, tokenizer: PreTrainedTokenizerFast) -> Exported:
    """What ``config.json`` and tokenizer state of a graph that biascore did not write."""
    from transformers.models.auto.modeling_auto import (
        MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
        MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    )

    config = folder.files.config
    rows = config.get("vocab_size")
    if not isinstance(rows, int) or rows < 1:
        raise ModelLoadError(
            f"{folder.path / 'config.json'} states no vocab_size. Copy the configuration of the model that was exported"
        )
    family = config.get("model_type")
    kind = _kind(_architecture(config))
    decoder = family in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES and (
        family not in MODEL_FOR_MASKED_LM_MAPPING_NAMES or bool(config.get("is_decoder"))
    )
    if kind == "encoder" and decoder:
        kind = "decoder"
    limit = _limit(config, tokenizer)
    return Exported(
        kind=kind,
        causal=decoder or kind == "causal",
        max_tokens=limit,
        rows=rows,
        tokens=len(tokenizer),
        pad=_pad(config, kind, tokenizer, rows),
    )


def _pad(config: Mapping[str, Any], kind: Kind, tokenizer: PreTrainedTokenizerFast, rows: int) -> int | None:
    """The padding: for a head the one that the configuration states, since decoders find the last token by it."""
    if kind == "head":
        stated = config.get("pad_token_id")
        return stated if isinstance(stated, int) and 0 <= stated < rows else None
    pads = (tokenizer.pad_token_id, tokenizer.eos_token_id, 0)
    return next(int(pad) for pad in pads if pad is not None and pad < rows)


def _architecture(config: Mapping[str, Any]) -> str:
    return str((config.get("architectures") or [""])[0])


def _kind(architecture: str) -> Kind:
    from transformers.models.auto.modeling_auto import (
        MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
        MODEL_FOR_MASKED_LM_MAPPING_NAMES,
        MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES,
    )

    if architecture in {*MODEL_FOR_MASKED_LM_MAPPING_NAMES.values(), *_PRETRAINING_WITH_MASKED_HEAD}:
        return "masked"
    if architecture in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.values():
        return "causal"
    if architecture in MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES.values():
        return "head"
    return "encoder"


def _limit(config: Mapping[str, Any], tokenizer: PreTrainedTokenizerFast) -> int | None:
    """The longest text in tokens: the least of what tokenizer and configuration state."""
    table = config.get("max_position_embeddings", config.get("n_positions"))
    if isinstance(table, int) and config.get("model_type") in _POSITIONS_AFTER_PADDING:
        pad = config.get("pad_token_id", 1)
        table -= (1 if pad is None else int(pad)) + 1
    stated = (tokenizer.model_max_length, table)
    return min((int(n) for n in stated if n is not None and 0 < n < _UNSTATED), default=None)


def _check_fit(folder: OnnxFolder, tokenizer: PreTrainedTokenizerFast, known: Exported, graph: Graph) -> None:
    """Raise ModelLoadError where graph, configuration and tokenizer are not those of one model."""
    if len(tokenizer) != known.tokens:
        raise ModelLoadError(
            f"{folder.path}: the tokenizer has {len(tokenizer)} tokens, and the one that the model was exported with "
            f"had {known.tokens}. Copy the tokenizer of that model"
        )
    if graph.counts_positions and not known.causal:
        raise ModelLoadError(
            f"{folder.graph} takes position_ids, which encoders count in ways of their own. Export it without "
            "that input"
        )
    if LOGITS not in graph.widths or known.kind not in ("masked", "causal"):
        return
    width = graph.widths[LOGITS]
    if graph.per_text:
        raise ModelLoadError(
            f"{folder.graph} gives {width} logits a text, and config.json names a language model "
            f"({_architecture(folder.files.config)}). Copy the configuration of the model that was exported"
        )
    sizes = {"graph": width, "config.json": known.rows}
    if (folder.exported is None and width != known.rows) or len(tokenizer) > width:
        raise ModelLoadError(
            f"{folder.path}: the vocabulary has {len(tokenizer)} tokens in the tokenizer, "
            f"{' and '.join(f'{size} in the {name}' for name, size in sizes.items())}. "
            "Copy tokenizer and configuration of the model that was exported"
        )


def has_states(model: OnnxModel) -> bool:
    """Whether the graph gives hidden states, and so embeddings."""
    return HIDDEN in model.graph.widths
