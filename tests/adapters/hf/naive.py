"""A third runtime in one file: the whole model on one text at a time, by transformers, with none of ``hf:``'s ways."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch
import transformers

from biascore.api.adapters import Adapter, Backend, LoadContext, ModelRef, Options
from biascore_adapters.transformer import runtimes_api as api

AUTO = {
    "encoder": transformers.AutoModel,
    "decoder": transformers.AutoModel,
    "masked": transformers.AutoModelForMaskedLM,
    "causal": transformers.AutoModelForCausalLM,
    "head": transformers.AutoModelForSequenceClassification,
}


class NaiveRuntime:
    advice = "Try another model"

    def __init__(self, model: Any) -> None:
        self._model = model.eval()
        self.width = model.config.hidden_size

    def batches(self, lengths: Mapping[int, int]) -> Iterator[list[int]]:
        return ([row] for row in lengths)

    def pooled(
        self, inputs: Sequence[api.Input], pools: Sequence[Sequence[api.Pool]]
    ) -> npt.NDArray[np.float32]:
        return api.pooled(self._run(inputs).hidden_states[-1].numpy(), pools)

    def log_probabilities(
        self, inputs: Sequence[api.Input], wanted: Sequence[Sequence[tuple[int, int]]]
    ) -> list[list[float]]:
        logits = self._run(inputs).logits.numpy()
        return [api.log_probabilities(some, own) for some, own in zip(logits, wanted, strict=True)]

    def logits(self, inputs: Sequence[api.Input]) -> npt.NDArray[np.float64]:
        return np.asarray(self._run(inputs).logits.double().numpy())

    def close(self) -> None:
        del self._model

    def _run(self, inputs: Sequence[api.Input]) -> Any:
        arrays = api.padded(inputs, 0)
        if inputs[0].types is None:
            del arrays["token_type_ids"]
        tensors = {name: torch.from_numpy(values) for name, values in arrays.items()}
        with torch.inference_mode():
            return self._model(**tensors, output_hidden_states=True)


class NaiveAdapter(Adapter):
    id: ClassVar[str] = "naive"
    summary: ClassVar[str] = "transformers, one text at a time"
    example: ClassVar[str] = "naive:./model"
    capabilities: ClassVar[frozenset[str]] = frozenset({"embed", "mask_logprob", "score"})

    def load(self, ref: ModelRef, options: Options, context: LoadContext) -> Backend:
        path = Path(ref.locator)
        config = api.read_json_file(path / "config.json")
        weights = (path / "model.safetensors",)
        folder = api.ModelFolder(path, None, config, weights, api.modules_of(path))
        tokenizer = api.tokenizer_of(folder)
        known = api.stated(folder, tokenizer)
        runtime = NaiveRuntime(AUTO[known.kind].from_pretrained(path, dtype=torch.float32))
        opened = api.Opened(
            folder=folder,
            runtime=runtime,
            reader=api.Reader(tokenizer, known.max_tokens, known.rows),
            kind=known.kind,
            sentence=api.SentenceVector.choose(
                folder,
                causal=known.causal,
                decoder=api.is_decoder(config),
                hidden=runtime.width,
                asked=None,
            ),
            outputs=api.HeadOutputs.of(config, runtime._model.num_labels) if known.kind == "head" else None,
        )
        return api.backend_of(opened)
