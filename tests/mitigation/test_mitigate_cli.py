"""``biascore mitigate``: what it prints, refuses and leaves behind, also when it is interrupted or killed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs biascore[hf]")
pytest.importorskip("transformers", reason="needs biascore[hf]")

from typer.testing import CliRunner, Result

from biascore.cli import codes, exit_code
from biascore.cli.app import app
from biascore.errors import BiascoreError
from biascore_training.mitigate import MITIGATION_FILE

Call = Callable[..., Result]
FEW = ("--epochs", "1", "--learning-rate", "1e-3", "--warmup-steps", "1")


@pytest.fixture
def call(corpus: Path, saved_model: Callable[[str], Path], tmp_path: Path) -> Call:
    """``call("--preview")``: the command for a tiny model and the corpus, into the folder ``new``."""

    def run(*options: object, model: object = None, text: object = corpus, out: bool = True) -> Result:
        where = ("--out", str(tmp_path / "new")) if out else ()
        ref = model or f"hf:{saved_model('bert-uncased')}"
        return CliRunner().invoke(app, ["mitigate", str(ref), str(text), *where, *map(str, options)])

    return run


def refused(done: Result, message: str, code: int = codes.WRONG_INPUT) -> None:
    assert isinstance(done.exception, BiascoreError), done.output
    assert message in str(done.exception)
    assert exit_code(done.exception) == code


def test_a_model_is_trained_and_told_of(call: Call, tmp_path: Path) -> None:
    done = call(*FEW)
    assert done.exit_code == 0, done.output
    assert "41 of 41 texts hold words with a partner, 64 words in all; augmentation: 82 texts" in done.stdout
    assert "mean loss (nats)" in done.stdout
    assert f"new model: hf:{tmp_path / 'new'}" in done.stderr
    again = call(*FEW)
    refused(again, "new exists already. Choose another folder, or replace it: --force")
    forced = call(*FEW, "--force", "--json")
    assert forced.exit_code == 0, forced.output
    record = json.loads((tmp_path / "new" / MITIGATION_FILE).read_text(encoding="utf-8"))
    assert json.loads(forced.stdout) == {"ref": f"hf:{tmp_path / 'new'}", "record": record}


def test_a_preview_shows_what_changes_and_opens_no_model(call: Call, tmp_path: Path) -> None:
    done = call("--preview", model="hf:./nowhere")
    assert done.exit_code == 0, done.output
    assert "She said that the engineer finished 1 books.\n  swapped: He said that" in done.stdout
    shown = json.loads(call("--preview", "--json", out=False).stdout)
    assert len(shown["texts"]) == 20
    assert shown["texts"][0]["swapped"] == "She said that the engineer finished 0 books."
    assert list(tmp_path.iterdir()) == [tmp_path / "corpus.txt"]


def test_names_pairs_and_method_reach_the_training(call: Call, tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text("f,m\nengineer,nurse\n", encoding="utf-8")
    (tmp_path / "names.csv").write_text("f,m\nShe,He\n", encoding="utf-8")
    files = ("--pairs", tmp_path / "pairs.csv", "--names", tmp_path / "names.csv", "--method", "swapped")
    shown = json.loads(call("--preview", "--json", *files).stdout)
    assert shown["texts"][1]["swapped"] == "He said that the nurse finished 1 books."
    assert shown["method"] == "swapped"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--pairs", "en/shrestha2025/genderd"), "Did you mean en/shrestha2025/gendered?"),
        (("--pairs", "none.csv"), "there is no list of pairs 'none.csv', and no such file"),
        (("--masked", "1.5"), "masked=1.5 is not a share between 0 and 1"),
        (("--learning-rate", "0"), "learning_rate=0.0 is not a number above 1e-7"),
    ],
)
def test_wrong_input_is_told_before_a_model_is_opened(
    call: Call, options: tuple[str, ...], message: str
) -> None:
    refused(call(*options, model="hf:./nowhere"), message)


def test_what_else_is_refused(call: Call, tmp_path: Path, saved_model: Callable[[str], Path]) -> None:
    refused(call(out=False), "no folder is named for the new model. Add --out FOLDER")
    refused(call(text=tmp_path / "none.txt"), "none.txt cannot be read")
    (tmp_path / "stones.txt").write_text("Stones.\n", encoding="utf-8")
    refused(call(text=tmp_path / "stones.txt"), "nothing would be swapped")
    refused(call(model=f"hf:{saved_model('gpt2')}"), "is no masked language model")
    refused(call(model="planted:gender=1"), "cannot be trained")
    assert not (tmp_path / "new").exists()
    (tmp_path / "new").mkdir()
    refused(call(), "new exists already")
    refused(call("--force", model="hf:./nowhere"), "./nowhere")


@pytest.fixture
def started(
    corpus: Path, saved_model: Callable[[str], Path], tmp_path: Path
) -> Callable[..., subprocess.Popen[str]]:
    """``started(folder)``: the command in a process of its own, for 120 steps, its state kept after each."""

    def start(folder: Path) -> subprocess.Popen[str]:
        program = "import sys; from biascore.cli import main; sys.argv[0] = 'biascore'; main()"
        own = arguments(folder, corpus, saved_model("bert-uncased"))
        command = [sys.executable, "-c", program, *own, "--checkpoint-minutes", "0"]
        return subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    return start


def arguments(folder: Path, corpus: Path, model: Path) -> list[str]:
    training = ("--epochs", "20", "--learning-rate", "1e-3", "--warmup-steps", "10", "--seed", "7")
    return [
        "mitigate",
        f"hf:{model}",
        str(corpus),
        "--out",
        str(folder),
        *training,
        "-o",
        "model.threads=1",
    ]


def wait_for_step(folder: Path, process: subprocess.Popen[str], step: int) -> int:
    """Wait until the state of at least that step is kept; the step that it is of."""
    while process.poll() is None:
        try:
            place = folder.with_name(f"{folder.name}.checkpoint") / "state.json"
            found = int(json.loads(place.read_text(encoding="utf-8"))["step"])
        except (OSError, ValueError):
            found = 0
        if found >= step:
            return found
        time.sleep(0.02)
    raise AssertionError(f"the command ended by itself: {process.communicate()}")


@pytest.mark.slow
def test_interrupted_and_killed_it_goes_on_and_leaves_nothing_half_written(
    started: Callable[..., subprocess.Popen[str]],
    corpus: Path,
    saved_model: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    folder, straight = tmp_path / "new", tmp_path / "straight"
    process = started(folder)
    step = wait_for_step(folder, process, 3)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == codes.INTERRUPTED
    assert "What was done so far is kept" in said
    assert "Traceback" not in said
    assert not folder.exists()

    process = started(folder)
    wait_for_step(folder, process, step + 3)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert not folder.exists()

    for target in (folder, straight):
        done = CliRunner().invoke(app, arguments(target, corpus, saved_model("bert-uncased")))
        assert done.exit_code == 0, done.output
    assert {path.name for path in tmp_path.iterdir()} == {"corpus.txt", "new", "straight"}
    one, other = ({p.name: p.read_bytes() for p in target.iterdir()} for target in (folder, straight))
    assert one == other
