"""What all charts share: sizes, colours, axes, and the way from altair's layers to a specification.

Field names and expressions are fixed here and in the modules as well; texts of the user occur in a
specification only as data values, titles and descriptions, never inside an expression.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import altair as alt

from biascore.basics.visible import visible_in
from biascore.basics.wording import counted, figures
from biascore.results.estimates import ConfidenceInterval, Estimate

WIDTH: Final = 720
PADDING: Final = 8
FONT: Final = "Helvetica, Arial, 'Liberation Sans', sans-serif"
COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""Okabe and Ito's palette for all common kinds of colour blindness, less black and the faint yellow."""
SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")
"""One more shape than colours, so that 42 series differ in colour or shape before a pair repeats."""

GREYS: Final = ("#1a1a1a", "#6e6e6e", "#a6a6a6")
"""Combined with the shapes, so that 21 series differ in grey or shape."""
LEFT_HALVES: Final = {
    "circle": "M0,-1A1,1,0,0,0,0,1Z",
    "square": "M0,-1L-1,-1L-1,1L0,1Z",
    "triangle-up": "M0,-0.866L-1,0.866L0,0.866Z",
    "diamond": "M0,-1L-1,0L0,1Z",
    "cross": "M0,-1L-0.4,-1L-0.4,-0.4L-1,-0.4L-1,0.4L-0.4,0.4L-0.4,1L0,1Z",
    "triangle-down": "M0,0.866L-1,-0.866L0,-0.866Z",
    "triangle-right": "M-0.866,-1L0,-0.5L0,0.5L-0.866,1Z",
}
"""The left half of each shape, which fills it half."""
UPRIGHT: Final = "M0,-1L0,1"
"""An upright stroke, as long as the square root of its size."""

INK: Final = "#333333"
GRID_COLOUR: Final = "#e4e4e4"
NEUTRAL_COLOUR: Final = "#8a8a8a"
BOUND_COLOUR: Final = "#6e6e6e"
"""A grey: the colours are those of models."""

LABEL_WIDTH: Final = 34
LABEL_LINES: Final = 4
MOST_LINES: Final = 8
"""Of a label on a narrow page, where the script of the page breaks its lines earlier."""
TITLE_WIDTH: Final = 60
LINE_HEIGHT: Final = 14
SPLIT_LABEL: Final = "split(datum.label, '\\n')"

CONFIG: Final[dict[str, Any]] = {
    "font": FONT,
    "padding": PADDING,
    "view": {"stroke": None},
    "axis": {
        "labelFontSize": 12, "labelLineHeight": LINE_HEIGHT, "labelPadding": 6, "labelColor": INK,
        "labelSeparation": 8, "gridColor": GRID_COLOUR, "domain": False, "ticks": False,
    },
    "axisY": {"labelLimit": 230},
    "title": {"fontSize": 12, "fontWeight": "normal", "color": INK, "offset": 10, "frame": "group"},
    "legend": {
        "orient": "top", "direction": "horizontal", "labelFontSize": 12,
        "labelColor": INK, "titleFontSize": 12, "titleFontWeight": "normal", "titleColor": INK,
        "symbolSize": 70, "offset": 12,
    },
}  # fmt: skip

LETTER: Final = 6.7
"""Pixels of a letter in a legend, generously."""
NUMBER: Final = ".4~r"
Told = str | tuple[str, str]
"""The title of a column in a tooltip; of a number, the title and the format."""
ITEM: Final[dict[str, Told]] = {"item": "Item", "group": "Group", "value": ("Value", ".4f")}
ITEM_INTERVAL: Final[dict[str, Told]] = {"low": ("Interval from", ".4f"), "high": ("Interval to", ".4f")}
"""What a tooltip says of an item."""

