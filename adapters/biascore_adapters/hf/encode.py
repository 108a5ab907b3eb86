"""The backend that embeds: batches of like length under a token budget, answers in the order asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
import transformers

from biascore.errors import AnswerError, QuestionError
from biascore.plugins_api import Backend, Identity, Level, Text, hookimpl
from biascore_adapters.hf.load import Loaded
from biascore_adapters.hf.options import HfOptions
from biascore_adapters.transformer.batching import batches
from biascore_adapters.transformer.folder import ModelFolder
from biascore_adapters.transformer.pooling import SentenceVector, sentence_positions, word_positions
from biascore_adapters.transformer.tokens import Tokens, shown


class EncoderBackend(Backend):
    """Embeddings of a transformer without its head."""

    batch = 1024  # enough texts at once that those of like length meet

    def __init__(self, folder: ModelFolder, options: HfOptions, loaded: Loaded) -> None:
        self._model, self._reader, self._device = loaded.model, loaded.reader, loaded.device
        # measured: on a CPU the states of more tokens than this leave the cache, and cost half as much again
        self._width = loaded.width
        self._budget = options.batch_tokens or (2048 if loaded.device.type == "cpu" else 16384)
        tokenizer = loaded.reader.tokenizer
        # any id would do behind a mask, but the convolutions of some models see through it
        pads = (tokenizer.pad_token_id, tokenizer.eos_token_id, 0)
        self._pad = next(pad for pad in pads if pad is not None and pad < loaded.reader.rows)
        sentence = SentenceVector.choose(folder, causal=loaded.causal, asked=options.sentence)
        self._pooling = sentence.pooling
        self.identity = Identity(
            digest=folder.digest(),
            revision=folder.revision,
            sentence_vector=sentence.described,
            facts={
                "architecture": type(loaded.model).__name__,
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
        vectors = np.full((len(texts), self._width), np.nan, dtype=np.float32)
        lengths = {
            row: len(question.tokens.ids) for row, question in enumerate(questions) if question.positions
        }
        for rows in batches(lengths, self._budget):
            vectors[rows] = self._vectors([questions[row] for row in rows])
        return vectors

    def close(self) -> None:
        """Let go of the model and of the accelerator's memory."""
        del self._model
        if self._device.type == "cuda":
            torch.cuda.empty_cache()

    def _sentence_positions(self, text: Text, tokens: Tokens) -> Sequence[int]:
        return sentence_positions(text, tokens, self._pooling)

    def _vectors(self, questions: Sequence[_Question]) -> npt.NDArray[np.float32]:
        """The vectors of one batch, in halves where the accelerator's memory does not hold it."""
        try:
            return self._forward(questions)
        except torch.cuda.OutOfMemoryError as error:
            if len(questions) == 1:
                raise QuestionError(
                    f"the text {shown(questions[0].text)} ({len(questions[0].tokens.ids)} tokens) does not "
                    f"fit into the memory of {self._device}. Use the option device='cpu' or dtype='bfloat16'"
                ) from error
        # outside the except clause, which would keep the tensors of the failed attempt alive
        middle = len(questions) // 2
        return np.concatenate([self._vectors(questions[:middle]), self._vectors(questions[middle:])])

    def _forward(self, questions: Sequence[_Question]) -> npt.NDArray[np.float32]:
        shape = len(questions), max(len(question.tokens.ids) for question in questions)
        inputs = {"input_ids": np.full(shape, self._pad), "attention_mask": np.zeros(shape, dtype=np.int64)}
        if questions[0].tokens.types is not None:
            inputs["token_type_ids"] = np.zeros(shape, dtype=np.int64)
        shares = np.zeros(shape, dtype=np.float32)
        for row, question in enumerate(questions):
            length = len(question.tokens.ids)
            inputs["input_ids"][row, :length] = question.tokens.ids
            inputs["attention_mask"][row, :length] = 1
            if question.tokens.types is not None:
                inputs["token_type_ids"][row, :length] = question.tokens.types
            shares[row, list(question.positions)] = 1 / len(question.positions)
        with torch.inference_mode():
            on_device = {name: torch.from_numpy(values).to(self._device) for name, values in inputs.items()}
            hidden = self._model(**on_device).last_hidden_state.float()
            vectors = (
                torch.einsum("nt,ntd->nd", torch.from_numpy(shares).to(self._device), hidden).cpu().numpy()
            )
        _check_finite(questions, vectors)
        return vectors


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
