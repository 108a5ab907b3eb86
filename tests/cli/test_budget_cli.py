"""``--max-characters`` and ``--max-tokens``: what the command line hands to the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from biascore.cli import app
from biascore.engine.engine import Engine

AUDIT = """
title = "one model"
[[models]]
ref = "planted:gender=1"
[[measurements]]
metric = "weat"
tests = ["en/weat7"]
options = { resamples = 100 }
"""
MEASURE = ["measure", "weat", "--model", "planted:gender=1", "--tests", "en/weat7"]


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> list[list[int | None]]:
    """The limits of characters and tokens of each engine that a command makes."""
    found: list[list[int | None]] = []

    class Recording(Engine):
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            found.append([budget.limit for budget in self._services.budgets])

    monkeypatch.setattr("biascore.engine.engine.Engine", Recording)
    return found


@pytest.mark.parametrize(
    ("arguments", "limit"),
    [([], [None, None]), (["--max-characters", "1200", "--max-tokens", "9000"], [1200, 9000])],
)
def test_the_bounds_reach_the_engine(
    limits: list[list[int | None]], tmp_path: Path, arguments: list[str], limit: list[int | None]
) -> None:
    audit = tmp_path / "audit.toml"
    audit.write_text(AUDIT, encoding="utf-8")
    for command in (MEASURE, ["run", str(audit)]):
        done = CliRunner().invoke(app, [*command, *arguments])
        assert done.exit_code == 0, done.output
    assert limits == [limit, limit]


@pytest.mark.parametrize("option", ["--max-characters", "--max-tokens"])
def test_a_negative_bound_is_wrong_input(option: str) -> None:
    assert CliRunner().invoke(app, [*MEASURE, option, "-1"]).exit_code == 2
