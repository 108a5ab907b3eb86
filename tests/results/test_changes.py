"""A change of an effect by a transform: what happened to its distance from no bias, on both sides of it."""

from __future__ import annotations

import re
from typing import Any

import pytest

from biascore.exporting.tables import answer_lines
from biascore.report.notebook import run_html
from biascore.results.estimates import ConfidenceInterval, Estimate
from biascore.results.measurement import Measurement
from biascore.results.words.effects import describe_change, moved

from ..builders.runs import decided, run_of


def changed(before: float, after: float) -> Measurement:
    def one(name: str, value: float) -> Estimate:
        ends = ConfidenceInterval(low=value - 0.1, high=value + 0.1, level=0.95, method="made")
        return Estimate(name=name, value=value, unit="standard deviations", n={}, interval=ends)

    estimates = (one("change of d", after - before), one("d before", before), one("d after", after))
    parts: dict[str, Any] = {
        "estimates": estimates,
        "describes": True,
        "alpha": None,
        "change_from": "m before",
    }
    return decided(None).model_copy(update=parts)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (1.7, 0.46, "decreased from 1.70 to 0.46"),
        (0.46, 1.7, "increased from 0.46 to 1.70"),
        (-1.7, -0.46, "decreased from −1.70 to −0.46"),
        (-0.46, -1.7, "increased from −0.46 to −1.70"),
        (1.7, -0.46, "changed sign from 1.70 to −0.46"),
        (-0.46, 1.7, "changed sign from −0.46 to 1.70"),
        (0.5, 0.5, "is unchanged at 0.50"),
    ],
)
def test_the_distance_from_no_bias_is_told_on_every_surface(
    before: float, after: float, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from biascore.cli.results import print_run
    from biascore.report.page import render

    run = run_of(changed(before, after))
    assert moved(run[0]) == f"d {told}"
    print_run(run)
    surfaces = (capsys.readouterr().out, render(run), "\n".join(answer_lines(run)), run_html(run))
    for text in surfaces:
        assert told in " ".join(re.sub(r"<[^>]+>|\\", "", text).split())


def test_a_share_is_nearer_to_or_further_from_its_neutral_value() -> None:
    assert describe_change("B", 40.0, 45.0, 50.0) == "B decreased from 40.0 to 45.0"
    assert describe_change("B", 40.0, 62.0, 50.0) == "B changed sign from 40.0 to 62.0"


def test_what_is_of_no_change_is_not_told_as_one() -> None:
    assert moved(changed(1.0, 0.5).model_copy(update={"change_from": ""})) == ""
