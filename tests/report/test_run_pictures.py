"""Pictures of a whole run: points below a limit, boxes and rows of dots, checked on the drawings and on the page."""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from itertools import combinations, pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from pydantic import ValidationError

from biascore.report import write_charts
from biascore.results.estimates import Estimate
from biascore.results.figures import Band, Boxes, Dots, Figure, Heat, Limit, Point
from biascore.results.measurement import Measurement
from biascore.results.run import Run

from ..builders.runs import HOSTILE, measurement, run_of, table
from .drawings import Mark, drawing
from .pages import leaves, page_of, squeezed
from .pictured import STEREOTYPES, TENT, bounds, hostile_joined, share_of, systems_run, templates_run

alt = pytest.importorskip("altair")
vl_convert = pytest.importorskip("vl_convert")
Chart = pytest.importorskip("biascore.report.charts").Chart
charts_of = pytest.importorskip("biascore.report.charts").charts_of
run_pictures = pytest.importorskip("biascore.report.charts").run_pictures
vega_lite_version = pytest.importorskip("biascore.report.vega").vega_lite_version

LINES = {"#8a8a8a"}


def pointed(marks: list[Mark]) -> list[Mark]:
    return [m for m in marks if m.attributes.get("aria-roledescription") == "point"]


def told(mark: Mark, key: str) -> str:
    found = re.search(rf"(?:^|; ){key}: (.*?)(?=; [A-Z]|$)", mark.label, re.DOTALL)
    assert found, mark.label
    return found[1]


