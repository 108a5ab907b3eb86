"""A folder opened: tokenizer, graph, and what the two together are, without torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from biascore.errors import ModelLoadError
from biascore_adapters.onnx.graph import HIDDEN, LOGITS, Graph, Output
from biascore_adapters.onnx.locate import OnnxFolder
from biascore_adapters.onnx.options import OnnxOptions
from biascore_adapters.transformer.arrays import Floats
from biascore_adapters.transformer.exported import Exported
from biascore_adapters.transformer.probes import SEES_ITSELF, Run, described, moved_by_padding, sees_later
from biascore_adapters.transformer.stated import is_decoder, stated, tokenizer_of
from biascore_adapters.transformer.tokens import Input, Reader

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast


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
        return self.folder.files.architecture or "not stated"

    @property
    def precision(self) -> str:
        """For the record: float32 as exported, or how states are rounded."""
        stated = self.folder.stated
        if stated.dynamically_quantised:
            return "dynamically quantised"
        return "quantised" if stated.quantised else "as exported"


def open_model(folder: OnnxFolder, options: OnnxOptions) -> OnnxModel:
    """Open tokenizer and graph; raises ModelLoadError where either cannot be, or they do not fit together."""
    tokenizer = tokenizer_of(folder.files)
    known = folder.exported or stated(folder.files, tokenizer)
    decoder = is_decoder(folder.files.config)
    graph = Graph(folder, options, known.pad or 0)
    _check_fit(folder, tokenizer, known, graph)
    reader = Reader(tokenizer, known.max_tokens, known.rows)
    if folder.stated.dynamically_quantised:  # its states move with whatever shares a batch, and it has none
        return OnnxModel(folder, options, graph, reader, known, decoder, padding=True, facts={})
    return _probed(OnnxModel(folder, options, graph, reader, known, decoder, padding=True, facts={}))


def _probed(model: OnnxModel) -> OnnxModel:
    """The model as its answers to a few tokens show it: does it see to both sides, does padding move its answers?"""
    graph, limit = model.graph, model.reader.limit
    ids = model.reader.ordinary_ids(13, model.folder.files.config)

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
    # Padding moves the last bit of a sum, and rounding to steps may make a step of it: a few tokens need not show it.
    moves = model.known.pad is not None and (
        model.folder.stated.quantised
        or any(moved_by_padding(answers(output), ids, limit) for output in graph.widths)
    )
    kind = model.known.kind
    facts = described(causal=causal, padding=not moves)
    if kind == "causal" and not causal:
        kind = "decoder"
        facts["head"] = f"not used: {SEES_ITSELF}"
    known = model.known.model_copy(update={"causal": causal, "kind": kind})
    return replace(model, known=known, decoder=model.decoder or causal, padding=not moves, facts=facts)


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
            f"({folder.files.architecture}). Copy the configuration of the model that was exported"
        )
    sizes = {"graph": width, "config.json": known.rows}
    # A tokenizer may have more entries than the model, as with hf: a text with such a token is refused.
    if folder.exported is None and width != known.rows:
        raise ModelLoadError(
            f"{folder.path}: the vocabulary has {len(tokenizer)} tokens in the tokenizer, "
            f"{' and '.join(f'{size} in the {name}' for name, size in sizes.items())}. "
            "Copy tokenizer and configuration of the model that was exported"
        )
