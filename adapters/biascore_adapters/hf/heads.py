"""Sequence heads: the named outputs of classifiers and regressors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import torch

from biascore.errors import AnswerError, QuestionError
from biascore.plugins_api import hookimpl
from biascore_adapters.hf.encode import EncoderBackend
from biascore_adapters.hf.load import Loaded
from biascore_adapters.hf.options import HfOptions
from biascore_adapters.transformer.folder import ModelFolder
from biascore_adapters.transformer.tokens import Tokens, shown

_Work = tuple[str, Tokens]


class HeadBackend(EncoderBackend):
    """Embeddings and head outputs of a sequence-classification or -regression model.

    A regressor (or a single output) gives its raw value; several labels of which one holds, softmax
    probabilities; labels that may hold together (``multi_label_classification``), sigmoids.
    ``Identity.facts["outputs"]`` says what there is.
    """

    def __init__(self, folder: ModelFolder, options: HfOptions, loaded: Loaded) -> None:
        super().__init__(folder, options, loaded)
        self._model = loaded.model
        config = loaded.model.config
        if config.pad_token_id is None:
            config.pad_token_id = self._trunk.pad  # decoders find their last token by it
        names: dict[int, str] = config.id2label  # type: ignore[assignment]  # keys are integers once loaded
        labels = [names[i] for i in sorted(names)]
        self._labels = ["score"] if labels == ["LABEL_0"] else labels
        problem = config.problem_type
        if problem == "regression" or (problem is None and len(labels) == 1):
            self._unit = "raw values"
        elif problem == "multi_label_classification" or len(labels) == 1:
            self._unit = "probabilities, each label by itself (sigmoid)"
        else:
            self._unit = "probabilities, together 1 (softmax)"
        outputs = f"{', '.join(self._labels)}: {self._unit}"
        self.identity = replace(self.identity, facts={**self.identity.facts, "outputs": outputs})

    @hookimpl
    def score(self, texts: tuple[str, ...], quantity: str) -> npt.NDArray[np.float64]:
        """The output named ``quantity`` for each text: float64 of shape (n,).

        Raises QuestionError for a name that the head does not have, AnswerError naming the text where the
        model computes no number.
        """
        if quantity not in self._labels:
            raise QuestionError(
                f"the head has no output {quantity!r}; it has {', '.join(map(repr, self._labels))}. Ask for one of them"
            )
        column = self._labels.index(quantity)
        work = list(zip(texts, self._reader.read(texts), strict=True))
        scores = np.empty(len(texts))
        for rows in self._trunk.batches({row: len(tokens.ids) for row, (_, tokens) in enumerate(work)}):
            outputs = self._trunk.in_halves([work[row] for row in rows], self._outputs, lambda one: one[0])
            scores[rows] = [output[column] for output in outputs]
        broken = np.flatnonzero(~np.isfinite(scores))
        if len(broken):
            raise AnswerError(
                f"the model computes no number for the text {shown(texts[broken[0]])}. With a 16-bit dtype the "
                "option dtype='float32' may help; otherwise the weights are damaged: fetch the model again"
            )
        return scores

    def _outputs(self, work: Sequence[_Work]) -> list[list[float]]:
        inputs = self._trunk.inputs([tokens.ids for _, tokens in work], [tokens.types for _, tokens in work])
        logits: torch.Tensor = self._model(**inputs).logits.double()
        if "softmax" in self._unit:
            logits = logits.softmax(dim=-1)
        elif "sigmoid" in self._unit:
            logits = logits.sigmoid()
        return [[float(value) for value in row] for row in logits.cpu()]
