"""``biascore doctor``: what is in place, what is not, and the command that mends it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
from typer.testing import CliRunner

from biascore.cli import doctor
from biascore.cli.app import app
from biascore.cli.doctor import Check
from biascore.plugins.loading import Plugins


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Without the libraries of devices, which are slow to import, and with one plugin."""
    some = [point for point in metadata.entry_points(group="biascore") if point.name == "metric-weat"]
    monkeypatch.setattr(doctor, "_devices", lambda: iter(()))
    monkeypatch.setattr(doctor, "Plugins", lambda: Plugins(some))
    return monkeypatch


def found() -> Iterator[tuple[str, Check]]:
    return ((check.what, check) for check in doctor.diagnosed())


def test_nothing_is_wrong(few: pytest.MonkeyPatch) -> None:
    done = CliRunner().invoke(app, ["doctor"], env={"COLUMNS": "80"})
    assert done.exit_code == 0, done.output
    assert "plugins: 1 of 1 loaded" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("no problem. ")


def test_what_is_missing_is_no_problem_and_names_its_command(few: pytest.MonkeyPatch) -> None:
    few.setattr(doctor, "_version", lambda name: "" if name == "altair" else "1.0")
    report = dict(found())["extra report"]
    assert (report.state, report.found) == ("missing", "not installed: altair")
    assert "[report]" in report.next
    assert dict(found())["extra mt"].state == "ok"


def test_a_problem_is_an_exit_code_and_has_a_command(few: pytest.MonkeyPatch, tmp_path: Path) -> None:
    few.setattr(
        doctor, "Plugins", lambda: Plugins([metadata.EntryPoint("broken", "no_such_module", "biascore")])
    )
    (tmp_path / "file").write_text("", encoding="utf-8")
    few.setenv("BIASCORE_CACHE_DIR", str(tmp_path / "file" / "cache"))
    with pytest.warns(match="cache"):
        done = CliRunner().invoke(app, ["doctor", "--json"])
    assert done.exit_code == 2, done.output
    problems = [one for one in json.loads(done.stdout) if one["state"] == "problem"]
    assert [one["what"].partition(" of ")[0] for one in problems] == ["plugin 'broken'", "cache"]
    assert "no_such_module" in problems[0]["found"]
    assert all(one["next"] for one in problems)


def test_help_says_what_to_do_next_and_completion_is_there() -> None:
    done = CliRunner().invoke(app, [], env={"COLUMNS": "80"})
    for text in ("First steps", "biascore doctor", "biascore list tests", "--install-completion", "Measure"):
        assert text in done.output
    assert "─ Commands" not in done.output  # each stands in a group
