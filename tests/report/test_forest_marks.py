"""What a forest plot says beside its points: one scale a unit, the bound, what is detected, both ends, published figures."""

from __future__ import annotations

from typing import Any

import pytest

from biascore.results.estimates import Equivalence
from biascore.results.measurement import Measurement
from biascore.results.run import Run
from biascore.results.stimuli_used import PublishedFigure, TestUsed

from ..builders.runs import measurement, run_of

pytest.importorskip("altair")
pytest.importorskip("vl_convert")
forest_charts = pytest.importorskip("biascore.report.charts").forest_charts

CAREER = "male names with career, female names with family (stereotype-congruent)"
MATHS = "mathematics with men, arts with women (stereotype-congruent)"


def made(value: float = 0.8, bound: float | None = 0.2, **parts: Any) -> Measurement:
    one = measurement(**{"value": value, "positive_means": CAREER, **parts})
    stated = None if bound is None else Equivalence(bound=bound, of=one.headline.name)
    return one.model_copy(update={"equivalence": stated})


def spec(run: Run, place: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = forest_charts(run)[place].spec
    return found


def domain(one: dict[str, Any]) -> list[float]:
    found: list[float] = one["layer"][-1]["encoding"]["x"]["scale"]["domain"]
    return found


def test_charts_of_one_unit_have_one_scale() -> None:
    run = run_of(
        made(0.8), made(-1.3, variant="token level"), made(0.3, metric="m", unit="share", name="share")
    )
    first, second, other = (domain(spec(run, place)) for place in range(3))
    assert first == second == pytest.approx([-1.9, 1.4])
    assert other == pytest.approx([-0.3, 0.9])


def test_a_row_has_no_more_lanes_than_it_needs_and_is_named_by_what_tells_it_apart() -> None:
    pairs = [("deepl", "English to Slovak"), ("nllb", "English to Czech"), ("amazon", "English to Slovene")]
    own = spec(run_of(*(made(model=model).model_copy(update={"subject": about}) for model, about in pairs)))
    assert [(row["label"], row["lane"]) for row in own["datasets"]["rows"]] == [
        (about, 0) for _, about in pairs
    ]
    assert own["height"]["step"] == 24
    # Where a row has all models, each keeps its lane in every row.
    run = run_of(made(model="a"), made(model="b"), made(model="b", test="it/weat7", title="other"))
    shared = spec(run)
    assert [row["lane"] for row in shared["datasets"]["rows"]] == [0, 1, 1]
    assert shared["height"]["step"] == 38


def test_the_bound_is_drawn_where_all_state_one() -> None:
    run = run_of(made(), made(test="it/weat7"))
    assert spec(run)["datasets"]["bound"] == [{"low": -0.2, "high": 0.2}]
    assert (
        "In the band from -0.2 to 0.2 an effect counts as too small to matter."
        in forest_charts(run)[0].caption
    )
    assert "bound" not in spec(run_of(made(), made(bound=0.1, test="it/weat7")))["datasets"]
    assert "bound" not in spec(run_of(made(bound=None)))["datasets"]


def test_only_what_is_detected_after_adjustment_is_filled() -> None:
    run = run_of(made(p=0.04), made(p=0.9, test="it/weat7"))
    assert [row["filled"] for row in spec(run)["datasets"]["rows"]] == [0, 0]
    assert [row["filled"] for row in spec(run_of(made(p=0.04)))["datasets"]["rows"]] == [1]
    assert spec(run)["layer"][-1]["encoding"]["fillOpacity"]["field"] == "filled"


@pytest.mark.parametrize(
    ("means", "line"),
    [
        ((CAREER, CAREER), "← male names with family, female names with career"),
        ((CAREER, MATHS), "← against the stereotype · with the stereotype →"),
        (
            (CAREER, "flowers with pleasant, insects with unpleasant"),
            "← the other way · the way that stands with the test →",
        ),
        ((CAREER, "prose of which nothing follows"), None),
    ],
)
def test_both_ends_of_the_axis_are_named(means: tuple[str, str], line: str | None) -> None:
    run = run_of(*(made(positive_means=text, test=f"it/{place}") for place, text in enumerate(means)))
    below = spec(run)["title"]["text"]
    assert below[0] == "effect size d (pooled standard deviations)"
    assert below[1:2] == ([] if line is None else [line])


def test_published_figures_are_drawn_where_they_can_be_compared() -> None:
    def figure(what: str, value: float, comparable: bool = True) -> PublishedFigure:
        return PublishedFigure(
            what=what, value=value, model="fastText", source="A paper", comparable=comparable
        )

    figures = (
        figure("WEAT effect size d", 1.7),
        figure("WEAT effect size d", 0.9, comparable=False),
        figure("WEAT effect size d after a transform", 0.4),
        figure("SEAT effect size d", 0.2),
    )
    used = TestUsed(id="it/weat6", published=figures)
    run = run_of(made(), made(test="it/weat7")).model_copy(update={"tests": (used,)})
    (one,) = spec(run)["datasets"]["published"]
    assert (one["value"], one["source"]) == (1.7, "A paper")
    assert one["label"] == spec(run)["datasets"]["rows"][0]["label"]
    assert "Grey diamonds are published figures." in forest_charts(run)[0].caption
    assert "published" not in spec(run_of(made()))["datasets"]
