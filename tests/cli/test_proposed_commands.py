"""Every command that an error proposes is run as it was printed."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from biascore.cli import app
from biascore.errors import BiascoreError

COMMAND = re.compile(r"\bbiascore ((?:list|show|plugins|verify|cache|plan)\b[^\n;)]*)")
MEASURE = ["measure", "weat", "--model", "planted:gender=1", "--tests"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    own = tmp_path / "my words" / "en"
    own.mkdir(parents=True)
    (own / "own.toml").write_text('schema = 1\n[meta]\nlanguage = "en"\n', encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["measure", "waet", "--model", "planted:gender=1", "--tests", "en/weat7"],
        ["measure", "weat", "--model", "plantd:gender=1", "--tests", "en/weat7"],
        ["measure", "weat", "--model", "vectors.bin", "--tests", "en/weat7"],
        [*MEASURE, "en/waet7"],
        [*MEASURE, "nl/*"],
        [*MEASURE, "en/weat7", "--stimuli", "gone"],
        [*MEASURE, "en/weat7", "--stimuli", "my words"],
        [*MEASURE, "en/gest_own"],
        ["show", "en/weat66"],
        ["list", "wordlists", "xx"],
    ],
    ids=" ".join,
)
def test_the_proposed_command_works(folder: Path, arguments: list[str]) -> None:
    runner = CliRunner()
    done = runner.invoke(app, arguments)
    assert isinstance(done.exception, BiascoreError), done.output
    proposed = [text.rstrip(". ") for text in COMMAND.findall(str(done.exception))]
    assert proposed, str(done.exception)
    # Where it says to correct a file first, that is done.
    (folder / "my words" / "en" / "own.toml").write_text(
        'schema = 1\n[meta]\nlanguage = "en"\ntitle = "own"\nsource = "own"\nlicence = "CC0"\n'
        '[lists.x]\nwords = ["a", "b"]\n',
        encoding="utf-8",
    )
    for command in proposed:
        again = runner.invoke(app, shlex.split(command))
        assert again.exit_code == 0, f"biascore {command}: {again.output} {again.exception}"
