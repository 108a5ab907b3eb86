"""The ending of a report's file is its form: PDF is printed, other forms are written, an unknown ending is refused."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path
from typing import Any

import pytest

from biascore.errors import RunError
from biascore.files.writing import write_file
from biascore.report import printing, write_report
from biascore.results.run import Run

MEASURE = ("measure", "weat", "--model", "planted:gender=1", "--tests", "en/weat6", "-o", "reference=none")


@pytest.fixture
def stored(biascore: Any) -> str:
    biascore(*MEASURE, "--out", "run")
    return "run"


@pytest.mark.parametrize(
    ("name", "begins"),
    [("x.md", "**"), ("x.csv", "model,"), ("x.tex", "%"), ("x.xml", "<?xml"), ("x.html", "<!doctype")],
)
def test_the_ending_is_the_form(biascore: Any, stored: str, name: str, begins: str) -> None:
    biascore("report", stored, "--out", name)
    assert Path(name).read_text().lower().startswith(begins)


def test_a_form_and_an_ending_that_differ_are_refused(biascore: Any, stored: str) -> None:
    done = biascore("report", stored, "--format", "csv", "--out", "x.html", code=2)
    assert ".csv" in done.stderr
    assert not Path("x.html").exists()


def test_an_ending_that_no_form_has_is_refused_before_measuring(biascore: Any) -> None:
    done = biascore(*MEASURE, "--report", "x.docx", code=2)
    assert ".pdf" in done.stderr
    assert not done.stdout
    assert not Path("x.docx").exists()


def test_a_report_of_a_measurement_has_the_form_of_its_ending(biascore: Any) -> None:
    biascore(*MEASURE, "--report", "x.csv")
    assert [row["test"] for row in csv.DictReader(Path("x.csv").read_text().splitlines())] == ["en/weat6"]
    assert "exists" in biascore(*MEASURE, "--report", "x.csv", code=2).stderr


def test_a_comparison_is_a_page(biascore: Any, stored: str) -> None:
    assert ".html" in biascore("compare", stored, stored, "--report", "x.csv", code=2).stderr
    assert not Path("x.csv").exists()


def test_without_a_browser_a_pdf_is_refused_with_the_remedy(
    biascore: Any, stored: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(printing, "NAMES", ())
    monkeypatch.delenv(printing.VARIABLE, raising=False)
    done = biascore("report", stored, "--out", "x.pdf", code=2)
    assert "Chromium" in done.stderr
    assert printing.VARIABLE in done.stderr
    assert not Path("x.pdf").exists()


def test_a_browser_that_prints_nothing_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(printing.VARIABLE, shutil.which("true") or "true")
    with pytest.raises(RunError, match="did not print"):
        printing.printed("<p>x</p>")


@pytest.mark.slow
@pytest.mark.skipif(not any(map(shutil.which, printing.NAMES)), reason="needs Chromium or Chrome")
def test_a_pdf_is_printed_and_replaced_only_where_it_is_ours(stored: str) -> None:
    run, target = Run.load(stored), Path("x.pdf")
    write_report(run, target)
    assert target.read_bytes().startswith(b"%PDF")
    write_report(run, target, overwrite=True)
    target.write_bytes(b"%PDF of somebody else")
    with pytest.raises(RunError, match="not written by biascore"):
        write_report(run, target, overwrite=True)


def test_no_message_names_a_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is gone when somebody reads of it."""
    browser = tmp_path / "browser"
    browser.write_text('#!/bin/sh\necho "cannot read $*" >&2\nexit 3\n')
    browser.chmod(0o755)
    monkeypatch.setenv("BIASCORE_BROWSER", str(browser))
    with pytest.raises(RunError, match="exit code 3") as refused:
        printing.printed("<p>page</p>")
    browser.write_text("#!/bin/sh\nexec sleep 20\n")
    monkeypatch.setattr("biascore.report.printing.SECONDS", 0.1)
    with pytest.raises(RunError, match=r"within 0\.1 seconds") as late:
        printing.printed("<p>page</p>")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device", str(next(tmp_path.glob(".biascore-*"))))

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(RunError, match="No space left on device") as unwritten:
        write_file(tmp_path / "report.html", b"page")
    for one in (refused, late, unwritten):
        assert "biascore-" not in str(one.value)
