"""Sequence heads: the named outputs of classifiers and regressors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from biascore.plugins_api import Cost, hookimpl
from biascore_adapters.hf.encode import EncoderBackend
from biascore_adapters.hf.head import UnusableHead
from biascore_adapters.hf.load import Loaded
from biascore_adapters.hf.options import HfOptions
from biascore_adapters.hf.probe import few_tokens, moved
from biascore_adapters.transformer.folder import ModelFolder, first_line
from biascore_adapters.transformer.outputs import HeadOutputs
from biascore_adapters.transformer.probes import MOVES_HEAD
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
        self._config = config.get_text_config()
        pad = self._config.pad_token_id
        self._states_pad = pad is not None and 0 <= pad < loaded.reader.rows
        if self._states_pad:
            self._trunk.pad = pad
        self._named = HeadOutputs.of(config.to_dict(), int(config.num_labels or 0))
        try:
            self._logits([few_tokens(loaded)[0]])
        except Exception as error:  # whatever the head's own code raises
            raise UnusableHead(
                f"the head of {type(loaded.model).__name__} fails ({type(error).__name__}: {first_line(error)})"
            ) from error
        facts = {**self.identity.facts, "outputs": self._named.described}
        # A head that reads the state at the last place of a batch feels padding that moves no state.
        if self._trunk.padding and moved(loaded, self._logits):
            self._trunk.padding = False
            facts |= {"padding": MOVES_HEAD}
        self.identity = replace(self.identity, quantities=self._named.labels, facts=facts)

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
        ids, types = [tokens.ids for _, tokens in work], [tokens.types for _, tokens in work]
        values = self._named.values(self._logits(ids, types)[:, 0])
        return [[float(value) for value in row] for row in values]

    def _logits(
        self, ids: Sequence[Sequence[int]], types: Sequence[Sequence[int] | None] | None = None
    ) -> npt.NDArray[np.float64]:
        """The head's logits for some texts, (n, 1, labels)."""
        with torch.inference_mode(), self._padding_for(ids):
            inputs = self._trunk.inputs(ids, types or [None] * len(ids))
            logits: npt.NDArray[np.float64] = self._model(**inputs).logits.double().cpu().numpy()
        return logits[:, None]

    @contextmanager
    def _padding_for(self, ids: Sequence[Sequence[int]]) -> Iterator[None]:
        """With an id as padding that no text ends with, where the configuration states none; put back after it."""
        if self._states_pad:
            yield
            return
        before, ends = self._config.pad_token_id, {own[-1] for own in ids}
        self._trunk.pad = next(i for i in range(len(ends) + 1) if i not in ends)
        self._config.pad_token_id = self._trunk.pad
        try:
            yield
        finally:
            self._config.pad_token_id = before
