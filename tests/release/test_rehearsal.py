"""``make release``: what it can say without an hour of installs. The whole of it is docs/release.md's fourth step."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / ".ci" / "rehearse.py"
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
pytestmark = pytest.mark.skipif(not SCRIPT.exists(), reason="an sdist has no .ci")


@pytest.fixture
def rehearse(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(SCRIPT.parent))
    monkeypatch.delitem(sys.modules, "release", raising=False)
    spec = importlib.util.spec_from_file_location("rehearse", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_notes_of_this_version_fit_a_screen(rehearse: ModuleType) -> None:
    text = rehearse.notes(ROOT, VERSION)
    assert text.startswith(f"# biascore {VERSION}\n")
    assert len(text.splitlines()) <= 24
    for name in re.findall(r"\b(?:docs/)?[\w-]+\.md\b", text):
        assert (ROOT / name).is_file(), name


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a\n" * 25, "it has 25 lines, not 24"),
        (f"a\n{'b' * 81}\n", r"lines \[2\] are wider than 80 columns"),
        (None, r"notes-9\.9\.md is missing"),
    ],
)
def test_notes_that_fit_no_screen_stop_it(
    rehearse: ModuleType, tmp_path: Path, text: str | None, told: str
) -> None:
    (tmp_path / ".ci").mkdir()
    if text is not None:
        (tmp_path / ".ci" / "notes-9.9.md").write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit, match=told):
        rehearse.notes(tmp_path, "9.9")


@pytest.mark.slow
def test_pip_finds_a_distribution_in_the_index_by_its_name(rehearse: ModuleType, tmp_path: Path) -> None:
    pytest.importorskip("hatchling", reason="the release is built with hatchling")
    source = ROOT / "plugins" / "biascore-plugin-slavic"
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    address = rehearse.index(tmp_path.glob("*.whl"), tmp_path / "index").as_uri()
    got = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--index-url", address]
    done = subprocess.run(
        [*got, "-d", str(tmp_path / "got"), "biascore-plugin-slavic"],
        env={"PATH": "", **rehearse.NO_SETTINGS},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert [one.name for one in (tmp_path / "got").iterdir()] == [one.name for one in tmp_path.glob("*.whl")]


def test_a_python_that_is_not_here_is_no_pass(rehearse: ModuleType, tmp_path: Path) -> None:
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert next(rehearse.pythons(own)) == sys.executable
    assert list(rehearse.pythons("3.99")) == []
    assert rehearse.tested("3.99", VERSION, "", ROOT, tmp_path) is None
