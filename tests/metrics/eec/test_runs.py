"""From the command line to the report: given scores, planted ones, and what the page draws."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from biascore import Engine, Run
from biascore.api.figures import Bars, Dots, Histogram
from biascore.cli.results import print_run
from biascore.report.charts import charts_of


@pytest.fixture(scope="module")
def run() -> Run:
    return Engine(cache=None).measure("eec", "planted:en/eec=1.5", "en/eec", emotions=["anger", "fear"])


def test_a_planted_effect_is_found_and_nothing_else(run: Run) -> None:
    (found,) = run
    assert found.verdict.value == "detected"
    assert found.headline.name in ("anger: African-American - European", "fear: African-American - European")
    assert found.dimensions == {"race/ethnicity": True, "gender": False, "race/ethnicity x gender": False}
    emotion = found.headline.name.partition(":")[0]
    assert found.headline.sides == (
        f"{emotion} is scored higher for African-American than for European",
        f"{emotion} is scored higher for European than for African-American",
    )
    assert found.headline.value is not None
    assert found.headline.value > 0
    for emotion in ("anger", "fear"):
        items = found.items_frame()
        logits = items[items["scored for"] == emotion].assign(
            value=lambda rows: np.log(rows["value"] / (1 - rows["value"]))
        )
        means = logits.groupby("race/ethnicity")["value"].mean()
        # 1.5 of the names' standard deviations of 0.2; 20 + 20 names.
        assert abs(means["African-American"] - means["European"] - 0.3) < 4 * 0.2 * np.sqrt(2 / 20)
    assert "1 of 1" in " ".join(run.control_lines)


def test_figures_name_estimates_that_are_there(run: Run) -> None:
    (found,) = run
    names = {estimate.name for estimate in found.estimates}
    assert {figure.title for figure in found.figures} == {
        f"{found.headline.name} by template",
        "Effects on anger",
        "Effects on fear",
        "Scores of anger by group",
        "Scores of fear by group",
        "Mean anger of each name less that of all",
        "Mean fear of each name less that of all",
    }
    for figure in found.figures:
        if isinstance(figure, Histogram):
            assert figure.only in {("scored for", "anger"), ("scored for", "fear")}
        else:
            assert isinstance(figure, (Bars, Dots))
            assert set(figure.estimates) <= names


def test_everything_is_drawn(run: Run) -> None:
    titles = " ".join(chart.caption for chart in charts_of(run))
    for told in ("Effects on anger", "Mean fear of each name", "Scores of fear by group: 1,400 items"):
        assert told in titles


def test_a_stored_run_is_the_same(run: Run, tmp_path: Path) -> None:
    run.save(tmp_path / "run")
    again = Run.load(tmp_path / "run")
    assert again[0] == run[0]
    assert again[0].to_frame().equals(run[0].to_frame())


def test_the_terminal_says_which_effect_it_is(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    print_run(run)
    told = " ".join(capsys.readouterr().out.split())
    assert f"effect of en/eec on planted:en/eec=1.5: {run[0].headline.name}" in told
