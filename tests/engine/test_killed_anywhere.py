"""A run that is killed anywhere and started again equals the run that was not, and asks only what is missing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from biascore import Run

KILLING = Path(__file__).with_name("killing.py")
SEEDS = 20
MEASUREMENTS: dict[str, tuple[str, list[str], dict[str, Any]]] = {
    "embedding": ("weat", ["en/weat6", "en/weat7", "en/weat8"], {"resamples": 100, "reference": "none"}),
    "masked": ("gest-lm", ["en/gest_own"], {"templates": [1]}),
    "translation": ("gest-mt", ["en/gest_own"], {"target": "it"}),
    "choices": ("bbq", ["en/choices-gender"], {"way": "text"}),
}


def record(run: Run) -> dict[str, Any]:
    """All that a run records, but for times and counts of questions."""
    body = run.to_json()
    del body["content_sha256"], body["provenance"]["started"], body["provenance"]["finished"]
    del body["provenance"]["harmless_seconds"]
    for model in body["models"]:
        del model["questions"]
    return body


@pytest.mark.slow
@pytest.mark.parametrize("kind", MEASUREMENTS)
def test_a_run_killed_anywhere_resumes(tmp_path: Path, kind: str) -> None:
    metric, tests, options = MEASUREMENTS[kind]
    audit = {
        "title": kind,
        "models": [{"ref": "planted:gender=1", "name": "one"}, {"ref": "planted:gender=0", "name": "two"}],
        "measurements": [{"metric": metric, "tests": tests, "options": options}],
    }
    arguments = [sys.executable, str(KILLING), str(tmp_path), json.dumps(audit), str(SEEDS)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    whole = Run.load(tmp_path / "whole")
    assert whole.failed == ()

    kept = []
    for seed in range(SEEDS):
        folder = tmp_path / str(seed)
        killed = json.loads((folder / "killed.json").read_text(encoding="utf-8"))
        assert killed["digest"] in ("", whole.results_digest()), "half of a run was taken for one"
        resumed = Run.load(folder / "run")
        assert record(resumed) == record(whole), f"killed at call {killed['at']}"
        assert [m.items for m in resumed] == [m.items for m in whole]
        assert resumed.questions.put == whole.questions.put
        assert resumed.questions.asked == whole.questions.asked - killed["kept"]
        assert sorted(path.name for path in folder.iterdir() if path.is_dir()) == ["run"]
        kept.append(killed["kept"])
    assert len(set(kept)) > 3, f"the kills were all at one place: {kept}"
