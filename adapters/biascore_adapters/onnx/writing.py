"""Texts from an exported graph, which keeps no keys and values: each token takes a pass over all before it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from biascore.api.writing import Settings
from biascore_adapters.onnx.graph import LOGITS
from biascore_adapters.onnx.model import OnnxModel
from biascore_adapters.transformer.batching import batches
from biascore_adapters.transformer.folder import GENERATION, read_json_file
from biascore_adapters.transformer.generating import Generating, noise_of
from biascore_adapters.transformer.tokens import Input


class GraphWriter(Generating):
    """Writes after prompts of one length; the draws are those of ``hf:`` for the same seeds and logits."""

    def __init__(self, model: OnnxModel, budget: int, most_logits: int) -> None:
        super().__init__(model.reader, model.options, _ends(model))
        self._graph = model.graph
        whole = 1 if model.graph.takes_positions else model.graph.widths[LOGITS]
        self._budget = min(budget, max(1, most_logits // whole))

    def _batches(self, lengths: Mapping[int, int]) -> Iterator[list[int]]:
        return batches(lengths, self._budget, equal=True)

    def _ids(
        self, inputs: Sequence[Input], seeds: Sequence[int | None], settings: Settings
    ) -> list[list[int]]:
        start = len(inputs[0].ids)
        texts = [list(one.ids) for one in inputs]
        noise = [
            None if seed is None else noise_of(seed, one.text)
            for seed, one in zip(seeds, inputs, strict=True)
        ]
        going = [*range(len(texts))]
        for _ in range(settings.max_tokens):
            rows = [Input(texts[row], text=inputs[row].text) for row in going]
            logits = self._graph.run(LOGITS, rows, [(at, len(one.ids) - 1) for at, one in enumerate(rows)])
            for row, scores in zip(going, logits, strict=True):
                texts[row].append(_next(scores, noise[row], settings))
            going = [row for row in going if texts[row][-1] not in self._ends]
            if not going:
                break
        return [text[start:] for text in texts]


def _next(scores: npt.NDArray[np.float32], noise: np.random.Generator | None, settings: Settings) -> int:
    """The most probable token, or one that is drawn (Gumbel 1954) from those that have ``top_p`` of the probability."""
    if noise is None:
        return int(scores.argmax())
    scores = scores / np.float32(settings.temperature)
    if settings.top_p < 1:
        order = np.argsort(-scores, kind="stable")
        shares = np.exp(scores[order] - scores.max())
        shares /= shares.sum()
        scores[order[np.cumsum(shares) - shares >= settings.top_p]] = -np.inf
    return int((scores + noise.gumbel(size=len(scores)).astype(np.float32)).argmax())


def _ends(model: OnnxModel) -> Any:
    """The tokens that end a text, as the generation settings next to the graph state them, else the configuration."""
    path = model.folder.path / GENERATION[0]
    if not path.is_file():
        return model.folder.files.config.get("eos_token_id")
    stated = read_json_file(path)
    return stated.get("eos_token_id") if isinstance(stated, dict) else None
