"""The adapter of docs/guides/proprietary-model.md, installed by pip and asked over HTTP, by both ways of registering."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from biascore import Engine
from biascore.cli.app import app
from biascore.errors import AuthError, OptionsError, RateLimitError, TransientModelError, UnknownNameError
from biascore.scaffold.new import new_plugin
from biascore.testing import check_adapter, check_transform

from ..adapters.mt.server import Request, Server

pytest.importorskip("requests", reason="needs biascore[mt]")

ROOT = Path(__file__).resolve().parents[2]
DIST = ROOT / "examples" / "biascore-plugin-vendor"
PAGE = ROOT / "docs" / "guides" / "proprietary-model.md"
FENCE = re.compile(r"^```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
KEY = "a-key-of-nobody-5f1c"
SIZE = 24


class VendorApi:
    """GET /v1/models/NAME, POST /v1/embed: vectors that are drawn from the digest of the text."""

    def __init__(self) -> None:
        self.charged: list[str] = []

    def is_translation(self, request: Request) -> bool:
        return request.path == "/v1/embed"

    def error(self, status: int) -> Any:
        return {"error": f"error {status}"}

    def answer(self, request: Request, *, lose: int) -> tuple[int, Any]:
        if request.headers.get("authorization") != f"Bearer {KEY}":
            return 401, {"error": "unknown key"}
        if request.path == "/v1/models/small":
            return 200, {"version": "2026-05"}
        if not self.is_translation(request):
            return 404, {"error": "no such model"}
        asked = json.loads(request.body)
        assert (asked["model"], asked["purpose"]) in {("small", "similarity"), ("small", "search")}
        texts = asked["texts"]
        assert 0 < len(texts) <= 16
        self.charged += texts
        return 200, {"vectors": [vector(text, asked["purpose"]) for text in texts][lose:]}


def vector(text: str, purpose: str = "similarity") -> list[float]:
    seed = int.from_bytes(hashlib.sha256(f"{purpose} {text}".encode()).digest()[:8])
    row = np.random.default_rng(seed).normal(size=SIZE)
    return [float(number) for number in row / np.linalg.norm(row)]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("VENDOR_KEY", KEY)
    server = Server(VendorApi())
    yield server
    server.close()


@pytest.fixture
def installed(with_dists: Callable[..., None], server: Server) -> Engine:
    with_dists("biascore-plugin-vendor")
    return Engine(cache=None)


def test_the_page_shows_the_files_that_are_tested() -> None:
    shown = {code.partition("\n")[0].removeprefix("# "): code.partition("\n")[2] for code in blocks()}
    for path in sorted((DIST / "biascore_plugin_vendor").glob("*.py")):
        name = path.relative_to(DIST).as_posix()
        assert shown[name] == path.read_text(encoding="utf-8"), f"{PAGE.name} shows another {name}"


def test_its_project_is_a_new_one_with_the_dependency_that_the_page_shows(tmp_path: Path) -> None:
    new = (new_plugin("vendor", "adapter", tmp_path / "new") / "pyproject.toml").read_text(encoding="utf-8")
    (line,) = re.findall(
        r'^dependencies = \["biascore\[mt\].*"\]$', PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    changed = re.sub(r"^dependencies = .*$", line, new, flags=re.MULTILINE)
    (entry,) = re.findall(
        r'^\[project.entry-points."biascore.transforms"\]\n.*\n', PAGE.read_text(encoding="utf-8"), re.M
    )
    changed = changed.replace("[tool.hatch.build", f"{entry}\n[tool.hatch.build", 1)
    assert changed == (DIST / "pyproject.toml").read_text(encoding="utf-8")


def test_it_keeps_the_contract_of_adapters(installed: Engine, server: Server) -> None:
    @contextmanager
    def failing(status: int, **headers: str) -> Iterator[None]:
        server.faults.append((status, headers))
        yield
        assert not server.faults, "it was not asked"

    failures: dict[Any, Any] = {
        RateLimitError: lambda: failing(429, **{"Retry-After": "1"}),
        TransientModelError: lambda: failing(503),
        AuthError: lambda: failing(401),
    }
    options = {"server": server.url, "concurrency": 4}
    check_adapter("vendor:small", engine=installed, options=options, key=KEY, failures=failures)


def test_its_transform_keeps_the_contract_of_transforms(installed: Engine, server: Server) -> None:
    with installed.model("vendor:small", server=server.url) as model:
        check_transform("vendor-short", model, engine=installed, numbers=8)
        short = model.with_transform("vendor-short", numbers=8).embed(["nurse"])[0]
    expected = np.array(vector("nurse")[:8])
    np.testing.assert_allclose(short[:8], expected / np.linalg.norm(expected), rtol=1e-5)
    assert not short[8:].any()


def test_a_transient_failure_is_asked_again(installed: Engine, server: Server) -> None:
    server.faults.append((429, {"Retry-After": "0"}))
    with installed.model("vendor:small", server=server.url) as model:
        np.testing.assert_allclose(model.embed(["nurse"])[0], vector("nurse"), rtol=1e-6)
    assert len(server.translations) == 2


def test_an_option_changes_what_is_asked_and_which_answers_are_kept(
    installed: Engine, server: Server, tmp_path: Path
) -> None:
    engine = Engine(cache=tmp_path)
    for options, asked in (({}, 1), ({}, 1), ({"concurrency": 2}, 1), ({"purpose": "search"}, 2)):
        with engine.model("vendor:small", server=server.url, **options) as model:
            found = model.embed(["nurse"])[0]
        purpose = str(options.get("purpose", "similarity"))
        np.testing.assert_allclose(found, vector("nurse", purpose), rtol=1e-6)
        assert len(server.translations) == asked, options
    with pytest.raises(OptionsError, match="purpose"):
        engine.model("vendor:small", server=server.url, purpose="ranking")


@pytest.mark.parametrize("key", ["", "a-key-that-nobody-knows"])
def test_a_key_that_is_missing_or_refused_is_told_and_not_shown(
    installed: Engine, server: Server, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("VENDOR_KEY", key)
    with pytest.raises(AuthError, match=r"Set it: export VENDOR_KEY=\.\.\.") as raised:
        installed.model("vendor:small", server=server.url)
    assert not key or key not in str(raised.value)
    assert not server.translations


@pytest.mark.slow
def test_the_notebook_of_the_page_registers_it_in_one_engine(
    with_dists: Callable[..., None], server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_dists()  # the modules can be imported; the entry point is not loaded
    (code,) = (code for code in blocks() if "register_adapter(" in code)
    assert "https://vendor.internal" in code
    names: dict[str, Any] = {}
    exec(code.replace("https://vendor.internal", server.url), names)
    run = names["run"]
    assert [measurement.metric for measurement in run] == ["weat", "weat"]
    assert run.duplicates == (("vendor:small", "vendor:small after vendor-short"),)
    assert len(names["model"].embed(["nurse"])[0]) == SIZE
    names["model"].close()
    assert server.translations
    assert KEY not in run.model_dump_json()
    with pytest.raises(UnknownNameError):
        Engine(cache=None).model("vendor:small")  # another engine does not have it


@pytest.mark.slow
def test_the_command_of_the_page_measures_it(installed: Engine, server: Server) -> None:
    (line,) = re.findall(r"^biascore (measure .*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    done = CliRunner().invoke(app, shlex.split(line.replace("https://vendor.internal", server.url)))
    assert done.exit_code == 0, done.output
    assert "vendor:small" in done.output
    assert KEY not in done.output
    assert server.translations


def blocks() -> list[str]:
    return FENCE.findall(PAGE.read_text(encoding="utf-8"))
