"""Sequence heads: the named outputs of classifiers and regressors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from biascore.plugins_api import Cost, hookimpl
from biascore_adapters.hf.encode import EncoderBackend
from biascore_adapters.hf.load import Loaded
from biascore_adapters.hf.options import HfOptions
from biascore_adapters.transformer.folder import ModelFolder
from biascore_adapters.transformer.outputs import HeadOutputs
from biascore_adapters.transformer.tokens import Tokens

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
        # Decoders find the last token of a text by the padding behind it.
        self._states_pad = config.pad_token_id is not None and 0 <= config.pad_token_id < loaded.reader.rows
        if self._states_pad:
            self._trunk.pad = config.pad_token_id
        self._named = HeadOutputs.of(config.to_dict(), int(config.num_labels or 0))
        self.identity = replace(
            self.identity,
            quantities=self._named.labels,
            facts={**self.identity.facts, "outputs": self._named.described},
        )

    @hookimpl
    def score(self, texts: tuple[str, ...], quantity: str) -> npt.NDArray[np.float64]:
        """The output named ``quantity`` for each text: float64 of shape (n,).

        Raises QuestionError for a name that the head does not have, AnswerError naming the text where the
        model computes no number.
        """
        column = self._named.column(quantity)
        work = list(zip(texts, self._reader.read(texts), strict=True))
        scores = np.empty(len(texts))
        for rows in self._trunk.batches({row: len(tokens.ids) for row, (_, tokens) in enumerate(work)}):
            outputs = self._trunk.in_halves([work[row] for row in rows], self._outputs, lambda one: one[0])
            scores[rows] = [output[column] for output in outputs]
        return scores

    def cost(self, hook: str, questions: Sequence[Any], params: Mapping[str, str]) -> Cost:
        """One pass for each text."""
        if hook != "score":
            return super().cost(hook, questions, params)
        self._named.column(params["quantity"])
        return Cost.of_passes(questions, [len(tokens.ids) for tokens in self._reader.read(questions)])

    def _outputs(self, work: Sequence[_Work]) -> list[list[float]]:
        if not self._states_pad:  # then any id will do with which no text ends
            ends = {tokens.ids[-1] for _, tokens in work}
            self._trunk.pad = next(i for i in range(len(ends) + 1) if i not in ends)
            self._model.config.pad_token_id = self._trunk.pad
        inputs = self._trunk.inputs([tokens.ids for _, tokens in work], [tokens.types for _, tokens in work])
        logits = self._model(**inputs).logits.double().cpu().numpy()
        return [[float(value) for value in row] for row in self._named.values(logits)]
