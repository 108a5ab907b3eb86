"""Writing a report: the same bytes, no file of another hand, nothing half written, and no extra needed before."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from biascore.errors import MissingExtraError, RunError
from biascore.report import write_charts, write_report

from ..builders.runs import measurement, run_of, typical_run

pytest.importorskip("altair")
pytest.importorskip("vl_convert")


def test_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    first = write_report(typical_run(), tmp_path / "a.html").read_bytes()
    assert first == write_report(typical_run(), tmp_path / "b.html").read_bytes()


def test_existing_files_are_kept_unless_told_otherwise(tmp_path: Path) -> None:
    run, path = run_of(measurement()), tmp_path / "report.html"
    path.write_text("precious")
    with pytest.raises(RunError, match=r"report\.html exists already.*overwrite"):
        write_report(run, path)
    with pytest.raises(RunError, match=r"report\.html was not written by biascore"):
        write_report(run, path, overwrite=True)
    assert path.read_text() == "precious"
    own = tmp_path / "own.html"
    for overwrite in (False, True):
        assert write_report(run, own, overwrite=overwrite) == own
    assert own.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_charts_replace_charts_and_nothing_else(tmp_path: Path) -> None:
    run = run_of(measurement())
    drawn = write_charts(run, tmp_path)
    assert {path.suffix for path in drawn} == {".svg", ".pdf", ".png"}
    with pytest.raises(RunError, match="exists already"):
        write_charts(run, tmp_path)
    assert write_charts(run, tmp_path, overwrite=True) == drawn
    for path in drawn[:2]:
        content = path.read_bytes()
        path.write_text("precious")
        with pytest.raises(RunError, match=f"{path.name} was not written by biascore"):
            write_charts(run, tmp_path, overwrite=True)
        assert path.read_text() == "precious"
        path.write_bytes(content)
    assert [p for p in tmp_path.iterdir() if p not in drawn] == []


def test_a_folder_and_an_unknown_format_are_refused(tmp_path: Path) -> None:
    run = run_of(measurement())
    with pytest.raises(RunError, match="is a folder"):
        write_report(run, tmp_path, overwrite=True)
    with pytest.raises(RunError, match=r"'jpeg'.*svg, pdf, png"):
        write_charts(run, tmp_path / "charts", ("svg", "jpeg"))  # type: ignore[arg-type]  # what is tested
    assert not (tmp_path / "charts").exists()


def test_failed_write_leaves_the_old_file_and_no_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_report(run_of(measurement()), tmp_path / "report.html")
    before = path.read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RunError, match="No space left"):
        write_report(run_of(measurement()), path, overwrite=True)
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]
    assert path.read_bytes() == before


@pytest.mark.parametrize("module", ["altair", "jinja2", "vl_convert"])
def test_missing_extra_is_named(module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    for write in (write_report, write_charts):
        with pytest.raises(MissingExtraError, match=r"pip install .*\[report\]'"):
            write(run_of(measurement()), tmp_path / "r")


def test_importing_the_package_needs_no_extra() -> None:
    code = "import sys, biascore.report; print({'altair', 'jinja2', 'vl_convert'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