def scale_of(pairs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Slope and intercept of places by value, from the least and the greatest value."""
    (v1, p1), (v2, p2) = min(pairs), max(pairs)
    return (p2 - p1) / (v2 - v1), p1 - v1 * (p2 - p1) / (v2 - v1)


def numbers(marks: list[Mark]) -> list[Mark]:
    return [m for m in marks if m.tag == "text" and re.fullmatch(r"\d+\.\d+", m.text)]


def xy_of(m: Measurement) -> tuple[Estimate, Estimate]:
    return m.estimate("f_m"), m.estimate("f_s")


def test_each_measurement_is_a_point_with_its_intervals() -> None:
    run = systems_run()
    marks = drawing(run, "run-01-gest-mt-Rates")
    points = pointed(marks)
    assert len(points) == len(run) == 32
    of = {(told(p, "Model"), told(p, "About")): p for p in points}
    at = [(of[m.model, m.figures[0].subject], *xy_of(m)) for m in run]  # type: ignore[union-attr]
    across = scale_of([(x.value, p.x) for p, x, _ in at if x.value is not None])
    up = scale_of([(y.value, p.y) for p, _, y in at if y.value is not None])
    assert across[0] > 0 > up[0]
    for point, x, y in at:
        assert point.x == pytest.approx(across[0] * (x.value or 0) + across[1], abs=0.01)
        assert point.y == pytest.approx(up[0] * (y.value or 0) + up[1], abs=0.01)
        assert f"f_m: {x.value:.3f} (" in point.label
    # The scales of the points are those of the axes, the neutral lines and the limit.
    for number in numbers(marks):  # those of the upward axis end at it
        if number.attributes.get("text-anchor") == "end":
            assert number.y == pytest.approx(up[0] * float(number.text) + up[1], abs=6)
        else:
            assert number.x == pytest.approx(across[0] * float(number.text) + across[1], abs=6)
    neutral = {m.attributes["x2"] == "0": m for m in marks if m.attributes.get("stroke") in LINES}
    assert neutral[True].x == pytest.approx(across[0] * 0.5 + across[1], abs=0.01)
    assert neutral[False].y == pytest.approx(up[1], abs=0.01)
    [limit] = [m for m in marks if "stroke-dasharray" in m.attributes]
    path = [float(n) for n in re.findall(r"-?[\d.]+", limit.attributes["d"])]
    for (x0, y0), px, py in zip(TENT.corners, path[::2], path[1::2], strict=True):
        assert limit.x + px == pytest.approx(across[0] * x0 + across[1], abs=0.1)
        assert limit.y + py == pytest.approx(up[0] * y0 + up[1], abs=0.1)
    widths = {
        round(abs(float(m.attributes["x2"])), 1) for m in marks if m.attributes.get("opacity") == "0.45"
    }
    assert widths == {0.0, round(0.03 * across[0], 1)}


@pytest.mark.parametrize("systems", [1, 4])
def test_points_are_named_beside_them_without_overlap(systems: int) -> None:
    run = systems_run(systems)
    marks = drawing(run, "run-01")
    points = pointed(marks)
    names = [m for m in marks if m.attributes.get("font-size") == "11px"]
    assert len(names) >= 0.85 * len(run) + 1
    boxes = []
    for name in names:
        width = 0.5 * 11 * len(name.text)
        left = {"start": 0.0, "middle": width / 2, "end": width}[name.attributes.get("text-anchor", "start")]
        boxes.append((name.x - left, name.x - left + width, name.y))
        if name.text != TENT.name:
            own = [p for p in points if told(p, "About") == name.text]
            assert min((p.x - name.x) ** 2 + (p.y - name.y) ** 2 for p in own) < 20**2, name.text
    for (l1, r1, y1), (l2, r2, y2) in combinations(boxes, 2):
        assert r1 <= l2 or r2 <= l1 or abs(y1 - y2) >= 10
    assert all(left >= 0 and right <= 720 for left, right, _ in boxes)
    assert TENT.name in {name.text for name in names}


def test_boxes_are_quartiles_and_whiskers_of_tukey() -> None:
    run = systems_run()
    marks = drawing(run, "run-02-gest-mt-Feminine-ranks")
    labels = {m.text: m for m in marks if m.text in STEREOTYPES and m.tag == "text"}
    assert [labels[s].y for s in STEREOTYPES] == sorted(labels[s].y for s in STEREOTYPES)
    boxes = {told(m, "Of"): m for m in marks if "Lower quartile" in m.label}
    outliers = 0
    ends = {}
    for label in STEREOTYPES:
        values = sorted(v for m in run if (v := m.estimate(f"rank {label}").value) is not None)
        q1, median, q3 = statistics.quantiles(values, n=4, method="inclusive")
        said = [float(told(boxes[label], key)) for key in ("Lower quartile", "Median", "Upper quartile")]
        assert said == pytest.approx([q1, median, q3], abs=0.001)
        assert told(boxes[label], "Values") == "32"
        within = [v for v in values if q1 - 1.5 * (q3 - q1) <= v <= q3 + 1.5 * (q3 - q1)]
        outliers += 32 - len(within)
        ends[label] = (q1, q3, within[0], within[-1])
    drawn = {label: (boxes[label].x, float(boxes[label].attributes["x2"])) for label in STEREOTYPES}
    slope, start = scale_of([(ends[s][0], drawn[s][0]) for s in STEREOTYPES])
    whiskers = {round(m.y): m for m in marks if m.tag == "line" and m.attributes.get("stroke-width") == "1.2"}
    for label, (q1, q3, low, high) in ends.items():
        assert drawn[label] == pytest.approx((slope * q1 + start, slope * (q3 - q1)), abs=0.6)
        line = whiskers[round(boxes[label].y)]
        assert line.x == pytest.approx(slope * low + start, abs=0.6)
        assert float(line.attributes["x2"]) == pytest.approx(slope * (high - low), abs=0.6)
    assert 0 < outliers == len([m for m in pointed(marks) if "Model: " in m.label])


@pytest.mark.parametrize(("size", "boxes", "points"), [(1, 0, 16), (4, 0, 64), (5, 16, 80), (30, 16, 480)])
def test_few_measurements_are_points(size: int, boxes: int, points: int, tmp_path: Path) -> None:
    run = run_of(*list(systems_run())[:size])
    marks = drawing(run, "run-02")
    assert sum("Lower quartile" in m.label for m in marks) == boxes
    assert sum("Model: " in m.label for m in pointed(marks)) == points
    caption = page_of(run, tmp_path).all("section", "across")[0].all("figure")[size > 1].text
    assert ("and no boxes" in caption) == (boxes == 0)
    assert ("within 1.5 interquartile ranges" in caption) == (boxes > 0)


def test_dots_stand_in_a_row_for_each_model() -> None:
    run = templates_run()
    points = pointed(drawing(run, "run-01-gest-lm-Rate-by-model-and-template"))
    assert len(points) == 25
    pairs = [
        (
            run[int(told(p, "Model")[-1])]
            .estimate(told(p, "Estimate").replace("all templates", "rate"))
            .value
            or 0,
            p.x,
        )
        for p in points
    ]
    slope, start = scale_of(pairs)
    assert [x for _, x in pairs] == pytest.approx([slope * value + start for value, _ in pairs], abs=0.01)
    rows = [sorted(p.y for p in points if told(p, "Model") == f"hf:model-{i}") for i in range(5)]
    assert all(above[-1] < below[0] for above, below in pairwise(rows))
    assert len({(p.attributes["fill"], p.attributes["d"]) for p in points}) == 5


def test_pictures_have_a_section_between_rulers_and_results(tmp_path: Path) -> None:
    run = systems_run(1)
    page = page_of(run, tmp_path)
    headings = [h.text for h in page.all("h2")]
    assert headings[headings.index("Across measurements") + 1] == "Results"
    section = page.all("section", "across")[0]
    assert [h.text for h in section.all("h3")] == [
        "Rates gest-mt",
        "Feminine ranks gest-mt",
        "Ranks by system gest-mt",
    ]
    assert (
        "Rates on script:amazon: f_m and f_s, 8 measurements. Lines are 95 % confidence intervals."
        in section.text
    )
    assert not page_of(run_of(measurement()), tmp_path / "none").all("section", "across")
    names = [p.name for p in write_charts(run, tmp_path / "charts", ("svg",))]
    at = names.index("run-01-gest-mt-Rates.svg")
    assert names[at + 1] == "run-02-gest-mt-Feminine-ranks.svg"
    assert not [name for name in names if name.startswith("figure")]


def made(*figures: Figure, **more: str) -> Measurement:
    estimates = (
        share_of("a", 40.0, 50.0, 9),
        share_of("b", 60.0, 50.0, 9),
        share_of("c", 2.0, 0.0, 9, unit="nats"),
        Estimate(name="d", value=None, unit="%", n={}),
    )
    return measurement(items=table([]), **more).model_copy(
        update={"estimates": estimates, "figures": figures}
    )  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("figure", "reason"),
    [
        (Point(title="t", x="a", y="no"), "the measurement has no estimate “no”"),
        (Point(title="t", x="a", y="d"), "no measurement has a value of both estimates"),
        (Boxes(title="t", estimates=("no",), labels=("x",)), "the measurement has no estimate “no”"),
        (Boxes(title="t", estimates=("a", "b"), labels=("x",)), "it has 1 labels for 2 estimates"),
        (Boxes(title="t", estimates=("d",), labels=("x",)), "none of its estimates has a value"),
        (
            Dots(title="t", estimates=("a", "c"), labels=("x", "y")),
            "its estimates have several units (%, nats)",
        ),
        (Dots(title="t", estimates=("d",), labels=("x",)), "none of its estimates has a value"),
    ],
)
def test_a_picture_that_cannot_be_drawn_says_why(figure: Figure, reason: str, tmp_path: Path) -> None:
    run = run_of(made(figure), made(figure))
    section = page_of(run, tmp_path).all("section", "across")[0]
    assert f"This figure is not drawn: {reason}." in section.text
    assert not [p for p in write_charts(run, tmp_path, ("svg",)) if p.name.startswith("run")]


def test_what_is_left_out_of_a_picture_is_counted(tmp_path: Path) -> None:
    good = [
        made(Point(title="t", x="a", y="b"), Boxes(title="t", estimates=("a", "d"), labels=("x", "y")))
    ] * 3
    bad = [made(Point(title="t", x="a", y="no"), Boxes(title="t", estimates=("no",), labels=("x",)))] * 2
    bad += [made(Point(title="t", x="a", y="d"))]
    text = page_of(run_of(*good, *bad), tmp_path).all("section", "across")[0].text
    assert text.count("2 not drawn: the measurement has no estimate “no”.") == 2
    assert "This figure is not drawn: no measurement has a value of both estimates." in text
    assert "3 values not estimable and so not drawn." in text


def test_what_cannot_share_axes_is_drawn_apart() -> None:
    one = made(Point(title="t", x="a", y="b"), Dots(title="d", estimates=("a",), labels=("x",)))
    other = made(Point(title="t", x="b", y="a"), Dots(title="d", estimates=("c",), labels=("x",)))
    figure = Point(title="t", x="a", y="b")
    run = run_of(one, one, other, made(figure, metric="other metric"))
    names = [one.chart.name for one in run_pictures(run) if isinstance(one.chart, Chart)]
    assert names == [
        "run-01-weat-t",
        "run-02-weat-t",
        "run-03-weat-d",
        "run-04-weat-d",
        "run-05-other-metric-t",
    ]
    assert len(pointed(drawing(run, "run-01"))) == 2
    assert len(pointed(drawing(run, "run-02"))) == 1


def abouts(run: Run) -> set[str]:
    return {told(p, "About") for p in pointed(drawing(run, "run-01"))}


def test_a_subject_tells_measurements_of_a_model_apart(tmp_path: Path) -> None:
    def point(variant: str, test: str = "it/weat6", subject: str = "") -> Measurement:
        return made(
            Point(title="t", x="a", y="b", subject=subject), variant=variant, test=test, title=f"Title {test}"
        )

    assert abouts(run_of(point("k, one"), point("k, two"))) == {"one", "two"}
    assert abouts(run_of(point("k", "A"), point("k", "B"))) == {"Title A", "Title B"}
    given = run_of(point("to sk", subject="sk"), point("to cs", subject="cs"))
    assert abouts(given) == {"sk", "cs"}
    repeated = run_of(point("all", subject="sk"), point("no 15", subject="sk"), point("all", subject="cs"))
    assert abouts(repeated) == {"sk, all", "sk, no 15", "cs"}


def test_a_limit_beyond_the_picture_is_noted(tmp_path: Path) -> None:
    limit = Limit(name="end of the world", corners=((1000.0, 0.0), (2000.0, 1.0)))
    figure = Point(title="t", x="a", y="b", limit=limit)
    text = page_of(run_of(*(made(figure, test=test) for test in "abc")), tmp_path).text
    assert "The end of the world lies outside of the picture." in text
    assert "dashed" not in text


def test_the_page_has_no_picture_of_fewer_than_three_points(tmp_path: Path) -> None:
    some = [made(Point(title="t", x="a", y="b"), test=test) for test in "abc"]
    assert page_of(run_of(*some), tmp_path).all("section", "across")
    assert not page_of(run_of(*some[:2]), tmp_path / "two").all("section", "across")


def test_dots_whose_labels_and_unit_are_equal_are_one_figure_on_one_axis() -> None:
    def dots(emotion: str, *names: str) -> Dots:
        return Dots(title=f"Effects on {emotion}", estimates=names, labels=("race", "gender"))

    run = run_of(
        made(
            dots("anger", "a", "b"),
            dots("joy", "b", "a"),
            Dots(title="Other", estimates=("c",), labels=("x",)),
        )
    )
    first, other = (one.chart for one in run_pictures(run))
    assert isinstance(first, Chart)
    assert first.title == "Effects on anger, joy"
    rows = first.spec["datasets"]["rows"]
    assert [(row["label"], row["series"]) for row in rows] == [
        ("anger", "race"), ("anger", "gender"), ("joy", "race"), ("joy", "gender"),
    ]  # fmt: skip
    assert "1 measurement" in first.caption
    assert other.title == "Other"


def test_dots_do_not_repeat_what_the_forest_shows() -> None:
    one = Dots(title="t", estimates=("a",), labels=("x",))
    more = Dots(title="t", estimates=("a", "b"), labels=("x", "y"))
    run = run_of(made(one, test="1"), made(one, test="2"), made(more, test="3"))
    (picture,) = run_pictures(run)
    assert {row["test"].split(":")[0] for row in picture.chart.spec["datasets"]["rows"]} == {"3"}  # type: ignore[union-attr]


def test_a_limit_runs_from_left_to_right() -> None:
    with pytest.raises(ValidationError, match="from left to right"):
        Limit(name="l", corners=((0.0, 0.0), (0.0, 1.0)))


@pytest.mark.slow
def test_hostile_texts_in_pictures_of_the_run_stay_texts(tmp_path: Path) -> None:
    run = run_of(*hostile_joined())
    page = page_of(run, tmp_path)
    assert not [e for e in page.walk() if e.tag in {"img", "textarea", "b-", "iframe"}]
    assert {e.attributes.get("class") for e in page.all("svg")} <= {"tally", "lane", "axis"}
    section = page.all("section", "across")[0]
    headings = [h.text for h in section.all("h3")]
    for text in HOSTILE:
        assert headings.count(squeezed(f"{text} {HOSTILE[5]}")) == 4
        assert headings.count(squeezed(f"{text} undrawn {HOSTILE[5]}")) == 1


@pytest.mark.slow
def test_hostile_texts_in_drawings_of_the_run_stay_texts(tmp_path: Path) -> None:
    for path in write_charts(run_of(*hostile_joined()), tmp_path, ("svg",)):
        tags = {element.tag.rpartition("}")[2] for element in ElementTree.parse(path).iter()}
        assert tags <= {"svg", "g", "path", "rect", "line", "text", "tspan", "defs", "clipPath"}


@pytest.mark.slow
def test_no_text_of_a_picture_of_the_run_enters_an_expression() -> None:
    mark = "ZZ-user-text-ZZ"
    limit = Limit(name=mark, corners=((0.0, 70.0), (90.0, 20.0)))
    estimates = tuple(
        Estimate(name=f"{mark}{i}", value=40.0 + i, unit=mark, neutral=50.0, n={}, interval=bounds(40 + i, 3))
        for i in range(2)
    )
    names = tuple(e.name for e in estimates)
    figures = (
        Point(title=mark, x=names[0], y=names[1], subject=f"{mark}s", limit=limit),
        Boxes(title=mark, estimates=names, labels=names, subject=f"{mark}s"),
        Heat(title=mark, estimates=names, labels=names, groups=names, ends=(mark, mark), subject=f"{mark}s"),
        Dots(
            title=mark,
            estimates=names,
            labels=names,
            subject=f"{mark}s",
            bands=(Band(name=mark, low=0, high=99),),
        ),
    )
    run = run_of(*(
        measurement(test=mark, title=mark, metric=mark, variant=mark, model=f"{mark}{i % 3}", items=table([])).model_copy(
            update={"estimates": estimates, "figures": figures})
        for i in range(6)
    ))  # fmt: skip
    charts = [chart for chart in charts_of(run) if chart.name.startswith("run")]
    assert len(charts) == 4
    columns = ("label", "column", "series", "model", "about", "test", "values", "text", "band")
    allowed = {
        "description",
        "title.text",
        "usermeta.narrow.text",
        *(f"data.values.{name}" for name in columns),
    }
    for chart in charts:
        alt.LayerChart.from_dict(chart.spec)  # raises where the specification breaks the Vega-Lite schema
        compiled = vl_convert.vegalite_to_vega(chart.spec, vl_version=vega_lite_version())
        places = {key for key, text in leaves(compiled) if mark in text}
        assert {"description", "title.text"} < places <= allowed, chart.name
