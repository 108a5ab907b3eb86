"""A graph run by onnxruntime: how many texts go into a run, and how many logits are held at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
import onnxruntime

from biascore.errors import ModelLoadError
from biascore_adapters.onnx.graph import HIDDEN, LOGITS
from biascore_adapters.onnx.model import OnnxModel
from biascore_adapters.onnx.writing import GraphWriter
from biascore_adapters.transformer.arrays import log_probabilities, pooled
from biascore_adapters.transformer.backends import Opened
from biascore_adapters.transformer.batching import ACCELERATOR_TOKENS, CPU_TOKENS, batches
from biascore_adapters.transformer.outputs import HeadOutputs, check_no_head
from biascore_adapters.transformer.pooling import Pool
from biascore_adapters.transformer.prompts import check_no_prompts
from biascore_adapters.transformer.sentence import SentenceVector
from biascore_adapters.transformer.tokens import Input
from biascore_adapters.transformer.windows import check_no_windows

MAX_LOGITS: Final = 2**25
"""Logits held at once (128 MiB): positions times the size of the vocabulary."""


class OnnxRuntime:
    """The ``Runtime`` of ``onnx:``."""

    advice = "The weights are damaged, or too large for the precision that they were exported in: export the model again"

    def __init__(self, model: OnnxModel) -> None:
        self._graph, self._equal = model.graph, not model.padding
        self.width = model.graph.widths.get(HIDDEN, 0)
        usual = CPU_TOKENS if model.graph.on_cpu else ACCELERATOR_TOKENS
        self.budget = model.options.batch_tokens or (
            1 if model.folder.stated.dynamically_quantised else usual
        )
        if model.known.pad is None:
            self.budget = 1  # one text a run, and so no padding

    def batches(self, lengths: Mapping[int, int]) -> Iterator[list[int]]:
        """Of like length, under the token budget."""
        return batches(lengths, self.budget, equal=self._equal)

    def pooled(self, inputs: Sequence[Input], pools: Sequence[Sequence[Pool]]) -> npt.NDArray[np.float32]:
        """The pools of each text: float32 of shape (n, k * width)."""
        return pooled(self._graph.run(HIDDEN, inputs), pools)

    def log_probabilities(
        self, inputs: Sequence[Input], wanted: Sequence[Sequence[tuple[int, int]]]
    ) -> list[list[float]]:
        """log p of the (position, token) pairs of each text, in halves where their logits do not fit into memory."""
        everywhere = len(inputs) * max(len(one.ids) for one in inputs)
        held = sum(map(len, wanted)) if self._graph.takes_positions else everywhere
        middle = len(inputs) // 2
        if middle and held * self._graph.widths[LOGITS] > MAX_LOGITS:
            halves = (slice(middle), slice(middle, None))
            return [own for half in halves for own in self.log_probabilities(inputs[half], wanted[half])]
        places = [(row, position) for row, own in enumerate(wanted) for position, _ in own]
        number = {place: at for at, place in enumerate(dict.fromkeys(places))}
        logits = self._graph.run(LOGITS, inputs, list(number))
        tokens = (token for own in wanted for _, token in own)
        cells = [(number[place], token) for place, token in zip(places, tokens, strict=True)]
        found = iter(log_probabilities(logits, cells))
        return [[next(found) for _ in own] for own in wanted]

    def logits(self, inputs: Sequence[Input]) -> npt.NDArray[np.float64]:
        """Those of the sequence head: float64 of shape (n, labels)."""
        return self._graph.run(LOGITS, inputs).astype(np.float64)

    def close(self) -> None:
        """Let go of the session."""
        del self._graph


def opened(model: OnnxModel) -> Opened:
    """The model with what its graph's outputs allow to ask; raises ModelLoadError where they allow nothing."""
    graph, folder, known = model.graph, model.folder, model.known
    head = LOGITS in graph.widths and known.kind in ("masked", "causal", "head")
    kind = known.kind if head and (known.kind == "head") == graph.per_text else "encoder"
    if kind == "encoder" and HIDDEN not in graph.widths:
        raise ModelLoadError(_no_answers(model))
    labels, activation = model.options.labels, model.options.activation
    outputs = None
    if kind == "head":
        outputs = HeadOutputs.of(folder.files.config, graph.widths[LOGITS], labels, activation)
    else:
        check_no_head(folder.path, labels, activation)
    sentence = None
    if HIDDEN in graph.widths:
        sentence = SentenceVector.choose(
            folder.files,
            causal=known.causal,
            decoder=model.decoder,
            hidden=graph.widths[HIDDEN],
            asked=model.options.sentence,
            long_texts=model.options.long_texts,
        )
    facts = {
        "architecture": model.architecture,
        "kind": known.kind,
        "max_tokens": "none stated" if known.max_tokens is None else known.max_tokens,
        "precision": model.precision,
        "opset": folder.stated.opset,
        "exported_by": "biascore" if folder.exported else "another program",
        "provider": graph.provider,
        **model.facts,
        **({"threads": graph.threads} if graph.on_cpu else {}),
        "onnxruntime": onnxruntime.__version__,
    }
    runtime, generate = OnnxRuntime(model), None
    if kind == "causal":
        generate = GraphWriter(model, runtime.budget, MAX_LOGITS)
        facts |= generate.facts
    else:
        check_no_prompts(folder.path, model.options)
        check_no_windows(folder.path, model.options)
    return Opened(
        folder.files,
        runtime,
        model.reader,
        kind,
        sentence,
        outputs,
        facts,
        prompts=model.options,
        generate=generate,
    )


def _no_answers(model: OnnxModel) -> str:
    if "head" in model.facts:
        return (
            f"{model.folder.graph} gives only logits, which are {model.facts['head']}. Export it with the output "
            f"{HIDDEN!r}"
        )
    return (
        f"{model.folder.graph} gives only logits, and config.json names no model whose logits are known here (its "
        f"architecture is {model.architecture}). Export it with the output {HIDDEN!r}, or copy the configuration of "
        "the masked or causal language model, classifier or regressor that it is"
    )
