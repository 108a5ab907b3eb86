"""What a forest plot says beside its points: one scale a unit, the bound, what is detected, both ends, published figures."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from biascore.results.estimates import Equivalence
from biascore.results.figures import Point
from biascore.results.measurement import Measurement
from biascore.results.run import Run
from biascore.results.stimuli_used import PublishedFigure, TestUsed
from biascore.stats import Verdict

from ..builders.runs import measurement, model_used, run_of

pytest.importorskip("altair")
pytest.importorskip("vl_convert")
forest_charts = pytest.importorskip("biascore.report.charts").forest_charts
FEWEST = pytest.importorskip("biascore.report.charts").FEWEST
slide_charts = pytest.importorskip("biascore.report.charts").slide_charts
draw = pytest.importorskip("biascore.report.vega").draw
LEFT_HALVES = pytest.importorskip("biascore.report.charts.base").LEFT_HALVES

CAREER = "male names with career, female names with family (stereotype-congruent)"
MATHS = "mathematics with men, arts with women (stereotype-congruent)"


def made(value: float = 0.8, bound: float | None = 0.2, **parts: Any) -> Measurement:
    one = measurement(**{"value": value, "positive_means": CAREER, **parts})
    stated = None if bound is None else Equivalence(bound=bound, of=one.headline.name)
    return one.model_copy(update={"equivalence": stated})


def spec(run: Run, place: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = forest_charts(run)[place].spec
    return found


def points_of(one: dict[str, Any]) -> dict[str, Any]:
    """The layer of the points."""
    (found,) = (
        layer for layer in one["layer"] if "fill" in layer["encoding"] and "tooltip" in layer["encoding"]
    )
    return dict(found)


def domain(one: dict[str, Any]) -> list[float]:
    found: list[float] = points_of(one)["encoding"]["x"]["scale"]["domain"]
    return found


def test_charts_of_one_unit_have_one_scale() -> None:
    run = run_of(made(0.8), made(-1.3, metric="other"), made(0.3, metric="m", unit="share", name="share"))
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
    run = run_of(made(model="a"), made(model="b"), made(model="b", test="it/weat7", title="other"))
    shared = spec(run)
    assert [row["lane"] for row in shared["datasets"]["rows"]] == [-0.5, 0.5, 0]
    assert shared["height"]["step"] == 38


def test_the_bound_is_drawn_where_all_state_one() -> None:
    run = run_of(made(), made(test="it/weat7"))
    assert spec(run)["datasets"]["bound"] == [{"low": -0.2, "high": 0.2}]
    assert "the bound, -0.2 to 0.2" in forest_charts(run)[0].caption
    assert "bound" not in spec(run_of(made(), made(bound=0.1, test="it/weat7")))["datasets"]
    assert "bound" not in spec(run_of(made(bound=None)))["datasets"]


def test_what_is_detected_is_filled_and_a_hint_is_half_filled() -> None:
    run = run_of(made(p=0.04), made(p=0.9, test="it/weat7", verdict=Verdict.INCONCLUSIVE))
    assert [row["filled"] for row in spec(run)["datasets"]["rows"]] == [0.5, 0]
    (half,) = spec(run)["datasets"]["hints"]
    assert (half["value"], half["half"]) == (0.8, LEFT_HALVES["circle"])
    assert [row["filled"] for row in spec(run_of(made(p=0.04)))["datasets"]["rows"]] == [1]
    assert points_of(spec(run))["encoding"]["fillOpacity"]["field"] == "inside"


@pytest.mark.parametrize(
    ("means", "line"),
    [
        ((CAREER, CAREER), "← male names with family, female names with career"),
        ((CAREER, MATHS), "← against the stereotype · with the stereotype →"),
        (
            (CAREER, "flowers with pleasant, insects with unpleasant"),
            None,
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


def test_a_forest_is_in_the_order_of_the_map_and_sets_baselines_and_controls_apart() -> None:
    def about(concept: str, test: str, model: str = "m") -> Measurement:
        return made(test=test, title=test, model=model).model_copy(update={"concept": concept})

    run = run_of(
        about("gender", "g1"), about("baseline", "b1"), about("race", "r1"), about("gender", "g2"),
        about("gender", "g1", "planted"),
        models=[model_used("m"), model_used("planted", {"g1": 1.0})],
    )  # fmt: skip
    data = spec(run)["datasets"]
    labels = ["g1", "g2", "r1", "Baseline: b1", "Control: g1"]
    assert [row["label"] for row in data["rows"]] == labels
    assert [row["label"] for row in data["edges"]] == labels[3:]


def test_variants_are_one_forest_in_which_one_that_repeats_another_is_named_and_not_drawn() -> None:
    variants = ("templates=direct", "templates=indirect", "level=token")
    values = (0.8, 0.3, 0.8)
    run = run_of(
        *(made(v, variant=text, test=f"t{i}") for v, text in zip(values, variants, strict=True) for i in "ab")
    )
    (one,) = forest_charts(run)
    assert {row["series"] for row in one.spec["datasets"]["rows"]} == {
        "direct templates",
        "indirect templates",
    }
    assert "“level token” is the same as “direct templates”" in one.caption
    assert len(one.spec["datasets"]["rows"]) == 4


def test_a_figure_of_points_shows_what_a_forest_would() -> None:
    point = Point(title="t", x="effect size d", y="effect size d")
    run = run_of(*(made(test=f"t{i}").model_copy(update={"figures": (point,)}) for i in range(3)))
    assert len(forest_charts(run)) == 1
    assert not forest_charts(run, FEWEST)


def test_a_slide_has_findings_alone_with_title_verdicts_and_both_ends_in_it() -> None:
    tests = [made(p=p, test=f"t{i}", title=f"t{i}") for i, p in enumerate((0.0001, 0.04))]
    tests.append(made(p=0.9, test="t2", title="t2", verdict=Verdict.INCONCLUSIVE))
    control = made(test="t0", model="planted")
    run = run_of(*tests, control, models=[model_used(tests[0].model), model_used("planted", {"t0": 1.0})])
    (slide,) = slide_charts(run)
    assert slide.name == "slide"
    assert "1 of 3 measurements detected, 1 hint" in slide.spec["title"]["text"][0]
    data = slide.spec["datasets"]
    assert [row["verdict"].split("|")[0] for row in data["verdicts"]] == ["detected", "hint", "inconclusive"]
    assert {row["model"] for row in data["rows"]} == {tests[0].model}
    (ends,) = data["ends"]
    assert ends["above"] == "male names with career, female names with family →"
    assert not slide_charts(run_of(*tests[:2], control))


def test_a_slide_has_ten_rows_the_detected_first_fits_a_screen_and_counts_the_rest() -> None:
    weak = [
        made(p=0.9, test=f"t{i}", title=f"A long title of test {i} " * 3, verdict=Verdict.INCONCLUSIVE)
        for i in range(30)
    ]
    strong = [made(p=0.0001, test=f"t{i}", title=f"t{i}") for i in range(30, 33)]
    run = run_of(*weak, *strong)
    (slide,) = slide_charts(run)
    words = [row["verdict"].split("|")[0] for row in slide.spec["datasets"]["verdicts"]]
    assert words == ["detected"] * 3 + ["inconclusive"] * 7
    assert len(slide.spec["datasets"]["rows"]) == 10
    assert "3 of 33 measurements detected" in slide.caption
    assert "23 more measurements not drawn: 23 inconclusive." in slide.caption
    png = draw(slide.spec, "png", None, slide.pixels)
    wide, high = struct.unpack(">II", png[16:24])
    assert wide <= 1600
    assert high <= 900
    assert wide == 1600 or high >= 895
