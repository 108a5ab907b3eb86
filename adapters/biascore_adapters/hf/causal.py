"""Causal language models: the log-likelihood of a text, token by token from left to right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from biascore.plugins_api import Cost, hookimpl
from biascore_adapters.hf.encode import EncoderBackend
from biascore_adapters.hf.head import VocabularyHead
from biascore_adapters.hf.load import Loaded
from biascore_adapters.hf.options import HfOptions
from biascore_adapters.transformer.causal import LOG_LIKELIHOOD, CausalReader, ScoredText
from biascore_adapters.transformer.folder import ModelFolder


class CausalBackend(EncoderBackend):
    """Embeddings and log-likelihoods of a causal language model.

    Where the tokenizer has a beginning-of-text token, the text is scored given it, whether or not the
    tokenizer puts it in front by itself; where it has none, the first token has nothing to be scored
    given and is left out. ``Identity.facts["bos"]`` says which.
    """

    def __init__(self, folder: ModelFolder, options: HfOptions, loaded: Loaded) -> None:
        super().__init__(folder, options, loaded)
        self._head = VocabularyHead(loaded)
        self._texts = CausalReader(loaded.reader)
        self.identity = replace(
            self.identity,
            quantities=(LOG_LIKELIHOOD,),
            facts={**self.identity.facts, "bos": self._texts.policy},
        )

    @hookimpl
    def score(self, texts: tuple[str, ...], quantity: str) -> npt.NDArray[np.float64]:
        """Log-likelihood of each text: the sum over its tokens, in nats, float64 of shape (n,).

        Raises QuestionError for any other quantity and for a text with nothing to score, AnswerError naming
        the text where the model computes no number.
        """
        work = self._texts.read(texts, quantity)
        scores = np.empty(len(texts))
        for rows in self._trunk.batches({row: len(one.ids) for row, one in enumerate(work)}):
            some = [work[row] for row in rows]
            scores[rows] = self._trunk.in_halves(some, self._log_likelihoods, lambda one: one.text)
        return scores

    def cost(self, hook: str, questions: Sequence[Any], params: Mapping[str, str]) -> Cost:
        """One pass for each text, with the beginning-of-text token that it is scored given."""
        if hook != "score":
            return super().cost(hook, questions, params)
        work = self._texts.read(questions, params["quantity"])
        return Cost.of_passes(questions, [len(one.ids) for one in work])

    def _log_likelihoods(self, work: Sequence[ScoredText]) -> list[float]:
        hidden = self._trunk.hidden(self._trunk.inputs([one.ids for one in work], [None] * len(work)))
        places = [(row, i) for row, one in enumerate(work) for i in one.scored]
        rows = torch.tensor([row for row, _ in places], device=hidden.device)
        before = torch.tensor([i - 1 for _, i in places], device=hidden.device)
        wanted = [(number, work[row].ids[i]) for number, (row, i) in enumerate(places)]
        logprobs = iter(self._head.log_probabilities(hidden[rows, before], wanted))
        return [sum(next(logprobs) for _ in one.scored) for one in work]
