"""Do the methods agree? The comparison of methods on the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from biascore.results.estimates import Estimate
from biascore.results.measurement import Measurement
from biascore.results.verdicts import State
from biascore.stats import Adjustment
from biascore.stats.verdict import Verdict

from ..builders.runs import MODELS, measurement, run_of
from .drawings import drawing
from .pages import page_of
from .pictured import rulers_run

pytest.importorskip("altair")
pytest.importorskip("vl_convert")


def test_the_page_counts_agreement(tmp_path: Path) -> None:
    run = rulers_run()
    page = page_of(run, tmp_path)
    headings = [h.text for h in page.all("h2")]
    assert headings[4:7] == ["Effects", "Do the methods agree?", "Results"]
    section = page.all("section", "methods")[0]
    states = {id(m): State.of(m, said) for m, said in zip(run, run.verdicts, strict=True)}
    for model in MODELS[1:]:
        same = detected = agreed = 0
        for test in sorted({m.test for m in run}):
            read = [m for m in run if m.model == model and m.test == test and m.headline.value is not None]
            found = [states[id(m)] is State.DETECTED for m in read]
            detected, agreed = detected + any(found), agreed + all(found)
            same += len({m.headline.value > 0 for m in read if m.headline.value is not None}) == 1
        assert 0 < same < 6  # the example can tell them apart
        assert f"All point in the same direction in {same} of 6 tests." in section.text
        if detected:
            assert f"detects a bias in {detected} of 6 tests, and all methods do in {agreed}." in section.text
    (order,) = section.all("table", "orders")
    assert [cell.text for cell in order.all("td", "num")][::2] == [str(order.n) for order in run.orders]
    rows = [row for table_ in section.all("table", "readings") for row in table_.all("td", "name")]
    assert [row.text for row in rows] == [m.method for m in run]


def test_tests_that_differ_are_named(tmp_path: Path) -> None:
    def read(test: str, method: str, value: float | None, verdict: Verdict) -> Measurement:
        return measurement(test=test, title=f"Title of {test}", metric=method, value=value, verdict=verdict)

    found, open_ = Verdict.DETECTED, Verdict.INCONCLUSIVE
    run = run_of(
        read("agreed", "weat", 0.5, found), read("agreed", "seat", 0.9, found),
        read("verdict", "weat", 0.5, found), read("verdict", "seat", 0.1, open_),
        read("sign", "weat", 0.1, open_), read("sign", "seat", -0.1, open_),
        read("absent", "weat", 0.1, open_), read("absent", "seat", None, Verdict.NOT_MEASURED),
        read("alone", "weat", 0.1, open_), adjustment=Adjustment.NONE,
    )  # fmt: skip
    section = page_of(run, tmp_path).all("section", "methods")[0]
    assert "At least one method detects a bias in 2 of 3 tests, and all methods do in 1." in section.text
    assert "All point in the same direction in 2 of 3 tests." in section.text
    said = [p.text for p in section.all("p")]
    for line in (
        "Some detect a bias and others do not: Title of verdict.",
        "Directions differ: Title of sign.",
        "Nothing to compare, because fewer than two methods gave a value: Title of absent.",
    ):
        assert line in said
    assert "Title of alone" not in section.text
    (concepts,) = section.all("table", "agreements")
    assert [cell.text for cell in concepts.all("td", "name")] == ["weat", "seat"]
    assert "2 of 2 methods detect a bias" in concepts.text
    assert not section.all("table", "orders")  # both measured three tests, too few for an order


@pytest.mark.parametrize(("neutral", "said"), [
    (45.0, "All point in the same direction in 0 of 1 test."),
    (0.0, "all methods do in 1."),  # nothing lies below: a distance has no direction
    (50.0, "All point in the same direction in 0 of 1 test."),
    (None, ""),
])  # fmt: skip
def test_direction_is_counted_from_the_neutral_value(
    neutral: float | None, said: str, tmp_path: Path
) -> None:
    made = [
        measurement(metric=metric).model_copy(
            update={"estimates": (Estimate(name="rate", value=value, unit="%", neutral=neutral, n={}),)}
        )
        for metric, value in (("a", 40.0), ("b", 60.0))
    ]
    text = page_of(run_of(*made), tmp_path).text
    assert said in text
    assert ("All point in the same direction" in text) is ("All point" in said)


@pytest.mark.parametrize(
    "second",
    [
        {"test": "it/other"},
        {"model": "other"},
        {"name": "another effect"},
        {"unit": "cosine"},
        {"metric": "weat"},
    ],
)
def test_what_is_not_the_same_quantity_is_not_compared(second: dict[str, Any], tmp_path: Path) -> None:
    both = page_of(run_of(measurement(), measurement(metric="seat")), tmp_path)
    assert both.all("table", "readings")
    other: dict[str, Any] = {"metric": "seat", **second}
    page = page_of(run_of(measurement(), measurement(**other)), tmp_path / "other")
    assert not page.all("table", "readings")


def test_what_changed_by_a_transform_is_not_compared(tmp_path: Path) -> None:
    """The change in total, and step by step, are two methods with one estimate, and no two readings of a bias."""
    made = [
        measurement(metric="weat-change", variant=variant).model_copy(update={"change_from": "before"})
        for variant in ("", "trace=true")
    ]
    assert not page_of(run_of(*made), tmp_path).all("section", "methods")


def test_one_method_on_several_subjects_is_one_forest_and_no_comparison(tmp_path: Path) -> None:
    made = [
        measurement(metric="gest-mt").model_copy(update={"subject": subject})
        for subject in ("en to sk", "en to ru")
    ]
    page = page_of(run_of(*made), tmp_path)
    assert not page.all("section", "methods")
    marks = drawing(run_of(*made), "forest-01")
    points = [mark for mark in marks if "Method: " in mark.label]
    assert len({round(point.y) for point in points}) == 2
    assert {"en to sk", "en to ru"} <= {s for s in ("en to sk", "en to ru") if s in page.text}
