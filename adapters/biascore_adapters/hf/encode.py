"""The backend that embeds: batches of like length under a token budget, answers in the order asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
import transformers

from biascore.errors import AnswerError
from biascore.plugins_api import Backend, Identity, Level, Text, hookimpl
from biascore_adapters.hf.load import Loaded
from biascore_adapters.hf.options import HfOptions
from biascore_adapters.hf.trunk import Trunk
from biascore_adapters.transformer.folder import ModelFolder
from biascore_adapters.transformer.pooling import SentenceVector, sentence_positions, word_positions
from biascore_adapters.transformer.tokens import Tokens, shown


class EncoderBackend(Backend):
    """Embeddings of a transformer without its head."""

    batch = 1024  # enough texts at once that those of like length meet

    def __init__(self, folder: ModelFolder, options: HfOptions, loaded: Loaded) -> None:
        self._reader, self._trunk = loaded.reader, Trunk(loaded, options.batch_tokens)
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
        tokens = self._reader.read([text.text for text in texts])
        place = word_positions if level == "token" else self._sentence_positions
        questions = [
            _Question(text.text, read, place(text, read)) for text, read in zip(texts, tokens, strict=True)
        ]
        vectors = np.full((len(texts), self._trunk.width), np.nan, dtype=np.float32)
        lengths = {
            row: len(question.tokens.ids) for row, question in enumerate(questions) if question.positions
        }
        for rows in self._trunk.batches(lengths):
            some = [questions[row] for row in rows]
            vectors[rows] = self._trunk.in_halves(some, self._vectors, lambda question: question.text)
        return vectors

    def close(self) -> None:
        """Let go of the model and of the accelerator's memory."""
        device = self._trunk.device
        for part in ("_trunk", "_head", "_model"):  # all that holds the model, whatever the kind of backend
            self.__dict__.pop(part, None)
        if device.type == "cuda":
            torch.cuda.empty_cache()

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
        vectors = torch.einsum("nt,ntd->nd", weights, hidden).cpu().numpy()
        _check_finite(questions, vectors)
        return list(vectors)


@dataclass(frozen=True, slots=True)
class _Question:
    """A text, its tokens, and which of their states make its vector; none where it is out of vocabulary."""

    text: str
    tokens: Tokens
    positions: Sequence[int]


def _check_finite(questions: Sequence[_Question], vectors: npt.NDArray[np.float32]) -> None:
    """Raise AnswerError for a vector with NaN or infinity in it: NaN must mean "out of vocabulary" only."""
    broken = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(broken):
        raise AnswerError(
            f"the model computes no number for the text {shown(questions[broken[0]].text)}. With dtype "
            "'float16' the option dtype='float32' may help; otherwise the weights are damaged: fetch the "
            "model again"
        )
