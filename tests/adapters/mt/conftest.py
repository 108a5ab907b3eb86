"""Services on loopback, and models that ask them without ever sleeping."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

pytest.importorskip("requests", reason="the services need the extra mt")
pytest.importorskip("deepl", reason="the services need the extra mt")
pytest.importorskip("boto3", reason="the services need the extra mt")
from botocore.loaders import JSONFileLoader, Loader

from biascore.api.adapters import LoadContext, ModelRef
from biascore.models.model import Model
from biascore.models.pipeline.budget import Budget
from biascore.models.pipeline.cache import Cache, NoCache
from biascore.models.pipeline.source import Services, Source
from biascore.stimuli import Catalogue
from biascore_adapters.mt.adapters import ADAPTERS

from .apis import KEY, AmazonApi, ApertiumApi, DeepLApi, GoogleApi, LibreTranslateApi
from .server import Server

CONTEXT = LoadContext(Catalogue(()))
APIS: dict[str, Callable[[], Any]] = {
    "amazon-translate": AmazonApi,
    "apertium": ApertiumApi,
    "deepl": DeepLApi,
    "google-translate": GoogleApi,
    "libretranslate": LibreTranslateApi,
}


@dataclass
class Opener:
    """Opens models of a service that stands in for the real one; ``sleeps`` are the waits asked for."""

    id: str
    server: Server
    sleeps: list[float] = field(default_factory=list)
    models: list[Model] = field(default_factory=list)

    def __call__(
        self, *, cache: Cache | None = None, attempts: int = 5, budget: int | None = None, **options: Any
    ) -> Model:
        adapter = next(one for one in ADAPTERS if one.id == self.id)()
        ref = ModelRef.parse(f"{self.id}:")
        if "server" in adapter.option_type.model_fields:
            options = {"server": self.server.url, **options}
        else:
            ref = ModelRef(self.id, self.server.url)
        chosen = adapter.option_type(**options)
        adapter.check(ref, chosen, CONTEXT)
        backend = adapter.load(ref, chosen, CONTEXT)
        services = Services(
            cache=cache or NoCache(), budget=Budget(budget), attempts=attempts, sleep=self.sleeps.append
        )
        paid = adapter.key_env_var is not None
        model = Model(
            Source(self.id, ref, "dist 1", chosen.model_dump(), {}, paid, adapter.key_variables),
            backend,
            services,
        )
        self.models.append(model)
        return model


@pytest.fixture(autouse=True, scope="module")
def _boto_reads_its_files_once() -> Iterator[None]:
    """Each session of boto3 reads the same megabytes of JSON, and every test of the service has its own."""
    with pytest.MonkeyPatch.context() as patch:
        for kind, name in ((JSONFileLoader, "load_file"), (Loader, "list_available_services")):
            patch.setattr(kind, name, _of_arguments(getattr(kind, name)))
        yield


def _of_arguments(method: Callable[..., Any]) -> Callable[..., Any]:
    kept: dict[tuple[Any, ...], Any] = {}

    def once(self: Any, *args: Any, **kwargs: Any) -> Any:
        key = (*args, *sorted(kwargs.items()))
        if key not in kept:
            kept[key] = method(self, *args, **kwargs)
        return kept[key]

    return once


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Opener]]:
    """``start("deepl")``: a server of that API, and what opens models of it."""
    started: list[Opener] = []
    for name in ("DEEPL_AUTH_KEY", "GOOGLE_API_KEY", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, KEY)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    monkeypatch.setenv("BIASCORE_HTTP_TIMEOUT", "10")
    monkeypatch.delenv("LIBRETRANSLATE_API_KEY", raising=False)

    def begin(service: str) -> Opener:
        started.append(Opener(service, Server(APIS[service]())))
        return started[-1]

    yield begin
    for opener in started:
        for model in opener.models:
            model.close()
        opener.server.close()


@pytest.fixture(params=sorted(APIS))
def service(request: pytest.FixtureRequest, start: Callable[..., Opener]) -> Opener:
    """Each of the services."""
    return start(request.param)


@pytest.fixture(params=sorted(set(APIS) - {"apertium"}))
def paid_service(request: pytest.FixtureRequest, start: Callable[..., Opener]) -> Opener:
    """Each of the services that may charge."""
    return start(request.param)
