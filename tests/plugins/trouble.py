"""An adapter and a metric that do whatever a test has them do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from biascore.api.adapters import Adapter, Backend, Identity
from biascore.api.metrics import Context, Coverage, Estimate, Finding, Metric, Model, Test, hookimpl
from biascore.api.queries import Text

Act = Callable[[], Any]


def adapter_that(name: str = "made", *, load: Act | None = None, answer: Act | None = None) -> type[Adapter]:
    """Opens ``made:x``; ``load`` and ``answer`` are called before it opens and before it answers a batch."""

    class MadeBackend(Backend):
        batch = 8

        def __init__(self, locator: str) -> None:
            self.identity = Identity(digest=f"test:{locator}", sentence_vector="made up")

        @hookimpl
        def embed(self, texts: tuple[Text, ...]) -> Any:
            if answer:
                answer()
            return np.array([[len(t.text), ord(t.text[0]), 1] for t in texts], dtype=np.float32)

    class Made(Adapter):
        id: ClassVar[str] = name
        summary: ClassVar[str] = "made"
        example: ClassVar[str] = f"{name}:x"
        capabilities: ClassVar[frozenset[str]] = frozenset({"embed"})

        def load(self, ref: Any, options: Any, context: Any) -> Backend:
            if load:
                load()
            return MadeBackend(ref.locator)

    return Made


def finding(**changes: Any) -> Finding:
    """A result without fault, but for ``changes``."""
    counts = {"X": 8, "Y": 8}
    parts: dict[str, Any] = {
        "estimates": (Estimate(name="made", value=0.5, unit="none", n=counts),),
        "coverage": Coverage(given=counts, used=counts),
        "conventions": {},
    }
    return Finding(**{**parts, **changes})


def metric_that(act: Callable[..., Any], name: str = "made-metric") -> type[Metric]:
    """Asks for the words of X, and returns what ``act(metric, model, test, context)`` returns."""

    class MadeMetric(Metric):
        summary: ClassVar[str] = "made"
        reference: ClassVar[str] = "none"
        requires: ClassVar[frozenset[str]] = frozenset({"embed"})
        kinds: ClassVar[frozenset[str]] = frozenset({"weat"})

        def measure(self, model: Model, test: Test, context: Context) -> Any:
            model.embed(test.roles["X"].words)
            return act(self, model, test, context)

    MadeMetric.name = name
    return MadeMetric
