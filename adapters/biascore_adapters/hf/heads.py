"""Sequence heads: the logits of classifiers and regressors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt
import torch

from biascore_adapters.hf.head import UnusableHead
from biascore_adapters.hf.load import Loaded
from biascore_adapters.hf.probe import few_tokens, moved
from biascore_adapters.hf.trunk import Trunk
from biascore_adapters.transformer.folder import first_line
from biascore_adapters.transformer.probes import MOVES_HEAD
from biascore_adapters.transformer.tokens import Input


class SequenceHead:
    """The whole of a model with such a head, run in the batches of its trunk.

    A head that reads the state at the last place of a batch feels padding that moves no state: then only texts of
    equal length share one, and ``facts`` says so. Raises UnusableHead where the head fails on a few tokens.
    """

    def __init__(self, loaded: Loaded, trunk: Trunk) -> None:
        self._model, self._trunk = loaded.model, trunk
        # Decoders find the last token of a text by the padding behind it.
        self._config = loaded.model.config.get_text_config()
        pad = self._config.pad_token_id
        self._states_pad = pad is not None and 0 <= pad < loaded.reader.rows
        if self._states_pad:
            trunk.pad = pad
        try:
            self.logits([Input(few_tokens(loaded)[0])])
        except Exception as error:  # whatever the head's own code raises
            raise UnusableHead(
                f"the head of {type(loaded.model).__name__} fails ({type(error).__name__}: {first_line(error)})"
            ) from error
        self.facts: dict[str, str] = {}

        def run(texts: Sequence[Sequence[int]]) -> list[npt.NDArray[np.float64]]:
            return list(self.logits([Input(ids) for ids in texts])[:, None])

        if trunk.padding and moved(loaded, run):
            trunk.padding = False
            self.facts["padding"] = MOVES_HEAD

    def logits(self, inputs: Sequence[Input]) -> npt.NDArray[np.float64]:
        """The logits for some texts, (n, labels)."""
        with torch.inference_mode(), self._padding_for(inputs):
            tensors = self._trunk.tensors(inputs)
            logits: npt.NDArray[np.float64] = self._model(**tensors).logits.double().cpu().numpy()
        return logits

    @contextmanager
    def _padding_for(self, inputs: Sequence[Input]) -> Iterator[None]:
        """With an id as padding that no text ends with, where the configuration states none; put back after it."""
        if self._states_pad:
            yield
            return
        before, ends = self._config.pad_token_id, {one.ids[-1] for one in inputs}
        self._trunk.pad = next(i for i in range(len(ends) + 1) if i not in ends)
        self._config.pad_token_id = self._trunk.pad
        try:
            yield
        finally:
            self._config.pad_token_id = before
