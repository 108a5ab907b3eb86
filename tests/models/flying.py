"""A service whose batches can be held, and what tests of several at once share."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from biascore.api.adapters import Backend, Identity, hookimpl
from biascore.errors import (
    AuthError,
)
from biascore.models.model import Model
from biascore.models.pipeline.cache import DiskCache
from biascore.models.pipeline.source import Services

from ..builders import models

PATIENCE = 20.0
"""Seconds until a test that waits for another thread gives up: one that passes waits for none of them."""


INSIDE: ContextVar[str] = ContextVar("INSIDE", default="nothing")


class Service(Backend):
    """Translates a text a request, and does with each what ``on`` says before; keeps what was begun and ended."""

    identity = Identity("test:service")
    batch = 1

    def __init__(
        self, in_flight: int = 4, on: Callable[[str, int], object] = lambda _text, _time: None
    ) -> None:
        self.in_flight, self._on = in_flight, on
        self.begun: list[str] = []
        self.ended: list[str] = []
        self.most = self.now = 0
        self._lock = threading.Lock()

    @hookimpl
    def translate(self, texts: tuple[str, ...], source: str, target: str) -> tuple[str, ...]:
        text = " ".join(texts)
        with self._lock:
            self.begun.append(text)
            self.now += 1
            self.most = max(self.most, self.now)
        try:
            self._on(text, self.begun.count(text))
        finally:
            with self._lock:
                self.now -= 1
                self.ended.append(text)
        return tuple(map(str.upper, texts))


def model_of(backend: Backend, *, paid: bool = True, **services: Any) -> Model:
    return models.model_of(backend, Services(**services), paid=paid)


def until(true: Callable[[], bool]) -> None:
    """Wait for another thread."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "another thread did not come"
        time.sleep(0.001)


def kept(folder: Path, texts: Sequence[str]) -> set[str]:
    """The texts whose translations are in the cache."""
    cache = DiskCache(folder)
    found = set()
    for text in texts:
        with suppress(AuthError):
            model_of(Service(1, raises(AuthError(""))), cache=cache).translate([text], "en", "it")
            found.add(text)
    cache.close()
    return found


def raises(error: BaseException) -> Callable[[str, int], None]:
    def on(_text: str, _time: int) -> None:
        raise error

    return on
