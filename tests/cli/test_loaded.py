"""A plugin that is installed and cannot be loaded is one line on standard error of every command that works with plugins."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from biascore.cli.app import app

AUDIT = """
[[models]]
ref = "planted:gender=1"
[[measurements]]
metric = "weat"
tests = ["en/weat6"]
"""
TEXTS = "text,emotion,score\n" + "".join(f"word {n},joy,{n % 7 / 7}\n" for n in range(40))
COMMANDS = {
    "plan": "plan audit.toml",
    "run": "run audit.toml --out run",
    "measure": "measure nothing --model planted:gender=1 --tests en/weat6",
    "audit": "audit nothing:here",
    "calibrate": "calibrate nothing --tests en/weat6",
    "mitigate": "mitigate nothing:here texts.txt --preview",
    "train-scorer": "train-scorer texts.csv --out scorer --model nothing:here",
    "export": "export nothing:here out",
    "words": "words nothing.csv lists/en/mine.toml",
    "list": "list metrics",
    "show": "show weat",
}


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "acme_broken-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-broken\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[biascore]\nacme = no_such_module_of_acme\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("BIASCORE_LOAD_PLUGINS", "biascore,acme-broken")
    monkeypatch.chdir(tmp_path)
    for name, text in {"audit.toml": AUDIT, "texts.csv": TEXTS, "texts.txt": "He is a nurse.\n"}.items():
        (tmp_path / name).write_text(text)


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_plugin_that_failed_to_load_is_one_line(command: str) -> None:
    done = CliRunner().invoke(app, COMMANDS[command].split())
    told = [line for line in done.stderr.splitlines() if "acme" in line and "is not loaded" in line]
    assert len(told) == 1, done.stderr
    assert "acme" not in done.stdout