ROWS: Final = alt.NamedData("rows")
NEUTRAL: Final = alt.NamedData("neutral")
BOUND: Final = alt.NamedData("bound")
PUBLISHED: Final = alt.NamedData("published")
HINTS: Final = alt.NamedData("hints")
EDGES: Final = alt.NamedData("edges")
"""Labels of rows above which a line is drawn."""
Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Chart:
    """A specification with its file name (no suffix), its caption, a note on what is not drawn, and a heading.

    ``pixels``: the most that its PNG has across and down; None for 300 dpi.
    """

    name: str
    caption: str
    note: str
    spec: dict[str, Any]
    title: str = ""
    pixels: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Undrawn:
    """A figure that a metric asked for and that cannot be drawn, with the reason as a clause."""

    title: str
    reason: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """Layers over named data, the lowest first, and the height in pixels of the plot or of a step.

    ``over`` are layers that share the axis of values, and have a vertical axis of their own. ``meta`` is for the script
    of the page.
    """

    layers: tuple[alt.Chart, ...]
    height: float | alt.Step
    data: dict[str, Rows]
    over: tuple[alt.Chart, ...] = ()
    meta: dict[str, Any] | None = None

    def with_bound(self, ends: tuple[float, float] | None) -> Drawing:
        """The drawing above a band between the ends within which an effect is negligible; itself for None."""
        if ends is None:
            return self
        band = alt.Chart(BOUND).mark_rect(color=BOUND_COLOUR, opacity=0.13, aria=False)
        band = band.encode(x=alt.X("low:Q", title=None), x2=alt.X2("high"))
        return replace(
            self,
            layers=(band, *self.layers),
            data=self.data | {BOUND.name: [dict(zip(("low", "high"), ends, strict=True))]},
        )

    def with_neutral(self, neutral: float | None) -> Drawing:
        """The drawing above a line at the neutral value, which its axis then holds; itself for None."""
        if neutral is None:
            return self
        line = neutral_line().encode(x=alt.X("value:Q", title=None))
        data = self.data | {NEUTRAL.name: [{"value": neutral}]}
        return replace(self, layers=(line, *self.layers), data=data)


class Plot(NamedTuple):
    """A drawing with the lines of text below it, its caption, and sentences on what is not drawn.

    ``about`` stands before the caption in the description for screen readers.
    """

    drawing: Drawing
    below: str | list[str]
    caption: str
    notes: tuple[str, ...] = ()
    about: str = ""

    def chart(self, name: str, title: str = "") -> Chart:
        """The plot as a chart of that file name and heading."""
        description = f"{self.about} {self.caption}"
        spec = specification(self.drawing, self.below, description)
        return Chart(name, self.caption, " ".join(filter(None, self.notes)), spec, title)


def neutral_line() -> alt.Chart:
    """A line at the values of the data set of neutral values, on the axis that it is encoded with."""
    line: alt.Chart = alt.Chart(NEUTRAL).mark_rule(color=NEUTRAL_COLOUR, strokeWidth=1.3, aria=False)
    return line


def shared_neutral(estimates: Iterable[Estimate]) -> float | None:
    """The neutral value that all the estimates have, or None where they have none, several, or one out of reach."""
    values = {None if estimate.chance is not None else estimate.neutral for estimate in estimates}
    return values.pop() if len(values) == 1 else None


def specification(drawing: Drawing, below: str | list[str], description: str) -> dict[str, Any]:
    """The Vega-Lite specification of a drawing with its lines of text below and its description."""
    # Neither the rows nor the configuration go through altair: it would check and copy them for every chart.
    plot = alt.layer(*drawing.layers)
    if drawing.over:
        plot = alt.layer(plot, alt.layer(*drawing.over)).resolve_scale(y="independent")
    # Set and not by plot.properties, which copies and checks all layers once more.
    plot.width, plot.height, plot.background = WIDTH, drawing.height, "white"
    plot.autosize = alt.AutoSizeParams(type="fit-x", contains="padding")
    frame: dict[str, Any] = plot.to_dict(validate=False)
    paragraphs = [below] if isinstance(below, str) else below
    lines = [line for paragraph in paragraphs for line in _title_lines(paragraph)]
    title = {"text": lines or "", "orient": "bottom", "anchor": "middle"}
    texts = {"title": title, "description": " ".join(description.split()), "datasets": drawing.data}
    if drawing.meta:
        texts["usermeta"] = drawing.meta
    config = CONFIG | {"legend": CONFIG["legend"] | _legend_columns(drawing.data.get(ROWS.name, []))}
    return frame | {"config": config} | {key: visible_in(value) for key, value in texts.items()}


