"""Names of models, tests and concepts come from other people: in a CSV none of them is a formula."""

from __future__ import annotations

import csv
import io
import re

import pytest

from biascore.exporting.forms import exported
from biascore.plugins.loading import Plugins

from ..builders import runs
from ..builders.runs import run_of

FORMULAS = ("=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\uff1d1+1")


@pytest.mark.parametrize("formula", FORMULAS)
def test_no_text_in_a_csv_is_a_formula_and_numbers_stay_numbers(formula: str) -> None:
    made = runs.measurement(
        test=formula, title=formula, model=formula, metric=formula, unit=formula, value=-0.5
    )
    run = run_of(made.model_copy(update={"concept": formula}))
    (table,) = exported(run, "csv", Plugins([]))
    row = next(csv.DictReader(io.StringIO(table.text, newline="")))
    texts = [cell for name, cell in row.items() if not re.fullmatch(r"-?[\d.]+(e-?\d+)?", cell)]
    assert not [cell for cell in texts if re.match(r"[=+\-@\t\r\n\uff1d\u240d]", cell)]
    assert row["model"] == row["concept"] == f"'{formula}".replace("\r", "\u240d")
    assert row["effect"] == "-0.5"
