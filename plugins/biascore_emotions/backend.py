"""What a scorer answers: the scores of its heads for texts, or for what an encoder makes of them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from biascore.api.adapters import Backend, Cost, Identity, Model, find_output, hookimpl
from biascore.api.queries import Familiarity, Text
from biascore.api.support import quoted
from biascore.errors import AnswerError, QuestionError
from biascore_emotions.features import vectors_of
from biascore_emotions.folder import Scorer


class ScorerBackend(Backend):
    """Answers ``score`` with the mean over the heads of an emotion ("anger"), or one of them ("anger@1").

    No vectors are held between calls: their answers are kept, and what a plan probes takes as long as in a run.
    """

    batch = 1024  # enough texts at once that an encoder finds some of like length

    def __init__(self, scorer: Scorer, encoder: Model | None) -> None:
        self._scorer = scorer
        self._encoder = encoder
        facts = scorer.record.facts
        digest = scorer.digest
        if encoder is not None:
            both = f"{scorer.digest} {encoder.identity.revision} {encoder.identity.digest}"
            digest = f"sha256:{hashlib.sha256(both.encode()).hexdigest()}"
            own = {f"encoder {name}": fact for name, fact in encoder.identity.facts.items()}
            facts |= {"encoder digest": encoder.identity.digest, **own}
        self.identity = Identity(digest, quantities=scorer.quantities, facts=facts)

    @hookimpl
    def score(self, texts: tuple[str, ...], quantity: str) -> npt.NDArray[np.float64]:
        """Scores, float64 of shape (n,), mostly within 0 to 1.

        Raises QuestionError for an emotion or seed that it has not, and for a text of which the encoder knows no word.
        """
        name = self._quantity(quantity)
        scores = self._scorer.predict(name, texts if self._encoder is None else self._embedded(texts))
        broken = np.flatnonzero(~np.isfinite(scores))
        if len(broken):
            raise AnswerError(
                f"the scorer computes no number for {quoted(texts[broken[0]])}. Train it again, on other texts or with "
                "another head"
            )
        return scores

    def familiarity(self, words: Sequence[str]) -> Sequence[Familiarity]:
        """Whether it goes by each word: of tf-idf those that the heads of all emotions know, else what the encoder says."""
        if self._encoder is not None:
            return self._encoder.familiarity(words)
        return [Familiarity(seen=self._scorer.knows(word)) for word in words]

    def cost(self, hook: str, questions: Sequence[Any], params: Any) -> Cost:
        """The cost of embedding the texts, for each emotion that is asked of them."""
        if hook != "score":
            return super().cost(hook, questions, params)
        self._quantity(params["quantity"])
        if self._encoder is None:
            return Cost.of_passes(questions, [0] * len(questions)).model_copy(update={"tokens": None})
        return self._encoder.cost_of("embed", [Text(text) for text in questions], {"level": "sentence"})

    def close(self) -> None:
        if self._encoder is not None:
            self._encoder.close()

    def _quantity(self, asked: str) -> str:
        found = find_output(asked, self._scorer.quantities)
        if found is None:
            raise QuestionError(
                f"the scorer has no output {quoted(asked)}; it has {', '.join(map(repr, self._scorer.quantities))}. Ask for "
                "one of them, or train one: biascore train-scorer"
            )
        return found

    def _embedded(self, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """The vectors of the texts, shape (n, d); raises QuestionError where the encoder knows no word of one."""
        assert self._encoder is not None
        rows = vectors_of(self._encoder, texts)
        unknown = np.flatnonzero(~np.isfinite(rows).all(axis=1))
        if len(unknown):
            raise QuestionError(
                f"the encoder knows no word of {quoted(texts[unknown[0]])}. Leave the text out, or train on an encoder that "
                "reads sub-words"
            )
        return rows
