"""A folder opened: tokenizer, graph, and what the two together are, without torch."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from biascore.errors import ModelLoadError
from biascore_adapters.onnx.graph import HIDDEN, LOGITS, Graph, Output
from biascore_adapters.onnx.locate import OnnxFolder
from biascore_adapters.onnx.options import OnnxOptions
from biascore_adapters.transformer.arrays import Floats
from biascore_adapters.transformer.exported import Exported, Kind
from biascore_adapters.transformer.probes import SEES_ITSELF, Run, described, moved_by_padding, sees_later
from biascore_adapters.transformer.tokens import Input, Reader

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
    """An open model: its folder, the options it was opened with, graph, tokenizer, and what is known of it.

    ``decoder`` says whether its family is one of decoders, ``padding`` whether texts of several lengths may share
    a batch, as seen when it was opened; ``facts`` is what was seen, for the record.
    """

    folder: OnnxFolder
    options: OnnxOptions
    graph: Graph
    reader: Reader
    known: Exported
    decoder: bool
    padding: bool
    facts: Mapping[str, str]

    @property
    def architecture(self) -> str:
        """The class that the configuration names."""
        return _architecture(self.folder.files.config) or "not stated"

    @property
    def quantised(self) -> bool:
        """Whether the graph rounds states by their range in the batch at hand."""
        return self.folder.stated.dynamically_quantised


def open_model(folder: OnnxFolder, options: OnnxOptions) -> OnnxModel:
    """Open tokenizer and graph; raises ModelLoadError where either cannot be, or they do not fit together."""
    with _quiet():
        tokenizer = _tokenizer(folder)
        known = folder.exported or _from_config(folder, tokenizer)
        decoder = _decoder(folder.files.config)
    graph = Graph(folder, options, known.pad or 0)
    _check_fit(folder, tokenizer, known, graph)
    reader = Reader(tokenizer, known.max_tokens, known.rows)
    if folder.stated.dynamically_quantised:  # its states move with whatever shares a batch, and it has none
        return OnnxModel(folder, options, graph, reader, known, decoder, padding=True, facts={})
    return _probed(OnnxModel(folder, options, graph, reader, known, decoder, padding=True, facts={}))


def _probed(model: OnnxModel) -> OnnxModel:
    """The model as its answers to a few tokens show it: does it see to both sides, does padding move its answers?"""
    graph, limit = model.graph, model.reader.limit
    config = model.folder.files.config
    special = {number for key, number in config.items() if "_token_i" in key and isinstance(number, int)}
    ids = model.reader.ordinary_ids(13, special)

    def answers(output: Output) -> Run:
        def run(texts: Sequence[Sequence[int]]) -> list[Floats]:
            places = [(row, column) for row, text in enumerate(texts) for column in range(len(text))]
            found = graph.run(output, [Input(ids) for ids in texts], places)
            if output == HIDDEN:
                return [states[: len(text)] for states, text in zip(found, texts, strict=True)]
            if graph.per_text:
                return list(found[:, None])
            ends = np.cumsum([len(text) for text in texts])[:-1]
            return np.split(found, ends)

        return run

    later = None
    if not (graph.per_text and HIDDEN not in graph.widths):
        later = sees_later(answers(HIDDEN if HIDDEN in graph.widths else LOGITS), ids, limit)
    causal = model.known.causal if later is None else not later
    moves = model.known.pad is not None and any(
        moved_by_padding(answers(output), ids, limit) for output in graph.widths
    )
    kind = model.known.kind
    facts = described(causal=causal, padding=not moves)
    if kind == "causal" and not causal:
        kind = "decoder"
        facts["head"] = f"not used: {SEES_ITSELF}"
    known = model.known.model_copy(update={"causal": causal, "kind": kind})
    return replace(model, known=known, decoder=model.decoder or causal, padding=not moves, facts=facts)


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
    config = folder.files.config
    rows = config.get("vocab_size")
    if not isinstance(rows, int) or rows < 1:
        raise ModelLoadError(
            f"{folder.path / 'config.json'} states no vocab_size. Copy the configuration of the model that was exported"
        )
    kind, decoder = _kind(_architecture(config)), _decoder(config)
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


def _decoder(config: Mapping[str, Any]) -> bool:
    """Whether the family that the configuration names is one of decoders."""
    from transformers.models.auto.modeling_auto import (
        MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
        MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    )

    family = config.get("model_type")
    return family in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES and (
        family not in MODEL_FOR_MASKED_LM_MAPPING_NAMES or bool(config.get("is_decoder"))
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
    # A tokenizer may have more entries than the model, as with hf: a text with such a token is refused.
    if folder.exported is None and width != known.rows:
        raise ModelLoadError(
            f"{folder.path}: the vocabulary has {len(tokenizer)} tokens in the tokenizer, "
            f"{' and '.join(f'{size} in the {name}' for name, size in sizes.items())}. "
            "Copy tokenizer and configuration of the model that was exported"
        )
