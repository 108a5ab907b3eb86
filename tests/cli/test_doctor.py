"""``biascore doctor``: what is in place, what is not, and the command that mends it."""

from __future__ import annotations

import json
import os
import subprocess
import types
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
from typer.testing import CliRunner

from biascore.cli import doctor
from biascore.cli.app import app
from biascore.cli.doctor import Check
from biascore.errors import CacheError
from biascore.models.pipeline.cache import DiskCache
from biascore.plugins.loading import Plugins
from biascore_adapters.hf.adapter import HfAdapter

from ..builders.points import own


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Without the libraries of devices, which are slow to import, and with one plugin."""
    some = own("metric-weat")
    monkeypatch.setattr(doctor, "_devices", lambda _: iter(()))
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


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A cache with an answer on a file system that can only be read."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a file system cannot be mounted here")
    cache = DiskCache(folder)
    cache.put({b"k" * 20: b"value"})
    cache.close()
    subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_cache_that_can_only_be_read(few: pytest.MonkeyPatch, read_only: Path) -> None:
    """It was in order to doctor, and cleared of 0 answers."""
    few.setenv("BIASCORE_CACHE_DIR", str(read_only))
    check = dict(found())["cache"]
    assert check.state == "problem"
    assert "can only be read" in check.found
    done = CliRunner().invoke(app, ["cache", "clear", "--yes"])
    assert isinstance(done.exception, CacheError)
    assert "can only be read" in str(done.exception)
    assert "no answer was deleted" in str(done.exception)


def test_help_says_what_to_do_next_and_completion_is_there() -> None:
    done = CliRunner().invoke(app, [], env={"COLUMNS": "80"})
    for text in ("First steps", "biascore doctor", "biascore list tests", "--install-completion", "Measure"):
        assert text in done.output
    assert "─ Commands" not in done.output  # each stands in a group


def test_adapters_say_what_their_models_can_run_on(monkeypatch: pytest.MonkeyPatch) -> None:
    class Fast(HfAdapter):
        runtime = "json"

        @classmethod
        def devices(cls) -> list[str]:
            return ["cpu", "tpu:0"]

    class Broken(Fast):
        runtime = "csv"

        @classmethod
        def devices(cls) -> list[str]:
            raise OSError("no driver")

    plugins = types.SimpleNamespace(adapters=types.SimpleNamespace(items=lambda: (Fast, Broken)))
    told = {check.what: (check.state, check.found) for check in doctor._devices(plugins)}
    assert told["devices of json"] == ("ok", "cpu, tpu:0")
    assert told["devices of csv"] == ("problem", "it cannot be used: no driver")
