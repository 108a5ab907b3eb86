"""Causal language models: the log-likelihood of a text, token by token from left to right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from biascore.errors import QuestionError
from biascore.plugins_api import Cost, hookimpl
from biascore_adapters.hf.encode import EncoderBackend
from biascore_adapters.hf.head import VocabularyHead
from biascore_adapters.hf.load import Loaded
from biascore_adapters.hf.options import HfOptions
from biascore_adapters.transformer.folder import ModelFolder
from biascore_adapters.transformer.tokens import Tokens, shown

LOG_LIKELIHOOD = "log_likelihood"
_Work = tuple[str, Sequence[int], Sequence[int]]


class CausalBackend(EncoderBackend):
    """Embeddings and log-likelihoods of a causal language model.

    Where the tokenizer has a beginning-of-text token, the text is scored given it, whether or not the
    tokenizer puts it in front by itself; where it has none, the first token has nothing to be scored
    given and is left out. ``Identity.facts["bos"]`` says which.
    """

    def __init__(self, folder: ModelFolder, options: HfOptions, loaded: Loaded) -> None:
        super().__init__(folder, options, loaded)
        self._head = VocabularyHead(loaded.model, loaded.device)
        self._bos = loaded.reader.tokenizer.bos_token_id
        policy = (
            "no beginning-of-text token: the first token of a text is not scored"
            if self._bos is None
            else f"every token of a text is scored, the first given {loaded.reader.tokenizer.bos_token!r}"
        )
        self.identity = replace(
            self.identity, quantities=(LOG_LIKELIHOOD,), facts={**self.identity.facts, "bos": policy}
        )

    @hookimpl
    def score(self, texts: tuple[str, ...], quantity: str) -> npt.NDArray[np.float64]:
        """Log-likelihood of each text: the sum over its tokens, in nats, float64 of shape (n,).

        Raises QuestionError for any other quantity and for a text with nothing to score, AnswerError naming
        the text where the model computes no number.
        """
        work = self._all_work(texts, quantity)
        scores = np.empty(len(texts))
        for rows in self._trunk.batches({row: len(ids) for row, (_, ids, _) in enumerate(work)}):
            some = [work[row] for row in rows]
            scores[rows] = self._trunk.in_halves(some, self._log_likelihoods, lambda one: one[0])
        return scores

    def cost(self, hook: str, questions: Sequence[Any], params: Mapping[str, str]) -> Cost:
        """One pass for each text, with the beginning-of-text token that it is scored given."""
        if hook != "score":
            return super().cost(hook, questions, params)
        work = self._all_work(questions, params["quantity"])
        return Cost.of_passes(questions, [len(ids) for _, ids, _ in work])

    def _all_work(self, texts: Sequence[str], quantity: str) -> list[_Work]:
        if quantity != LOG_LIKELIHOOD:
            raise QuestionError(
                f"a causal language model has no output {quantity!r}. Ask for {LOG_LIKELIHOOD!r}"
            )
        return [
            self._work(text, tokens) for text, tokens in zip(texts, self._reader.read(texts), strict=True)
        ]

    def _work(self, text: str, tokens: Tokens) -> _Work:
        """The ids that the model reads, and the positions of those that are scored."""
        ids, own = list(tokens.ids), tokens.pieces()
        if self._bos is not None and ids[:1] != [self._bos]:
            ids, own = [self._bos, *ids], [i + 1 for i in own]
            self._reader.check_length(text, len(ids))
        scored = [i for i in own if i > 0]
        if not scored:
            raise QuestionError(
                f"the text {shown(text)} is one token, and this tokenizer has no beginning-of-text token to score it "
                "given. Use a longer text"
            )
        return text, ids, scored

    def _log_likelihoods(self, work: Sequence[_Work]) -> list[float]:
        inputs = self._trunk.inputs([ids for _, ids, _ in work], [None] * len(work))
        hidden = self._trunk.hidden(inputs)
        places = [(row, i) for row, (_, _, scored) in enumerate(work) for i in scored]
        rows = torch.tensor([row for row, _ in places], device=hidden.device)
        before = torch.tensor([i - 1 for _, i in places], device=hidden.device)
        wanted = [(number, work[row][1][i]) for number, (row, i) in enumerate(places)]
        logprobs = iter(self._head.log_probabilities(hidden[rows, before], wanted))
        return [sum(next(logprobs) for _ in scored) for _, _, scored in work]
