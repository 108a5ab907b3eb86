"""Bars of groups: each in the colour of its group, from the value that stands for no bias."""

from __future__ import annotations

import pytest

from biascore.results.estimates import Estimate
from biascore.results.figures import Bars

from ..builders.runs import measurement

pytest.importorskip("altair")
pytest.importorskip("vl_convert")
charts = pytest.importorskip("biascore.report.charts")

NAMES = ("a", "b", "c")
RATES = tuple(
    Estimate(name=name, value=value, unit="share", neutral=0.5, n={})
    for name, value in zip(NAMES, (0.3, 0.6, 0.9), strict=True)
)
BARS = Bars(title="Rates", estimates=NAMES, labels=NAMES, groups=("women", "men", "men"))


def test_bars_of_groups_begin_at_the_neutral_value() -> None:
    made = measurement().model_copy(update={"estimates": RATES, "figures": (BARS,)})
    chart = charts.measurement_charts(made, 1)[0]
    rows = chart.spec["datasets"]["rows"]
    assert [(row["from"], row["group"]) for row in rows] == [(0.5, "women"), (0.5, "men"), (0.5, "men")]
    assert "and bars begin there" in chart.caption


def test_bars_without_groups_begin_there_too() -> None:
    plain = BARS.model_copy(update={"groups": ()})
    made = measurement().model_copy(update={"estimates": RATES, "figures": (plain,)})
    chart = charts.measurement_charts(made, 1)[0]
    assert [row["from"] for row in chart.spec["datasets"]["rows"]] == [0.5, 0.5, 0.5]
    assert "and bars begin there" in chart.caption
    (bar,) = [layer for layer in chart.spec["layer"] if layer["mark"]["type"] == "bar"]
    assert bar["encoding"]["x2"] == {"field": "from"}
    assert bar["encoding"]["x"]["scale"] == {"zero": False}


def test_groups_that_are_not_one_for_each_bar_are_told() -> None:
    few = BARS.model_copy(update={"groups": ("women",)})
    made = measurement().model_copy(update={"estimates": RATES, "figures": (few,)})
    assert charts.measurement_charts(made, 1)[0].reason == "it has 1 groups for 3 estimates"


def test_bars_without_groups_are_stored_as_before() -> None:
    assert "groups" not in BARS.model_copy(update={"groups": ()}).model_dump()


def test_bars_stored_with_parts_are_read() -> None:
    assert Bars.model_validate({**BARS.model_dump(), "parts": ["a"]}) == BARS
