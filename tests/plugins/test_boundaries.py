"""First-party plugins are loaded as a stranger's are, and nothing heavy is imported before it is needed."""

from __future__ import annotations

import ast
import inspect
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from biascore.hookspecs import DiscoverySpecs
from biascore.models.questions.capabilities import CAPABILITIES, CapabilitySpecs

ROOT = Path(__file__).resolve().parents[2]
FIRST_PARTY = {"biascore_adapters", "biascore_grammars", "biascore_metrics", "biascore_wordlists"}
MODEL_LIBRARIES = {"torch", "transformers", "onnxruntime", "fasttext", "tokenizers", "safetensors"}
HEAVY = MODEL_LIBRARIES | {
    "altair",
    "vl_convert",
    "jinja2",
    "boto3",
    "deepl",
    "requests",
    "sentencepiece",
    "statsmodels",
}
IMPORTERS = {"import_module", "__import__"}


def imported(file: Path) -> Iterator[str]:
    """The top-level packages that a file imports, anywhere in it, by statement or by literal name."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in IMPORTERS:
                yield str(node.args[0].value).partition(".")[0]


def offenders(folder: Path, forbidden: set[str]) -> dict[str, set[str]]:
    files = sorted(folder.rglob("*.py"))
    assert files, f"no Python files under {folder}"
    found = {str(file.relative_to(ROOT)): set(imported(file)) & forbidden for file in files}
    return {file: names for file, names in found.items() if names}


def modules_after(program: str) -> set[str]:
    """The top-level modules of a fresh interpreter after a program."""
    program += "\nimport json, sys\nprint(json.dumps(sorted({m.partition('.')[0] for m in sys.modules})))"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout))


def test_the_scan_sees_every_form_of_import(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(
        "import one.a, two as t\nfrom three.b import c\nif True:\n    def f():\n        import four\n"
        "import importlib\nimportlib.import_module('five.d')\n__import__('six')\nfrom . import seven\n"
    )
    assert set(imported(file)) == {"one", "two", "three", "four", "five", "six", "importlib"}


def test_the_engine_imports_no_first_party_plugin() -> None:
    assert offenders(ROOT / "biascore", FIRST_PARTY) == {}


def test_no_metric_and_no_word_list_imports_a_model_library() -> None:
    forbidden = MODEL_LIBRARIES | {"biascore_adapters"}
    assert offenders(ROOT / "plugins" / "biascore_metrics", forbidden) == {}
    assert offenders(ROOT / "wordlists", forbidden | {"biascore_metrics"}) == {}


def test_no_adapter_knows_a_metric() -> None:
    assert offenders(ROOT / "adapters", {"biascore_metrics", "biascore_wordlists"}) == {}


def test_importing_biascore_imports_no_plugin() -> None:
    loaded = modules_after(
        "import biascore, biascore.api.metrics, biascore.engine.engine, biascore.archive.verify"
    )
    assert "biascore" in loaded
    assert loaded & FIRST_PARTY == set()
    assert loaded & HEAVY == set()


def test_loading_every_plugin_imports_nothing_heavy() -> None:
    program = "from biascore import Engine\nengine = Engine(cache=None)\n"
    program += "assert all(r.status == 'loaded' for r in engine.plugins.records), engine.plugins.records"
    loaded = modules_after(program)
    assert loaded >= FIRST_PARTY
    assert loaded & HEAVY == set()


@pytest.mark.parametrize("told", [["--help"], ["list", "metrics"]])
def test_the_command_line_imports_nothing_heavy(told: list[str]) -> None:
    program = f"import contextlib, io, sys\nfrom biascore.cli import main\nsys.argv = ['biascore', *{told}]\n"
    program += "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n    main()"
    loaded = modules_after(program)
    assert "biascore" in loaded
    assert loaded & HEAVY == set()


def test_measuring_without_a_neural_model_imports_nothing_heavy() -> None:
    program = (
        "from biascore import Engine\nEngine(cache=None).measure('weat', 'planted:gender=1', 'en/weat6')"
    )
    assert modules_after(program) & HEAVY == set()


HOOKS = [*CAPABILITIES, *(name for name in vars(DiscoverySpecs) if not name.startswith("_"))]


def signature(hook: str) -> str:
    """The signature of a hook as a plugin author writes it, without ``self``."""
    function = getattr(CapabilitySpecs if hook in CAPABILITIES else DiscoverySpecs, hook)
    found = inspect.signature(function)
    return f"{hook}" + str(found.replace(parameters=list(found.parameters.values())[1:])).replace("'", "")


def test_the_capabilities_are_the_hooks_of_a_model() -> None:
    assert set(CAPABILITIES) == {name for name in vars(CapabilitySpecs) if not name.startswith("_")}


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_is_documented_with_its_signature(hook: str) -> None:
    page = "plugins/adapter.md" if hook in CAPABILITIES else "plugins.md"
    assert signature(hook) in (ROOT / "docs" / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_has_a_test_of_its_name(hook: str) -> None:
    pattern = re.compile(rf"^ *def test_hook_{hook}\b", re.MULTILINE)
    assert any(
        pattern.search(file.read_text(encoding="utf-8")) for file in (ROOT / "tests").rglob("test_*.py")
    )
