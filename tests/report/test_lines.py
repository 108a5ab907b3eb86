"""Items along a column of steps: a line for each group, the interval of each value as a band."""

from __future__ import annotations

from pathlib import Path

import pytest

from biascore.report.charts import charts_of
from biascore.results.figures import Lines
from biascore.results.measurement import Measurement

from ..builders.runs import measurement, run_of, table
from .pages import page_of

ROWS = [(f"step {i}", "d", 1.5 - i / 2) for i in range(3)] + [
    ("step 0", "share", 0.9),
    ("step 1", "share", None),
]
MORE = {
    "step": [0, 1, 2, 0, 1],
    "ci_low": [1.0, 0.5, 0.0, None, None],
    "ci_high": [2.0, 1.5, 1.0, None, None],
}


def with_lines(figure: Lines) -> Measurement:
    return measurement(items=table(ROWS, MORE)).model_copy(update={"figures": (figure,)})


def test_a_line_for_each_group_in_the_order_of_the_steps() -> None:
    one = with_lines(Lines(title="By step", x="step", groups=("d",), neutral=0.0))
    (chart,) = (chart for chart in charts_of(run_of(one)) if chart.title in ("By step", "Items"))
    rows = chart.spec["datasets"]["rows"]
    assert [(row["x"], row["value"], row["low"], row["high"]) for row in rows] == [
        (0.0, 1.5, 1.0, 2.0), (1.0, 1.0, 0.5, 1.5), (2.0, 0.5, 0.0, 1.0),
    ]  # fmt: skip
    assert chart.caption.startswith("By step: 3 values of d.")
    assert "The level line is at 0." in chart.caption


def test_what_has_no_value_is_told_and_no_neutral_value_draws_no_line() -> None:
    one = with_lines(Lines(title="By step", x="step", groups=("share",), neutral=None))
    chart = next(chart for chart in charts_of(run_of(one)) if chart.title == "By step")
    assert chart.note == "1 without a value not drawn."
    assert chart.spec["datasets"]["neutral"] == []
    assert "level line" not in chart.caption


@pytest.mark.parametrize(
    ("x", "group", "reason"),
    [
        ("absent", "d", "no column “absent”"),
        ("step", "other", "no item of its groups"),
        ("item", "d", "holds no numbers"),
    ],
)
def test_lines_that_cannot_be_drawn_say_why(x: str, group: str, reason: str, tmp_path: Path) -> None:
    page = page_of(run_of(with_lines(Lines(title="By step", x=x, groups=(group,)))), tmp_path)
    assert reason in page.text
