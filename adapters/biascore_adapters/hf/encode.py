"""The backend that embeds: batches of like length under a token budget, answers in the order asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import transformers

from biascore.errors import CapabilityError
from biascore.plugins_api import Backend, Cost, Identity, Level, Text, hookimpl
from biascore_adapters.hf.load import Loaded
from biascore_adapters.hf.options import HfOptions
from biascore_adapters.hf.threads import threads_fact
from biascore_adapters.hf.trunk import Trunk
from biascore_adapters.transformer.folder import ModelFolder
from biascore_adapters.transformer.pooling import Pool, Question, outside, shares
from biascore_adapters.transformer.sentence import SentenceVector


class EncoderBackend(Backend):
    """Embeddings of a transformer without its head."""

    batch = 1024  # enough texts at once that those of like length meet

    def __init__(self, folder: ModelFolder, options: HfOptions, loaded: Loaded) -> None:
        self._reader, self._trunk = loaded.reader, Trunk(loaded, options.batch_tokens, options.threads)
        self._folder, self._loaded = folder, loaded
        self.lacks = loaded.facts.get("head", "")
        self._asked = options.sentence
        self._sentence = SentenceVector.choose(
            folder,
            causal=loaded.causal,
            decoder=loaded.decoder,
            hidden=loaded.width,
            asked=options.sentence,
            long_texts=options.long_texts,
            allow_pickle=options.allow_pickle,
        )
        self._sentence.lower_case(loaded.reader)
        self.identity = Identity(
            digest=folder.digest(),
            revision=folder.revision,
            sentence_vector=self._sentence.described,
            facts={
                "architecture": type(loaded.model).__name__,
                "kind": loaded.kind,
                "hidden_size": loaded.width,
                "parameters": sum(weights.numel() for weights in loaded.model.parameters()),
                "max_tokens": "none stated" if loaded.reader.limit is None else loaded.reader.limit,
                **self._sentence.facts,
                **loaded.facts,
                "dtype": options.dtype,
                "device": str(loaded.device),
                **threads_fact(options.threads, loaded.device),
                "torch": torch.__version__,
                "transformers": transformers.__version__,
            },
        )

    @hookimpl
    def embed(self, texts: tuple[Text, ...], level: Level) -> npt.NDArray[np.float32]:
        """Embed the texts: float32 of shape (n, d).

        A row is NaN where every sub-token of the word (of the text, at level "sentence") is the tokenizer's
        unknown token. Raises QuestionError for a text that the model cannot take, AnswerError where the model
        computes something that is not a number.
        """
        questions = self._sentence.questions(self._reader, texts, level)
        width = self._trunk.width if level == "token" else self._sentence.width
        vectors = np.full((len(texts), width), np.nan, dtype=np.float32)
        lengths = {row: len(question.tokens.ids) for row, question in enumerate(questions) if question.pools}
        for rows in self._trunk.batches(lengths):
            some = [questions[row] for row in rows]
            pooled = self._trunk.in_halves(some, self._vectors, lambda question: question.text)
            vectors[rows] = pooled if level == "token" else self._sentence.pipeline.finish(np.stack(pooled))
        return vectors

    def cost(self, hook: str, questions: Sequence[Any], params: Mapping[str, str]) -> Cost:
        """One pass for each text that is not out of vocabulary; ``hook`` is "embed" unless a subclass answers it."""
        if hook != "embed":
            return super().cost(hook, questions, params)
        read = self._sentence.questions(self._reader, questions, params["level"])
        return Cost.of_passes(questions, [len(one.tokens.ids) for one in read if one.pools])

    def export(self, folder: Path, *, int8: bool = False) -> str:
        """Write the model as ONNX, to be opened as ``onnx:<folder>``."""
        from biascore_adapters.hf.export import export

        if self._asked is not None:
            raise CapabilityError(
                f"{self._folder.path} is open with sentence={self._asked!r}, and its copy would give the vectors that the "
                "folder declares. Leave the option sentence away, and set it when the copy is opened"
            )
        return export(self._folder, self._loaded, folder, int8=int8)

    def close(self) -> None:
        """Let go of the model and of the accelerator's memory."""
        device = self._trunk.device
        for part in (
            "_trunk",
            "_head",
            "_model",
            "_loaded",
        ):  # all that holds the model, whatever the kind of backend
            self.__dict__.pop(part, None)
        if device.type == "cuda":
            torch.cuda.empty_cache()

    def _vectors(self, questions: Sequence[Question]) -> list[npt.NDArray[np.float32]]:
        inputs = self._trunk.inputs(
            [question.tokens.ids for question in questions], [question.tokens.types for question in questions]
        )
        hidden = self._trunk.hidden(inputs).float()
        together = zip(*(question.pools for question in questions), strict=True)
        joined = torch.cat([self._pooled(hidden, pools) for pools in together], dim=1)
        return list(joined.cpu().numpy())

    def _pooled(self, hidden: torch.Tensor, pools: Sequence[Pool]) -> torch.Tensor:
        """One pool of each text, of states (n, t, width): (n, width)."""
        weights = shares(pools, hidden.shape[1])
        if weights is not None:
            return torch.einsum("nt,ntd->nd", torch.from_numpy(weights).to(hidden.device), hidden)
        elsewhere = torch.from_numpy(outside(pools, hidden.shape[1])).to(hidden.device)
        return hidden.masked_fill(elsewhere[:, :, None], -torch.inf).amax(dim=1)