def _legend_columns(rows: Rows) -> dict[str, int]:
    """As many columns as leave room for the longest name: of two that are cut, one may differ in its end alone."""
    names = [str(row[name]) for row in rows for name in ("series", "group") if row.get(name) is not None]
    longest = LETTER * max(map(len, names), default=0)
    columns = next((count for count in (3, 2) if longest <= WIDTH // count - 50), 1)
    return {"columns": columns, "labelLimit": WIDTH // columns - 50}


def _title_lines(paragraph: str) -> list[str]:
    """The lines of a title; what is beyond the fourth is in the caption, which is whole."""
    return textwrap.wrap(paragraph, TITLE_WIDTH, max_lines=4, placeholder=" …")


def value_axis(
    field: str = "value", *, zero: bool = False, domain: tuple[float, float] | None = None
) -> alt.X:
    """The horizontal axis of values; without ``zero`` it holds zero only where a neutral line stands there.

    ``domain``: from where to where it goes at least, so that charts of one unit can be compared with each other.

    Its title stands below as the title of the chart: Vega-Lite builds expressions from the titles of axes.
    """
    scale = alt.Scale(zero=zero, domain=list(domain), nice=True) if domain else alt.Scale(zero=zero)
    return alt.X(f"{field}:Q", stack=None, scale=scale, axis=alt.Axis(title=None, tickCount=8))


def label_axis() -> alt.Y:
    """The vertical axis of rows with a label each, of up to LABEL_LINES lines, in the order of the data."""
    return alt.Y(
        "label:N",
        sort=None,
        title=None,
        scale=alt.Scale(paddingInner=0.2, paddingOuter=0.1),
        axis=alt.Axis(labelExpr=SPLIT_LABEL, labelOffset=_centred_labels(), grid=True, tickBand="extent"),
    )


def _centred_labels() -> alt.ConditionalAxisNumber:
    """Vega centres the first line of a label on its row; this lifts longer labels by half of the rest."""
    offsets = [
        {"test": f"{SPLIT_LABEL}.length === {lines}", "value": -(lines - 1) * LINE_HEIGHT / 2}
        for lines in range(2, MOST_LINES + 1)
    ]
    return alt.ConditionalAxisNumber(condition=offsets, value=0)  # type: ignore[no-untyped-call]


def edges() -> alt.Chart:
    """Lines above the first rows of what is set apart."""
    line: alt.Chart = alt.Chart(EDGES).mark_rule(color=INK, strokeWidth=1.2, aria=False)
    return line.encode(y=alt.Y("label:N", sort=None, bandPosition=0))


def label_step(labels: Iterable[str], least: float) -> alt.Step:
    """The height of a row that has room for the longest label."""
    lines = max(label.count("\n") + 1 for label in labels)
    return alt.Step(max(least, LINE_HEIGHT * lines + 8), **{"for": "position"})


@dataclass(frozen=True, slots=True)
class Look:
    """How the points of a series are drawn."""

    colour: str
    shape: str


def in_colours(names: Iterable[str]) -> dict[str, Look]:
    """A colour and a shape for each name: models, which keep theirs in all charts of a run, or groups of items."""
    return {
        name: Look(COLOURS[i % len(COLOURS)], SHAPES[i % len(SHAPES)])
        for i, name in enumerate(distinct(names))
    }


def in_greys(names: Iterable[str]) -> dict[str, Look]:
    """A grey and a shape for each name, for series that are no models and so must not have the colour of one."""
    return {
        name: Look(GREYS[i % len(GREYS)], SHAPES[i % len(SHAPES)]) for i, name in enumerate(distinct(names))
    }


def series(field: str, title: str, looks: Iterable[Look]) -> tuple[alt.Fill, alt.Shape, alt.Stroke]:
    """Fill and shape of the points of a series, which share a legend, and the stroke of its intervals.

    ``looks`` are those of the series in their order of appearance: no domain is given, as Vega-Lite writes the
    names of a domain into an expression.
    Strokes have a scale of their own: were it shared, the legends of colour and shape would not be merged.
    """
    legend = alt.Legend(title=title, symbolOpacity=1)
    colours, shapes = zip(*((look.colour, look.shape) for look in looks), strict=True)
    return (
        alt.Fill(f"{field}:N", legend=legend, sort=None, scale=alt.Scale(range=list(colours))),
        alt.Shape(f"{field}:N", legend=legend, sort=None, scale=alt.Scale(range=list(shapes))),
        alt.Stroke(f"{field}:N", legend=None, sort=None, scale=alt.Scale(range=list(colours))),
    )


def tooltip(**columns: Told) -> list[alt.Tooltip]:
    """What a mark says of each column of its row."""
    return [
        alt.Tooltip(f"{name}:N", title=told)
        if isinstance(told, str)
        else alt.Tooltip(f"{name}:Q", title=told[0], format=told[1] or alt.Undefined)
        for name, told in columns.items()
    ]


def estimate_columns(value: float | None, interval: ConfidenceInterval | None) -> dict[str, Any]:
    """A value and the ends of its interval for the drawing, and the interval as a text for the tooltip."""
    if interval is None:
        return {"value": value, "low": None, "high": None, "interval": "none"}
    text = " to ".join(figures(interval.low, interval.high))
    return {"value": value, "low": interval.low, "high": interval.high, "interval": text}


def interval_lines(
    base: alt.Chart, width: float, stroke: alt.Stroke | alt.UndefinedType = alt.Undefined
) -> alt.Chart:
    """Lines from the lower to the upper end of the intervals."""
    lines: alt.Chart = base.mark_rule(strokeWidth=width, color=INK, aria=False)
    return lines.encode(x=alt.X("low:Q"), x2=alt.X2("high"), stroke=stroke)


def whiskers(intervals: Iterable[ConfidenceInterval | None]) -> str:
    """One sentence on what the lines through the points or bars are."""
    levels = sorted({f"{100 * i.level:g} %" for i in intervals if i is not None})
    return f"Lines are {' or '.join(levels)} confidence intervals." if levels else "No intervals were made."


def describe_neutral(neutral: float | None, meant: str = "no bias") -> str:
    """A sentence on what the line at the neutral value means, with a space before it; an empty text without one."""
    return "" if neutral is None else f" The vertical line at {neutral:g} means {meant}."


def not_drawn(count: int, noun: str = "") -> str:
    """A sentence on how many have no value, or an empty text where all have one."""
    what = counted(count, noun) if noun else count
    return f"{what} not estimable and so not drawn." if count else ""


def sizes(n: Mapping[str, int]) -> str:
    """What was counted, as a list."""
    return ", ".join(f"{count:,} {role}" for role, count in n.items())


def with_unit(name: str, unit: str) -> str:
    """A name with its unit, unless the name says it already."""
    return name if not unit or unit.casefold() in name.casefold() else f"{name} ({unit})"


def wrapped(text: str, lines: int = LABEL_LINES, width: int = LABEL_WIDTH) -> str:
    """A text as a label of at most so many lines of so many letters."""
    broken = textwrap.wrap(text, width, max_lines=lines, placeholder=" …")
    return "\n".join(broken) or "(untitled)"


def unique(labels: list[str]) -> list[str]:
    """Number the repeats, as rows of equal label would be drawn on top of each other."""
    taken: dict[str, None] = {}
    for label in labels:
        number, free = 1, label
        while free in taken:
            number += 1
            free = f"{label} ({number})"
        taken[free] = None
    return list(taken)


def distinct(values: Iterable[str]) -> list[str]:
    """The values without repeats, in order of appearance."""
    return list(dict.fromkeys(values))


def safe(text: str) -> str:
    """A text as part of a file name."""
    kept = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in text)
    return "-".join(part for part in kept.split("-") if part)[:50] or "unnamed"
