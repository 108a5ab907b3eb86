"""The backend that embeds: batches of like length under a token budget, answers in the order asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import transformers

from biascore.plugins_api import Backend, Cost, Identity, Level, Text, hookimpl
from biascore_adapters.hf.load import Loaded
from biascore_adapters.hf.options import HfOptions
from biascore_adapters.hf.trunk import Trunk
from biascore_adapters.transformer.folder import ModelFolder
from biascore_adapters.transformer.pooling import SentenceVector, sentence_positions, word_positions
from biascore_adapters.transformer.tokens import Tokens


class EncoderBackend(Backend):
    """Embeddings of a transformer without its head."""

    batch = 1024  # enough texts at once that those of like length meet

    def __init__(self, folder: ModelFolder, options: HfOptions, loaded: Loaded) -> None:
        self._reader, self._trunk = loaded.reader, Trunk(loaded, options.batch_tokens)
        self._folder, self._loaded = folder, loaded
        sentence = SentenceVector.choose(folder, causal=loaded.causal, asked=options.sentence)
        self._pooling = sentence.pooling
        self.identity = Identity(
            digest=folder.digest(),
            revision=folder.revision,
            sentence_vector=sentence.described,
            facts={
                "architecture": type(loaded.model).__name__,
                "kind": loaded.kind,
                "hidden_size": loaded.width,
                "parameters": sum(weights.numel() for weights in loaded.model.parameters()),
                "max_tokens": "none stated" if loaded.reader.limit is None else loaded.reader.limit,
                "sentence": sentence.pooling,
                "dtype": options.dtype,
                "device": str(loaded.device),
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
        questions = self._questions(texts, level)
        vectors = np.full((len(texts), self._trunk.width), np.nan, dtype=np.float32)
        lengths = {
            row: len(question.tokens.ids) for row, question in enumerate(questions) if question.positions
        }
        for rows in self._trunk.batches(lengths):
            some = [questions[row] for row in rows]
            vectors[rows] = self._trunk.in_halves(some, self._vectors, lambda question: question.text)
        return vectors

    def cost(self, hook: str, questions: Sequence[Any], params: Mapping[str, str]) -> Cost:
        """One pass for each text that is not out of vocabulary; ``hook`` is "embed" unless a subclass answers it."""
        if hook != "embed":
            return super().cost(hook, questions, params)
        read = self._questions(questions, params["level"])
        return Cost.of_passes(questions, [len(one.tokens.ids) for one in read if one.positions])

    def export(self, folder: Path, *, int8: bool = False) -> str:
        """Write the model as ONNX, to be opened as ``onnx:<folder>``."""
        from biascore_adapters.hf.export import export

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

    def _questions(self, texts: Sequence[Text], level: str) -> list[_Question]:
        tokens = self._reader.read([text.text for text in texts])
        place = word_positions if level == "token" else self._sentence_positions
        return [
            _Question(text.text, read, place(text, read)) for text, read in zip(texts, tokens, strict=True)
        ]

    def _sentence_positions(self, text: Text, tokens: Tokens) -> Sequence[int]:
        return sentence_positions(text, tokens, self._pooling)

    def _vectors(self, questions: Sequence[_Question]) -> list[npt.NDArray[np.float32]]:
        inputs = self._trunk.inputs(
            [question.tokens.ids for question in questions], [question.tokens.types for question in questions]
        )
        shares = np.zeros(inputs["input_ids"].shape, dtype=np.float32)
        for row, question in enumerate(questions):
            shares[row, list(question.positions)] = 1 / len(question.positions)
        hidden = self._trunk.hidden(inputs).float()
        weights = torch.from_numpy(shares).to(self._trunk.device)
        return list(torch.einsum("nt,ntd->nd", weights, hidden).cpu().numpy())


@dataclass(frozen=True, slots=True)
class _Question:
    """A text, its tokens, and which of their states make its vector; none where it is out of vocabulary."""

    text: str
    tokens: Tokens
    positions: Sequence[int]
