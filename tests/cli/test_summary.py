"""The summary of Local Law 144 from the command line and from Python: facts, endings, and what asks for none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from biascore.errors import OptionsError
from biascore.results.run import Run

from .conftest import Done

GIVEN = [
    "-o",
    "date=2026-10-01",
    "-o",
    "distributed=2026-10-15",
    "-o",
    "source=our system",
    "-o",
    "explanation=all of 2026",
]


@pytest.fixture
def stored(biascore: Callable[..., Done], tmp_path: Path) -> Path:
    rows = [f"p{i},{'FM'[i % 2]},{'AB'[i // 2 % 2]},{int(i % 3 == 0)}" for i in range(80)]
    (tmp_path / "hires.csv").write_text("\n".join(["text,sex,race,selected", *rows]) + "\n", encoding="utf-8")
    command = "measure impact-ratio --data outcomes:hires.csv --language en --model answers:hires.csv -o draws=100 --out run"
    biascore(*command.split(), "-o", 'data.groups=["sex", "race"]')
    return tmp_path / "run"


def test_the_ending_says_how_it_is_written(
    biascore: Callable[..., Done], stored: Path, tmp_path: Path
) -> None:
    printed = biascore("report", "run", "--format", "ll144", *GIVEN).stdout
    assert "- Date of the bias audit: 2026-10-01" in printed
    assert biascore("report", "run", "--format", "impact-tables", *GIVEN).stdout == printed
    for ending, begins in (
        (".html", "<!DOCTYPE html>"),
        (".csv", "group,category,row"),
        (".md", "# Summary"),
    ):
        file = tmp_path / f"summary{ending}"
        biascore("report", "run", "--format", "ll144", *GIVEN, "--out", str(file))
        text = file.read_text(encoding="utf-8")
        assert text.startswith(begins)
        again = tmp_path / f"again{ending}"
        facts = {
            "date": "2026-10-01",
            "distributed": "2026-10-15",
            "source": "our system",
            "explanation": "all of 2026",
        }
        Run.load(stored).report(again, form="ll144", facts=facts)
        assert again.read_text(encoding="utf-8") == text
    error = biascore("report", "run", "--format", "ll144", *GIVEN, "--out", "summary.pdf", code=2).stderr
    assert "Name a file that ends in .md or .html or .csv" in error


def test_facts_are_asked_for_and_are_of_no_other_form(biascore: Callable[..., Done], stored: Path) -> None:
    error = biascore("report", "run", "--format", "ll144", code=2).stderr
    assert "assumes none: date (the day of the bias audit, as 2026-10-01); distributed" in error
    assert "-o source='our applicant tracking system'" in error
    assert "csv has no fact 'date'" in biascore("report", "run", "--format", "csv", *GIVEN, code=2).stderr
    assert "Add --format ll144" in biascore("report", "run", *GIVEN, "--out", "page.html", code=2).stderr
    early = biascore("measure", "weat", "planted:gender=1", "en/weat6", "--format", "ll144", code=2)
    assert "asks for facts that no run holds. Save the run with --out RUN" in early.stderr
    assert not early.stdout
    with pytest.raises(OptionsError, match="facts are for forms that ask for them"):
        Run.load(stored).report("page.html", facts={"date": "2026-10-01"})
