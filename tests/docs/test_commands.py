"""Every command of the pages is typed, in a folder with small stand-ins for models and files that a reader has.

What a ``console`` block shows of the answer is what is printed.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from biascore.cli.app import app

from ..adapters.openai.server import MODEL, ChatServer
from .sandbox import ROOT, STAND_INS
from .typed import COMMAND, same

PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "README.md", *ROOT.glob("docs/**/*.md"))
    if path.parent.name != "plugins" and path.name != "plugins.md"  # in tests/plugins/test_walks.py
)
IN_A_TABLE = re.compile(r"^\|[^`\n]*`(biascore [^`\n]+)`", re.MULTILINE)
BLOCK = re.compile(r"^ *```(\w+)[^\n]*\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
NOT_TYPED = {
    "--workers 4": "it starts processes, in tests/workers",
    "--scheduler tcp:": "it needs a cluster, in tests/workers",
    "--model vendor:": "the reader's own plugin, in tests/plugins/test_vendor.py",
    "--model deepl:": "it needs the key of a paid service",
    "run docs/": "whole studies, on smaller models, in tests/studies, and `make demo`",
    "plan docs/": "the same",
    "translations.csv": "published data that the reader brings, in tests/metrics/gest",
    "answers_Age.csv": "published data that the reader brings, in tests/metrics/bbq",
    "hf:gpt2 --tests en/choices-age": "a tokenizer with letters, which the small one has not; in tests/adapters/hf",
    "data.part=intersentence": "published data that the reader brings, in tests/metrics/stereoset",
    "components.json": "published data that the reader brings, in tests/metrics/eec",
    "predictions.csv": "what the reader's own regressor answered, in tests/metrics/eec",
    "anger.txt": "published data that the reader brings, in tests/scorers",
    "robust-association --model hf:": "a pass for each of thousands of sentences; tests/metrics/robust has fewer",
    "audit apertium:": "it needs a server, in tests/metrics/gest",
    "audit deepl:": "it needs the key of a paid service",
    "hf:./my-regressor": "a regressor that the reader has, in tests/adapters/hf",
    "labelled.csv": "data that the reader brings, in tests/scorers",
    "scorers/minilm": "made of it",
    "audit hf:./my-": "minutes, for hundreds of thousands of sentences; tests/cli has shorter lists",
    "--data discrim-eval:": "published data that the reader brings, in tests/metrics/discrim_eval",
    "'en/my*'": "tests of the reader's own",
    "measure METRIC": "any metric of regressors",
    "$language": "a loop of the shell over published data",
}
"""Parts of commands that are not typed here, and why."""
SHORTER = "--models 10 --nulls 10 --times 1 --effect 1.6"
ONLY_NOT_TYPED = {
    *("docs/guides/cluster.md", "docs/guides/proprietary-model.md"),
    *("docs/studies/gest.md", "docs/studies/grammatical-gender.md", "docs/studies/italian.md"),
}


def blocks(page: str) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """The audit that the page has the reader save (empty where it has none), and the blocks after it: commands, and what
    the page shows that they print, which may be nothing.
    """
    audit = ""
    if page == "README.md":
        yield audit, [(line, "") for line in IN_A_TABLE.findall((ROOT / page).read_text(encoding="utf-8"))]
    for language, block in BLOCK.findall((ROOT / page).read_text(encoding="utf-8")):
        if language == "toml" and "[[measurements]]" in block and "[[models]]" in block:
            audit = block
        elif language in ("sh", "console"):
            text = block.replace("\\\n", " ")
            typed = (
                COMMAND.findall(text) if language == "console" else [(one, "") for one in text.splitlines()]
            )
            lines = [(line.strip(), shown) for line, shown in typed]
            yield audit, [one for one in lines if re.match(r"(\.venv/bin/)?biascore |unzip ", one[0])]


WITH_COMMANDS = [page for page in PAGES if any(lines for _, lines in blocks(page))]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*it never reaches")  # the corpus of the stand-ins is short
@pytest.mark.parametrize("page", WITH_COMMANDS)
def test_the_commands_of_a_page_work(
    page: str, stand_ins: Path, chat: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in stand_ins.iterdir():
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    typed = 0
    for audit, lines in blocks(page):
        if audit:
            Path("audit.toml").unlink(missing_ok=True)
            Path("audit.toml").write_text(with_stand_ins(audit, chat), encoding="utf-8")
        for line, shown in lines:
            if any(part in line for part in NOT_TYPED):
                continue
            command = shlex.split(with_stand_ins(line, chat), comments=True)[1:]
            if command[0] == "init":
                Path("audit.toml").unlink(missing_ok=True)
            if line.startswith("unzip "):
                shutil.unpack_archive(command[-1])
                continue
            done = CliRunner().invoke(app, command)
            # Models of these tests are random: one may say neither yes nor no.
            assert done.exit_code == 0 or "yes and no have a probability below" in done.output, (
                f"{page}: {line}\n{done.output}"
            )
            assert not shown or same(shown, done.output), f"{page}: {line}\n{done.output}"
            typed += 1
    assert typed or page in ONLY_NOT_TYPED, f"no command of {page} was typed"


def test_what_is_not_typed_stands_in_a_page() -> None:
    every = "\n".join(line for page in PAGES for _, lines in blocks(page) for line, _ in lines)
    assert not [part for part in NOT_TYPED if part not in every]


@pytest.fixture(scope="module")
def chat() -> Iterator[str]:
    """The address of a server with a chat model, which picks options by chance; only if its client is installed."""
    pytest.importorskip("openai", reason="needs biascore[openai]")
    server = ChatServer()
    server.letters_by_chance = True
    yield server.url
    server.close()


def with_stand_ins(text: str, chat: str) -> str:
    """The text with the models that a reader has put for those of the page, and few models where many are drawn."""
    text = text.replace("http://localhost:8000/v1", chat).replace("openai:my-model", f"openai:{MODEL}")
    text = text.replace("biascore calibrate", f"biascore calibrate {SHORTER}")
    for theirs, ours in STAND_INS.items():
        text = text.replace(theirs, ours)
    return text
