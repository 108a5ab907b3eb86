"""Sentence pairs and models whose every log-probability is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from biascore.api.adapters import Backend, Identity
from biascore.api.exporters import Measurement
from biascore.api.metrics import Metric, Model, Test, hookimpl
from biascore.api.queries import Masked, TokenLogprobs
from biascore.designs.pairs.test import SentencePair, SentencePairs, SentencePairsTest
from biascore_metrics.crows_pairs.metrics import CrowsPairsOptions

from ..builders import models
from .measuring import measured

Logprob = Callable[[str, str], float]


class WordBackend(Backend):
    """Tokens are words in lower case; ``logprob(text, word)`` is what every one of them gets."""

    def __init__(self, logprob: Logprob) -> None:
        self._logprob = logprob
        self.identity = Identity(digest="test:words")

    @hookimpl
    def mask_logprob(self, queries: tuple[Masked, ...]) -> tuple[TokenLogprobs, ...]:
        assert all(query.spans is None and query.one_at_a_time for query in queries)
        return tuple(self._answer(query.text) for query in queries)

    @hookimpl
    def score(self, texts: tuple[str, ...], quantity: str) -> npt.NDArray[np.float64]:
        assert quantity == "log_likelihood"
        return np.array([sum(self._answer(text).logprobs) for text in texts])

    def _answer(self, text: str) -> TokenLogprobs:
        words = text.lower().split()
        logprobs = tuple(self._logprob(text, word) for word in words)
        return TokenLogprobs(tuple(words), tuple((i, i + 1) for i in range(len(words))), logprobs)


def model_of(logprob: Logprob) -> Model:
    return models.model_of(WordBackend(logprob), name="words")


def preferring(scores: Mapping[str, float]) -> Model:
    """Each shared word gets the score of its text, the words "A" and "B" of the groups something else."""
    return model_of(lambda text, word: -50.0 if word in "ab" else scores[text])


def of(pairs: Sequence[SentencePair], **about: object) -> SentencePairsTest:
    return SentencePairsTest(
        id="xx/own",
        kind="sentence-pairs",
        language="xx",
        pairs=SentencePairs("own", tuple(pairs)),
        **about,  # type: ignore[arg-type]
    )


def measure(metric: type[Metric], model: Model, test: Test, seed: int = 1, **options: object) -> Measurement:
    kind = CrowsPairsOptions
    return measured(metric(kind(**options)), model, test, seed=seed)


def ladder(differences: Sequence[float], *, stereo: int, bias_types: Sequence[str] = ("age",)):
    """Pairs "A word i" and "B word i" with these differences; the first ``stereo`` are stereo. Shared: two words."""
    scores: dict[str, float] = {}
    pairs = []
    for i, difference in enumerate(differences):
        pair = SentencePair(
            f"A word {i}",
            f"B word {i}",
            "stereo" if i < stereo else "antistereo",
            bias_types[i % len(bias_types)],
        )
        scores[pair.sent_less] = -3.0
        scores[pair.sent_more] = -3.0 + difference / 2
        pairs.append(pair)
    return preferring(scores), of(pairs)
