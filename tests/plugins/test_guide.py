"""The plugin that docs/plugins.md builds is extracted, installed by pip, and does what the page says."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from biascore.plugins_api import FittedTransform, Transform
from biascore_adapters.transformer.runtimes_api import Runtime

PAGE = Path(__file__).resolve().parents[2] / "docs" / "plugins.md"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

CHECK = """
import doctest, sys
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
        "biascore_plugin_example/transform.py",
        "biascore_plugin_example/eo/floroj.toml",
    }


def test_every_method_of_a_runtime_is_documented_with_its_signature() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name, member in vars(Runtime).items():
        if inspect.isfunction(member) and not name.startswith("_"):
            found = inspect.signature(member)
            parameters = list(found.parameters.values())[1:]
            assert f"`{name}{found.replace(parameters=parameters)}`".replace("'", "") in page
        elif isinstance(member, property):
            assert f"`{name}`" in page


@pytest.mark.parametrize("kind", [Transform, FittedTransform])
def test_every_method_of_a_transform_is_documented_with_its_signature(kind: type) -> None:
    page = PAGE.read_text(encoding="utf-8").replace("\\|", "|")
    for name, member in vars(kind).items():
        if inspect.isfunction(member) and not name.startswith("_"):
            found = inspect.signature(member)
            parameters = list(found.parameters.values())[1:]
            assert f"`{name}{found.replace(parameters=parameters)}`".replace("'", "") in page


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
        [sys.executable, "-W", "error", "-c", CHECK, PAGE],
        cwd=work,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
