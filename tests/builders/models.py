"""Models around backends made in a test, and a backend that answers from the text alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from biascore.api.adapters import Backend, Identity, ModelRef, hookimpl
from biascore.api.queries import Masked, Text, TokenLogprobs
from biascore.models.model import Model
from biascore.models.pipeline.source import Services, Source


class Lengths(Backend):
    """Answers with length and first code point of each text; keeps what it was asked."""

    def __init__(self, batch: int = 3, digest: str = "test:lengths", revision: str | None = None) -> None:
        self.batch = batch
        self.identity = Identity(digest=digest, revision=revision)
        self.calls: list[tuple[str, ...]] = []
        self.closed = 0

    @hookimpl
    def embed(self, texts: tuple[Text, ...], level: str) -> npt.NDArray[np.float32]:
        self.calls.append(tuple(text.text for text in texts))
        return np.array([[len(t.text), ord(t.text[0])] for t in texts], dtype=np.float32)

    @hookimpl
    def mask_logprob(self, queries: tuple[Masked, ...]) -> tuple[TokenLogprobs, ...]:
        self.calls.append(tuple(query.text for query in queries))
        return tuple(TokenLogprobs((q.text,), ((0, len(q.text)),), (-float(len(q.text)),)) for q in queries)

    @hookimpl
    def translate(self, texts: tuple[str, ...], source: str, target: str) -> tuple[str, ...]:
        self.calls.append(texts)
        return tuple(f"{source}>{target}:{text}" for text in texts)

    @hookimpl
    def score(self, texts: tuple[str, ...], quantity: str) -> npt.NDArray[np.float64]:
        self.calls.append(texts)
        return np.array([len(text) / 3 for text in texts], dtype=np.float64)

    def close(self) -> None:
        self.closed += 1


def lengths(*words: str) -> npt.NDArray[np.float32]:
    """What Lengths embeds the words as."""
    return np.array([[len(w), ord(w[0])] for w in words], dtype=np.float32)


def model_of(
    backend: Backend,
    services: Services | None = None,
    *,
    name: str = "fake",
    locator: str = "",
    version: str = "dist 1",
    options: dict[str, Any] | None = None,
    paid: bool = False,
    key_variables: tuple[str, ...] = (),
) -> Model:
    """The backend as the engine would open it, under a name of its own."""
    source = Source(name, ModelRef(name, locator), version, options or {}, {}, paid, key_variables)
    return Model(source, backend, services)
