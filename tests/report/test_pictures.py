"""Planes, bars and the comparison of rulers: checked on the drawings (SVG) and on the page, not on their source."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pyarrow as pa
import pytest

from biascore.report import write_charts
from biascore.results.estimates import Estimate
from biascore.results.figures import Bars, Plane
from biascore.results.measurement import Measurement

from ..builders.runs import HOSTILE, measurement, run_of, table
from .drawings import Mark, drawing, lines, points, shape_of, texts
from .pages import assert_data_is_used, leaves, page_of, squeezed
from .pictured import (
    PLANE,
    bounds,
    hostile_figures,
    hostile_rulers,
    pairs_measurement,
    plane_measurement,
    share_of,
)

alt = pytest.importorskip("altair")
vl_convert = pytest.importorskip("vl_convert")
charts_of = pytest.importorskip("biascore.report.charts").charts_of
vega_lite_version = pytest.importorskip("biascore.report.vega").vega_lite_version


@pytest.mark.parametrize(("size", "dimensions"), [(20, 2), (200, 2), (600, 3)])
def test_plane_shows_each_item_at_its_place(size: int, dimensions: int, tmp_path: Path) -> None:
    run = run_of(plane_measurement(size, dimensions, missing=5))
    drawn = drawing(run, "figure-0001-1-")
    at = points(drawn)
    items = run[0].items.to_pylist()[: size - 5]
    assert at.keys() == {item["item"] for item in items}

    middle_x, middle_y = (next(m for m in lines(drawn) if m.attributes[end] == "0") for end in ("x2", "y2"))
    far_x = max(items, key=lambda item: abs(item["gender"]))
    far_y = max(items, key=lambda item: abs(item["race"]))
    unit_x = (at[far_x["item"]].x - middle_x.x) / far_x["gender"]
    unit_y = (middle_y.y - at[far_y["item"]].y) / far_y["race"]
    assert unit_x == pytest.approx(unit_y, rel=0.01)  # equal scales, women on the left, black below
    for item in items:
        assert at[item["item"]].x == pytest.approx(middle_x.x + unit_x * item["gender"], abs=0.01)
        assert at[item["item"]].y == pytest.approx(middle_y.y - unit_y * item["race"], abs=0.01)

    for item in items:  # the tooltip, which is the label as well, has all columns
        told = float(
            at[item["item"]].label.partition("valence: ")[2].split()[0].replace("\N{MINUS SIGN}", "-")
        )
        assert told == pytest.approx(item["valence"], abs=0.0005)

    looks = {(at[i["item"]].attributes["fill"], shape_of(at[i["item"]]), i["group"]) for i in items}
    assert len({look[:2] for look in looks}) == len({look[2] for look in looks}) == len(looks)
    note = page_of(run, tmp_path).all("figure")[0].text
    assert f"{size - 5} items by gender and race." in note
    assert "5 without a finite value on both axes not drawn." in note


def test_quadrants_are_named_in_their_corners() -> None:
    marks = drawing(run_of(plane_measurement(50)), "figure-0001-1-")
    names = texts(marks, {"women, white", "men, white", "women, black", "men, black"})
    upright, level = (next(m for m in lines(marks) if m.attributes[end] == "0") for end in ("x2", "y2"))
    for name, mark in names.items():
        assert (mark.x > upright.x) == name.startswith("men"), name
        assert (mark.y < level.y) == name.endswith("white"), name
        for point in points(marks).values():
            assert abs(point.y - mark.y) > 12  # no point under the name of a quadrant
    assert len(names) == 4


@pytest.mark.parametrize("shift", [0.0, 0.12])
@pytest.mark.parametrize(("size", "dimensions"), [(20, 2), (200, 2), (600, 3)])
def test_extremes_of_each_group_are_named_without_overlap(size: int, dimensions: int, shift: float) -> None:
    run = run_of(plane_measurement(size, dimensions, shift=shift))
    frame = run[0].items_frame()
    greatest = frame.sort_values("value", ascending=False).groupby("group").head(4)
    marks = drawing(run, "figure-0001-1-")
    named = texts([m for m in marks if m.attributes.get("font-size") == "11px"], set(frame["item"]))
    if size > 60:  # smaller tables are named in the item chart as well, in another file
        assert not [chart for chart in charts_of(run) if chart.name.startswith("items-")]
    assert set(named) <= set(greatest["item"])
    assert len(named) >= min(len(greatest), 6)
    top = greatest.groupby("group").head(1)["item"]
    assert len(set(top) & set(named)) >= len(top) / 2
    # At the least half of the size of the font wide: narrower than any letters but i, j, l.
    boxes = []
    for text, mark in named.items():
        width = 0.5 * 11 * len(text)
        left = {"start": 0.0, "middle": width / 2, "end": width}[mark.attributes.get("text-anchor", "start")]
        boxes.append((mark.x - left, mark.x - left + width, mark.y))
    for (l1, r1, y1), (l2, r2, y2) in combinations(boxes, 2):
        assert r1 <= l2 or r2 <= l1 or abs(y1 - y2) >= 10
    for l1, r1, _ in boxes:
        assert l1 >= 0
        assert r1 <= 720


def test_labels_that_have_no_room_are_left_out() -> None:
    names = [f"a rather long name {i:02d}" for i in range(12)]
    groups = [f"group {i % 3}" for i in range(12)]
    near = [0.1 + i / 1e4 for i in range(12)]
    items = table(list(zip(names, groups, near, strict=True)), {"gender": near, "race": near})
    marks = drawing(run_of(plain(items)), "figure")
    assert len(points(marks)) == 12
    assert len(texts([m for m in marks if m.attributes.get("font-size") == "11px"], set(names))) < 5


def test_labels_at_the_edge_turn_inwards() -> None:
    long = "a name of some length"
    rows: list[tuple[str, str, float | None]] = [(long + " r", "g", 1.0), (long + " l", "h", 1.0)]
    items = table(rows, {"gender": [1.0, -1.0], "race": [0.5, 0.5]})
    marks = drawing(run_of(plain(items)), "figure")
    named = texts([m for m in marks if m.attributes.get("font-size") == "11px"], {row[0] for row in rows})
    anchors = {name[-1]: mark.attributes.get("text-anchor", "start") for name, mark in named.items()}
    assert anchors == {"r": "end", "l": "start"}


def plain(items: pa.Table, plane: Plane = PLANE) -> Measurement:
    return measurement(items=items).model_copy(update={"figures": (plane,)})


def test_axes_of_very_different_range_have_their_own_scales_and_say_so(tmp_path: Path) -> None:
    rows: list[tuple[str, str, float | None]] = [(f"w{i}", "g", float(i)) for i in range(-9, 10)]
    wide = plain(table(rows, {"gender": [float(i) for i in range(-9, 10)], "race": [0.01] * 19}))
    nothing = plain(table(rows, {"gender": [0.0] * 19, "race": [0.0] * 19}))
    told = [figure.text for figure in page_of(run_of(wide, nothing), tmp_path).all("figure")]
    assert ["The two axes have different scales." in text for text in told if "by gender and race" in text] == [
        True, False,
    ]  # fmt: skip
    assert len(points(drawing(run_of(nothing), "figure"))) == 19


def test_a_plane_replaces_strips_but_not_names() -> None:
    def kinds(made: Measurement) -> Counter[str]:
        return Counter(chart.name.partition("-")[0] for chart in charts_of(run_of(made)))

    assert kinds(plane_measurement(200)) == {"figure": 3}
    assert kinds(plane_measurement(20)) == {"figure": 3, "items": 1}
    undrawn = Plane(title="t", x="nowhere", y="race", x_ends=("a", "b"), y_ends=("c", "d"))
    assert kinds(plain(plane_measurement(200).items, undrawn)) == {"items": 1}
    names = [chart.name for chart in charts_of(run_of(plane_measurement(20)))]
    assert names == [
        "figure-0001-1-fise-it-fise_occupations-Occupations-by-gender-and-race",
        "figure-0001-2-fise-it-fise_occupations-Share-of-the-items-in-each-group",
        "figure-0001-3-fise-it-fise_occupations-Pleasant-items-in-each-group",
        "items-0001-fise-it-fise_occupations",
    ]


def test_bars_start_at_no_bias_and_stand_in_order(tmp_path: Path) -> None:
    made = pairs_measurement()
    run = run_of(made)
    marks = drawing(run, "figure")
    bars = [m for m in marks if m.attributes.get("aria-roledescription") == "bar"]
    drawn = [e for e in made.estimates if e.value is not None]
    assert [re.search("Estimate: (.*); Value", b.label)[1] for b in bars] == [e.name for e in drawn]  # type: ignore[index]
    boxes = [re.match(r"M([\d.e-]+),([\d.e-]+)h([\d.]+)v", b.attributes["d"]).groups() for b in bars]  # type: ignore[union-attr]
    lefts, tops, widths = zip(*(map(float, box) for box in boxes), strict=True)
    assert list(tops) == sorted(tops)
    unit = widths[0] / 10.5
    assert widths == pytest.approx([unit * abs(e.value - 50) for e in drawn if e.value is not None])
    [line] = lines(marks)
    ends_at = [left + width * (e.value < 50) for left, width, e in zip(lefts, widths, drawn, strict=True)]
    assert [bar.x + end for bar, end in zip(bars, ends_at, strict=True)] == pytest.approx(
        [line.x] * len(bars)
    )
    shown = " ".join(m.text for m in marks if m.tag == "text")
    assert all(f"n = {e.n['items']:,} items" in shown for e in drawn)
    ends = [m for m in marks if m.tag == "line" and m.attributes.get("stroke") == "#333333"]
    lengths = [abs(float(m.attributes["x2"])) for m in ends]
    assert lengths == pytest.approx([unit * (e.interval.high - e.interval.low) for e in drawn if e.interval])

    figure = next(f for f in page_of(run, tmp_path).all("figure") if "by bias type" in f.text)
    assert "The vertical line at 50 means no bias, and bars begin there." in figure.text
    assert "Without a value, and so not drawn: profession." in figure.text


@pytest.mark.parametrize(
    ("figure", "reason"),
    [
        (PLANE.model_copy(update={"x": "nowhere"}), "the item table has no column “nowhere”"),
        (PLANE.model_copy(update={"y": "group"}), "the column “group” of the item table holds no numbers"),
        (PLANE.model_copy(update={"y": "empty"}), "no item has a finite value on both axes"),
        (Bars(title="t", estimates=("no",), labels=("a",)), "the measurement has no estimate “no”"),
        (Bars(title="t", estimates=("a", "b"), labels=("a",)), "it has 1 labels for 2 estimates"),
        (
            Bars(title="t", estimates=("a", "c"), labels=("a", "c")),
            "its estimates have several units (%, nats)",
        ),
        (Bars(title="t", estimates=("d",), labels=("d",)), "none of its estimates has a value"),
    ],
)
def test_a_figure_that_cannot_be_drawn_says_why(figure: Plane | Bars, reason: str, tmp_path: Path) -> None:
    estimates = (
        share_of("a", 40.0, 50.0, 9),
        share_of("b", 60.0, 50.0, 9),
        share_of("c", 2.0, 0.0, 9, unit="nats"),
        Estimate(name="d", value=None, unit="%", n={}),
    )
    items = table([("x", "g", 1.0), ("y", "g", 2.0)], {"gender": [1.0, 2.0], "empty": [None, float("nan")]})
    made = measurement(items=items).model_copy(update={"estimates": estimates, "figures": (figure,)})
    page = page_of(run_of(made), tmp_path)
    assert f"This figure is not drawn: {reason}." in page.text
    assert len(page.all("figure")) == 1  # the items are there
    assert not [p for p in write_charts(run_of(made), tmp_path, ("svg",)) if p.name.startswith("figure")]


@pytest.mark.parametrize("chart", ["forest", "items"])
def test_the_neutral_value_is_marked_wherever_it_is(chart: str) -> None:
    def marked(neutral: float | None) -> list[Mark]:
        made = measurement(items=table([("a", "X", 41.0), ("b", "Y", 62.0)]))
        rate = Estimate(name="rate", value=52.0, unit="%", neutral=neutral, n={}, interval=bounds(52, 9))
        changes = {"estimates": (rate,), "item_value": "rate of the item", "item_neutral": neutral}
        made = made.model_copy(update=changes)
        return drawing(run_of(made), chart)

    def numbers(marks: list[Mark]) -> dict[str, float]:
        return {m.text: m.x for m in marks if m.tag == "text"}

    at_fifty = marked(50.0)
    [line] = lines(at_fifty)
    assert line.x == pytest.approx(numbers(at_fifty)["50"], abs=0.6)
    assert "0" not in numbers(at_fifty)
    assert ("rate of the item" if chart == "items" else "rate (%)") in numbers(at_fifty)
    assert lines(marked(None)) == []
    at_zero = marked(0.0)
    [line] = lines(at_zero)
    assert line.x < numbers(at_zero)["10"]
    assert line.x == pytest.approx(numbers(at_zero)["0"], abs=6)  # the number at an edge is moved inwards


def test_bars_of_several_neutral_values_mark_none() -> None:
    def drawn(*neutrals: float | None) -> list[Mark]:
        rates = [
            Estimate(name=f"e{i}", value=40.0, unit="%", neutral=n, n={}) for i, n in enumerate(neutrals)
        ]
        names = tuple(rate.name for rate in rates)
        bars = Bars(title="Rates", estimates=names, labels=names)
        made = measurement().model_copy(update={"estimates": tuple(rates), "figures": (bars,)})
        return lines(drawing(run_of(made), "figure"))

    assert len(drawn(25.0, 25.0)) == 1
    assert drawn(25.0, 50.0) == drawn(25.0, None) == drawn(None, None) == []


def test_items_of_another_scale_have_a_neutral_value_of_their_own() -> None:
    made = pairs_measurement()  # a rate with 50 in the middle, of items between -10 and 10 nats
    marks = drawing(run_of(made), "items")
    [line] = lines(marks)
    [zero] = [mark for mark in marks if mark.tag == "text" and mark.text == "0"]
    assert line.x == pytest.approx(zero.x, abs=1)
    assert len(lines(drawing(run_of(made), "forest"))) == 1
    none = made.model_copy(update={"item_neutral": None})
    assert lines(drawing(run_of(none), "items")) == []


def test_reading_of_a_rate_counts_from_its_neutral_value(tmp_path: Path) -> None:
    text = page_of(run_of(pairs_measurement()), tmp_path).text
    assert "Above 50 means: the model prefers the stereotyping sentence." in text


def test_long_tables_of_estimates_are_folded_and_whole(tmp_path: Path) -> None:
    made = plane_measurement(40, 3)
    assert len(made.estimates) == 25
    page = page_of(run_of(made, measurement()), tmp_path)
    for css_class, expected in (
        ("estimates", [e.name for e in made.estimates]),
        ("p-values", [p.name for e in made.estimates for p in e.p_values]),
    ):
        shown, folded, short = page.all("table", css_class)
        names = [[th.text for th in t.all("tbody")[0].all("th")] for t in (shown, folded)]
        assert len(names[0]) == 8
        assert names[0] + names[1] == expected
        assert any(shown in d.walk() for d in page.all("details", "measurement"))
        assert not any(shown in d.walk() for d in page.all("details", "more") if "method" not in d.classes)
        assert any(folded in d.walk() for d in page.all("details", "more") if "method" not in d.classes)
        assert len(short.all("tbody")[0].all("tr")) == 2
    decides = [
        row.all("td")[-1].text for t in page.all("table", "p-values") for row in t.all("tbody")[0].all("tr")
    ]
    assert decides == ["yes"] + ["no"] * 24 + ["yes", "no"]


@pytest.mark.slow
def test_hostile_texts_in_pictures_stay_texts(tmp_path: Path) -> None:
    run = run_of(hostile_figures(), *hostile_rulers())
    page = page_of(run, tmp_path)
    assert not [e for e in page.walk() if e.tag in {"img", "textarea", "b-", "iframe"}]
    assert all({"lane", "axis", "tally"} & set(e.classes) for e in page.all("svg"))
    assert_data_is_used(page)
    section = page.all("details", "measurement")[0]
    headings = [h.text for h in section.all("h4")]
    for text in HOSTILE:
        assert headings.count(squeezed(text)) == 3  # a plane, bars, and bars without their estimate
        assert squeezed(text) in page.all("section", "methods")[0].text


@pytest.mark.slow
def test_hostile_texts_in_drawings_stay_texts(tmp_path: Path) -> None:
    for path in write_charts(run_of(hostile_figures(), *hostile_rulers()), tmp_path, ("svg",)):
        tags = {element.tag.rpartition("}")[2] for element in ElementTree.parse(path).iter()}
        assert tags <= {"svg", "g", "path", "rect", "line", "text", "tspan", "defs", "clipPath"}


def test_a_long_label_of_characters_of_two_units_is_drawn_whole(tmp_path: Path) -> None:
    text = "a" + "\N{GRINNING FACE}" * 200
    made = measurement(items=table([(text, text, 1.0), ("b", "c", 2.0)])).model_copy(
        update={
            "estimates": (share_of(text, 40.0, 50.0, 9),),
            "figures": (Bars(title=text, estimates=(text,), labels=(text,)),),
        }
    )
    drawn = "".join(path.read_text("utf-8") for path in write_charts(run_of(made), tmp_path, ("svg",)))
    assert "\N{GRINNING FACE}" in drawn
    assert "\N{HORIZONTAL ELLIPSIS}</text>" not in drawn


def test_no_text_of_a_picture_enters_an_expression() -> None:
    mark = "ZZ-user-text-ZZ"
    values = [float(i) for i in range(80)]
    items = table([(f"{mark}{i}", f"{mark}{i % 2}", v) for i, v in enumerate(values)], {f"{mark}x": values})
    figures = (
        Plane(title=mark, x=f"{mark}x", y="value", x_ends=(mark, mark), y_ends=(mark, mark)),
        Bars(title=mark, estimates=(f"{mark}e",), labels=(mark,)),
    )
    estimate = share_of(f"{mark}e", 40.0, 50.0, 9, unit=mark)
    made = [
        measurement(test=mark, title=mark, metric=mark, variant=str(i), model=mark, items=items).model_copy(
            update={"estimates": (estimate,), "figures": figures, "item_value": mark}
        )
        for i in range(2)
    ]
    charts = charts_of(run_of(*made))
    assert [c.name.partition("-")[0] for c in charts] == ["figure"] * 4
    columns = (
        "label",
        "test",
        "model",
        "method",
        "series",
        "item",
        "group",
        "text",
        "columns",
        "estimate",
        "n",
    )
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


def test_many_items_of_two_values_are_not_drawn() -> None:
    rows: list[tuple[str, str, float | None]] = [(f"w{i}", "g", float(i % 2)) for i in range(80)]
    assert not [c for c in charts_of(run_of(measurement(items=table(rows)))) if c.name.startswith("items")]
    few = run_of(measurement(items=table(rows[:20])))
    three = run_of(measurement(items=table([*rows, ("more", "g", 0.5)])))
    for run in (few, three):
        assert [c for c in charts_of(run) if c.name.startswith("items")]


def test_many_bars_stand_close_and_say_once_how_many_each_has() -> None:
    def height(count: int, other: int = 35) -> tuple[float, str]:
        sizes = [35] * (count - 1) + [other]
        estimates = tuple(
            Estimate(name=f"mean {i}", value=i / 100, unit="score", n={"sentences": n})
            for i, n in enumerate(sizes)
        )
        labels = tuple(f"Ebony{i} (African-American, female)" for i in range(count))
        figure = Bars(title="Means", estimates=tuple(one.name for one in estimates), labels=labels)
        made = measurement().model_copy(update={"estimates": estimates, "figures": (figure,)})
        chart = next(chart for chart in charts_of(run_of(made)) if chart.title == "Means")
        return chart.spec["height"]["step"], chart.caption

    step, caption = height(40)
    assert step * 40 < 900
    assert "Each of 35 sentences." in caption
    for few in (height(20), height(40, other=34)):
        assert few[0] > 1.5 * step
        assert "Each of" not in few[1]
