"""``biascore plan`` as a person or a pipeline meets it: what it says is what ``biascore run`` then does."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

AUDIT = """
title = "two models"
[[models]]
name = "biased"
ref = "planted:gender=1.5"
[[models]]
name = "fair"
ref = "planted:gender=0"
[[measurements]]
metric = "weat"
tests = ["en/weat7", "en/weat8"]
options = { resamples = 100 }
[[measurements]]
metric = "sc-weat"
tests = ["en/weat7"]
models = ["biased"]
options = { resamples = 100, draws = 500 }
"""


@pytest.fixture(autouse=True)
def _audit(tmp_path: Path) -> None:
    (tmp_path / "audit.toml").write_text(AUDIT, encoding="utf-8")


@pytest.mark.slow
def test_the_plan_is_what_the_run_does(biascore: Callable[..., Any]) -> None:
    first = json.loads(biascore("plan", "audit.toml", "--json").stdout)
    run = json.loads(biascore("run", "audit.toml", "--json").stdout)
    for row, used in zip(first["rows"], run["models"], strict=True):
        assert row["model"] == used["name"]
        assert (row["put"], row["asked"]) == (used["questions"]["put"], used["questions"]["asked"])
        assert row["counts"] == "exact"
    assert first["total"]["asked"] > first["total"]["cached"] == 0
    again = json.loads(biascore("plan", "audit.toml", "--json").stdout)
    assert again["total"]["asked"] == 0
    assert again["total"]["cached"] == first["total"]["asked"]
    anew = json.loads(biascore("plan", "audit.toml", "--json", "--no-cache").stdout)
    assert anew["total"]["asked"] > first["total"]["asked"]


def test_the_table_has_a_row_for_each_model_and_hook(biascore: Callable[..., Any]) -> None:
    done = biascore("plan", "audit.toml")
    rows = [line.strip("│ ").split("│") for line in done.stdout.splitlines() if line.startswith("│")]
    assert [[cell.strip() for cell in row[:2]] for row in rows] == [
        ["biased", "embed"],
        ["fair", "embed"],
        ["all", "all"],
    ]
    header = next(line for line in done.stdout.splitlines() if "model" in line and "hook" in line)
    assert not {"counts", "passes", "tokens"} & set(header.split())  # all exact, and none known
    assert "answers are not kept" in done.stdout
    assert done.stderr == ""
    assert "\x1b" not in done.stdout


def test_without_a_probe_there_is_no_time(biascore: Callable[..., Any]) -> None:
    total = json.loads(biascore("plan", "audit.toml", "--no-probe", "--json").stdout)["total"]
    assert (total["seconds"], total["probed"]) == (None, 0)
    assert "no time where nothing was timed" in biascore("plan", "audit.toml", "--no-probe").stdout


def test_wrong_input_is_one_message(biascore: Callable[..., Any]) -> None:
    assert "there is no such file" in biascore("plan", "other.toml", code=2).stderr
