"""Nothing that ships unpickles or evaluates what it reads; ruff's rules S102, S301, S302, S307 and S506 find the rest."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHIPPED = ("biascore", "adapters", "plugins", "wordlists")
WORKERS = "biascore/engine/worker.py"
"""Unpickles what workers of the user's own cluster send, and no file: its imports are let through."""
UNPICKLE = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "marshal", "shelve"}


def unsafe(source: str) -> Iterator[str]:
    """What of a module could run code of a file that it reads."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            yield from (f"line {node.lineno}: {name}" for name in names if name.partition(".")[0] in UNPICKLE)
        if not isinstance(node, ast.Call):
            continue
        given = {one.arg: one.value for one in node.keywords}
        called = ast.unparse(node.func)
        allowed = given.get("allow_pickle")
        if called == "torch.load" and ast.unparse(given.get("weights_only", ast.Constant(None))) != "True":
            yield f"line {node.lineno}: torch.load without weights_only=True"
        if called.startswith(("np.", "numpy.")) and allowed is not None and ast.unparse(allowed) != "False":
            yield f"line {node.lineno}: {called} with allow_pickle"
        if called in (
            "eval",
            "exec",
            "yaml.load",
            "yaml.unsafe_load",
            "pd.read_pickle",
            "pandas.read_pickle",
        ):
            yield f"line {node.lineno}: {called}"


@pytest.mark.parametrize("folder", SHIPPED)
def test_nothing_that_ships_runs_code_of_a_file(folder: str) -> None:
    files = sorted((ROOT / folder).rglob("*.py"))
    assert files
    found = [
        f"{path.relative_to(ROOT)}, {one}"
        for path in files
        for one in unsafe(path.read_text("utf-8"))
        if path != ROOT / WORKERS or not one.endswith(": pickle")
    ]
    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from joblib import load",
        "import torch\ntorch.load(path)",
        "torch.load(path, weights_only=False)",
        "np.load(path, allow_pickle=True)",
        "numpy.load(path, allow_pickle=given)",
        "eval(text)",
        "yaml.load(text)",
    ],
)
def test_what_would_be_found(source: str) -> None:
    assert list(unsafe(source))
