"""What a run says of the measurements that failed: kept in the record, and a row of the frame."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from biascore import Engine, Run
from biascore.results.failure import Failure

LOST = Failure(
    metric="weat",
    test="en/weat8",
    model="other",
    kind="answering",
    error="TransientModelError",
    message="other: the service is down",
    may_pass=True,
    plugin="adapter-other",
    dist="biascore-other",
    culprit="other",
    traceback="/srv/somebody/other.py",
)


@pytest.fixture(scope="module")
def run() -> Run:
    made = Engine(cache=None).measure("weat", "planted:gender=1", "en/weat7", resamples=100)
    return made.model_copy(update={"failed": (LOST,)})


def test_what_failed_is_stored_and_read_back_without_the_traceback(run: Run, tmp_path: Path) -> None:
    read = Run.load(run.save(tmp_path / "run"))
    assert read.failed == (LOST.model_copy(update={"traceback": ""}),)
    assert "somebody" not in (tmp_path / "run" / "run.json").read_text(encoding="utf-8")


def test_results_are_the_same_whatever_failed_beside_them(run: Run) -> None:
    assert run.results_digest() == run.model_copy(update={"failed": ()}).results_digest()


def test_the_frame_has_a_row_for_what_failed(run: Run) -> None:
    frame = run.to_frame()
    made, lost = frame[frame["failed"].isna()], frame[frame["failed"].notna()]
    assert set(made["test"]) == {"en/weat7"}
    (row,) = lost.to_dict("records")
    assert (row["model"], row["metric"], row["test"], row["failed"]) == (
        *("other", "weat", "en/weat8"),
        "other: the service is down",
    )
    assert pd.isna(row["value"])


def test_the_report_says_what_failed(run: Run) -> None:
    pytest.importorskip("altair", reason="the report extra is not installed")
    from biascore.report.page import render

    page = render(run)
    assert "weat en/weat8 on other" in page
    assert "other: the service is down." in page
    assert "asks only what is missing" in page
