"""``biascore init``: the audit file that a user begins with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from biascore import Audit, Engine, Run
from biascore.audits.first_file import commented
from biascore.cli.auditing import _keep
from biascore.errors import OptionsError
from biascore.results.gates import GateOutcome

from .conftest import Done
from .test_audit import OWN, REF, TOPICS
from .test_audit import audit as audit  # the vectors and the command

Command = Callable[..., str]


@pytest.fixture
def init(audit: Command, biascore: Callable[..., Done], tmp_path: Path) -> Command:
    """``init("--line", "ours")`` for the vectors of that test."""
    for name, text in {"own": OWN, "topics": TOPICS}.items():
        path = tmp_path / "lists" / "xx" / f"{name}.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def call(*more: str, code: int = 0) -> str:
        done = biascore("init", REF, "--language", "xx", "--stimuli", "lists", *more, code=code)
        return done.stdout + done.stderr

    return call


def test_the_file_asks_what_audit_asks_and_measures_nothing(init: Command) -> None:
    said = init("--design", "small")
    assert "biascore run audit.toml" in said
    assert not Path("audit-run").exists()
    first = Audit.load("audit.toml")
    asked = Engine(stimuli=["lists"]).audit(REF, language="xx", design="small")
    assert (first.models, first.measurements) == (asked.models, asked.measurements)
    assert (first.design, first.not_asked) == ("small", asked.not_asked)
    assert len(first.models) == 3


@pytest.mark.slow
def test_the_file_runs_as_it_is_and_its_gate_holds_without_the_comment_signs(
    init: Command, biascore: Callable[..., Done]
) -> None:
    init("--design", "small")
    file = Path("audit.toml")
    biascore("run", "audit.toml", "--out", "first")
    text = file.read_text(encoding="utf-8")
    comment, gate = text.split("# [[gates]]")
    keys = "[[gates]]" + gate.replace("\n# ", "\n")
    release = comment.replace("\n# line", "\nline").replace("\n# release", "\nrelease")
    file.write_text(release + keys, encoding="utf-8")
    biascore("run", "audit.toml", "--out", "second", code=4)  # X is near A in these vectors
    second = Run.load("second")
    assert (second.line, second.release) == ("our model", "2026-11")
    assert [one.passed for one in second.gates] == [False]
    assert GateOutcome.FAILS in [check.held for check in second.gates[0].checks]
    assert second.results_digest() == Run.load("first").results_digest()


def test_a_file_that_is_there_is_kept(init: Command) -> None:
    Path("audit.toml").write_text("# mine\n", encoding="utf-8")
    assert "audit.toml is there already" in init(code=2)
    assert Path("audit.toml").read_text(encoding="utf-8") == "# mine\n"
    init("--out", "other.toml", "--line", "ours", "--release", "2")
    other = Audit.load("other.toml")
    assert (other.line, other.release) == ("ours", "2")
    assert "# line" not in Path("other.toml").read_text(encoding="utf-8")


def test_a_file_of_audit_that_says_the_same_keeps_its_comments(tmp_path: Path) -> None:
    parts = {
        "models": [{"ref": "planted:gender=1"}],
        "measurements": [{"metric": "weat", "tests": ["en/weat6"]}],
    }
    audit = Audit.from_parts(title="mine", **parts)
    file = tmp_path / "audit.toml"
    file.write_text("# my comment\n" + audit.to_toml(), encoding="utf-8")
    _keep(audit, file, force=False)
    assert file.read_text(encoding="utf-8").startswith("# my comment\n")
    with pytest.raises(OptionsError, match="another audit"):
        _keep(audit.model_copy(update={"seed": 1}), file, force=False)
    _keep(audit.model_copy(update={"seed": 1}), file, force=True)
    assert Audit.load(file).seed == 1


def test_comments_change_nothing_whatever_the_file_is_called(tmp_path: Path) -> None:
    parts = {
        "title": "[[models]]\n[[gates]]",
        "models": [{"ref": "planted:gender=1"}],
        "measurements": [{"metric": "weat", "tests": ["en/weat6"]}],
    }
    audit = Audit.from_parts(**parts)  # type: ignore[arg-type]
    file = tmp_path / "audit.toml"
    for name in ("audit.toml", "a\nseed = 5\x00.toml"):
        file.write_text(commented(audit, name), encoding="utf-8")
        assert Audit.load(file).model_dump() == audit.model_dump()
