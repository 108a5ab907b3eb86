"""A chat model behind a loopback server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("openai", reason="needs biascore[openai]")

from biascore import Engine
from biascore.models.model import Model
from biascore.models.pipeline.source import Services

from .server import MODEL, ChatServer


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    made = ChatServer()
    yield made
    made.close()


@pytest.fixture
def model(server: ChatServer) -> Iterator[Callable[..., Model]]:
    """``model(**options)``: the server's model, which waits for nothing."""
    opened: list[Model] = []

    def open_(*, attempts: int = 1, cache: Any = None, **options: Any) -> Model:
        engine = Engine(cache=cache)
        made = engine.model(f"openai:{MODEL}", base_url=server.url, **options)
        services: Services = made._services
        object.__setattr__(services, "attempts", attempts)
        object.__setattr__(services, "sleep", lambda _seconds: None)
        opened.append(made)
        return made

    yield open_
    for one in opened:
        one.close()
