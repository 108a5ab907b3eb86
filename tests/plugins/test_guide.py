"""The plugin that docs/plugins.md builds is extracted, installed by pip, and does what the page says."""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from biascore.errors import AuthError
from biascore_adapters.transformer.runtimes_api import Runtime

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "plugins.md"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

CHECK = """
import doctest, runpy, sys
runpy.run_path(sys.argv[2])["test_nearness"]()
results = doctest.testfile(sys.argv[1], module_relative=False)
assert results.attempted > 5
raise SystemExit(bool(results.failed))
"""


def test_every_python_file_of_the_page_is_extracted() -> None:
    assert set(extracted()) == {
        "pyproject.toml",
        "biascore_plugin_example/__init__.py",
        "biascore_plugin_example/adapter.py",
        "biascore_plugin_example/centre.py",
        "biascore_plugin_example/metric.py",
        "biascore_plugin_example/service.py",
        "biascore_plugin_example/table.py",
        "tests/test_metric.py",
        "biascore_plugin_example/transform.py",
        "biascore_plugin_example/eo/floroj.toml",
    }


def test_every_method_of_a_runtime_is_documented_with_its_signature() -> None:
    page = (DOCS / "plugin-api.md").read_text(encoding="utf-8")
    for name, member in vars(Runtime).items():
        if inspect.isfunction(member) and not name.startswith("_"):
            found = inspect.signature(member)
            parameters = list(found.parameters.values())[1:]
            assert f"`{name}{found.replace(parameters=parameters)}`".replace("'", "") in page
        elif isinstance(member, property):
            assert f"`{name}`" in page


def test_the_backend_of_a_service_sends_its_key_and_names_what_refuses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names: dict[str, Any] = {}
    exec(extracted()["biascore_plugin_example/service.py"], names)
    monkeypatch.setenv("VENDOR_KEY", "secret")
    answers = iter([(200, {"score": 0.25}), (401, {"error": "unknown key"})])
    sent: list[str] = []

    class Vendor(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent.append(
                self.headers["Authorization"] + self.rfile.read(int(self.headers["Content-Length"])).decode()
            )
            status, value = next(answers)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(value).encode())

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Vendor) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        backend = names["VendorBackend"](f"http://127.0.0.1:{server.server_port}/score")
        try:
            assert backend.score(("text",), "toxicity").tolist() == [0.25]
            assert sent == ['Bearer secret{"text": "text", "output": "toxicity"}']
            with pytest.raises(AuthError, match=r"vendor refuses the key: unknown key\. Set VENDOR_KEY"):
                backend.score(("text",), "toxicity")
        finally:
            backend.close()
            server.shutdown()


def extracted() -> dict[str, str]:
    """The files of the page by the path in their first line."""
    blocks = FENCE.findall(PAGE.read_text(encoding="utf-8"))
    return {code.split("\n")[0].removeprefix("# "): code for language, code in blocks if language != "pycon"}


@pytest.mark.slow
def test_the_plugin_of_the_page_works(
    tmp_path: Path, python_environment: Callable[..., dict[str, str]]
) -> None:
    pytest.importorskip("hatchling")
    source, target, work = tmp_path / "source", tmp_path / "site", tmp_path / "work"
    work.mkdir()
    for name, code in extracted().items():
        path = source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code, encoding="utf-8")
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--no-build-isolation",
    ]
    subprocess.run(
        [*pip, "--disable-pip-version-check", "--target", target, source], check=True, capture_output=True
    )
    variables = {
        **python_environment("biascore-plugin-example"),
        "PYTHONPATH": os.pathsep.join(filter(None, [str(target), os.environ.get("PYTHONPATH")])),
    }
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", CHECK, PAGE, source / "tests" / "test_metric.py"],
        cwd=work,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
