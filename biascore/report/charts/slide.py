"""One picture of a model for a slide or a paper: its findings with their verdicts; title and caption are in the picture."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import altair as alt

from biascore.basics.visible import visible_in
from biascore.basics.wording import capital, counted
from biascore.report.charts.base import (
    INK,
    Chart,
    Look,
    distinct,
    label_step,
    safe,
    shared_neutral,
    specification,
    tooltip,
    unique,
    with_unit,
    wrapped,
)
from biascore.report.charts.forest import (
    FEWEST,
    TOLD,
    Reading,
    bound_of,
    describe_marks,
    families_of,
    model_looks,
    row_of,
    sides,
    with_value,
)
from biascore.report.charts.rows import side_by_side
from biascore.report.variants import variant_names
from biascore.results.measurement import Measurement
from biascore.results.run import Run
from biascore.results.verdicts import Role, State
from biascore.results.words.effects import ends_of

WIDE: Final = 960
PIXELS: Final = (1600, 900)
"""Across and down: a picture fits a slide."""
MOST: Final = 10
"""A slide has so many rows; the other measurements are counted."""
ROW: Final = 26
MARGIN: Final = 24
TITLE_WIDTH: Final = 84
CAPTION_WIDTH: Final = 130
LABEL_WIDTH: Final = 52
ENDS: Final = alt.NamedData("ends")
VERDICTS: Final = alt.NamedData("verdicts")
OF_ROW: Final = "split(datum.label, '|')[0]"
"""The text before the number that distinguishes equal verdicts."""


def slide_charts(run: Run) -> tuple[Chart, ...]:
    """A picture for each model in use and each estimate, of findings alone, where there are enough of them.

    Of several variants of a metric the first one is drawn: a slide has room for few rows.
    """
    found = []
    for family in families_of(run, FEWEST):
        findings = [reading for reading in with_value(family) if reading.said.role is Role.FINDING]
        for model in distinct(m.model for m, _ in findings):
            own = [reading for reading in findings if reading.measurement.model == model]
            own = [reading for reading in own if reading.measurement.method == own[0].measurement.method]
            if len(own) >= FEWEST:
                found.append(own)
    names = ["slide"] if len(found) == 1 else [_name(own) for own in found]
    return tuple(_slide(run, own, name) for own, name in zip(found, names, strict=True))


def _name(own: Sequence[Reading]) -> str:
    first = own[0].measurement
    return f"slide-{safe(first.model)}-{safe(first.metric)}-{safe(first.headline.name)}"


def _slide(run: Run, own: Sequence[Reading], name: str) -> Chart:
    every = sorted(own, key=lambda reading: list(State).index(State.of(*reading)))
    own, more = every[:MOST], every[MOST:]
    some = [m for m, _ in own]
    first, headline = some[0], some[0].headline
    looks = {first.model: Look(model_looks(run)[first.model].colour, "circle")}
    labels = _labels(some)
    rows = [
        row_of(reading, label, reading.measurement.model) for reading, label in zip(own, labels, strict=True)
    ]
    drawing = side_by_side(rows, "", tooltip(**TOLD), looks)
    neutral, bound = shared_neutral(m.headline for m in some), bound_of(some)
    drawing = drawing.with_neutral(neutral).with_bound(bound)
    words = [
        {"label": label, "verdict": f"{_word(reading)}|{place}"}
        for place, (reading, label) in enumerate(zip(own, labels, strict=True))
    ]
    height = label_step(labels, ROW).step * len(labels)
    drawing = replace(
        drawing, height=height, over=(_at_the_right(),), data=drawing.data | {VERDICTS.name: words}
    )
    title, caption = _title(every), f"{describe_marks(own, neutral, bound)}{_not_drawn(more)}"
    spec = specification(drawing, "", f"{title} {caption}")
    below, above = sides(some) if len(sides(some)) == 2 else ("← the opposite", "as named at the left →")
    if all(ends_of(m).below for m in some):
        spec["datasets"][ENDS.name] = visible_in([{"below": below, "above": above}])
        spec["layer"] += [_end("below", 0, "left"), _end("above", "width", "right")]
    variant = variant_names(run, folded=False)[first.method]
    how = f"{with_unit(headline.name, headline.unit)} by test{f', {variant}' if variant else ''}"
    spec["width"] = WIDE
    spec["padding"] = {"left": MARGIN, "right": MARGIN, "top": MARGIN, "bottom": 2 * MARGIN}
    spec["config"] = spec["config"] | {"axisY": {"labelLimit": 340}}
    for layer in spec["layer"][0]["layer"]:
        for channel in {"fill", "shape"} & layer["encoding"].keys():
            layer["encoding"][channel]["legend"] = None
    spec["title"] = {
        "text": visible_in(textwrap.wrap(title, TITLE_WIDTH)),
        "subtitle": visible_in(textwrap.wrap(f"{capital(how)}. {caption}", CAPTION_WIDTH)),
        "anchor": "start", "frame": "bounds", "fontSize": 20, "fontWeight": "bold", "color": INK,
        "subtitleFontSize": 13, "subtitleColor": INK, "offset": 16,
    }  # fmt: skip
    return Chart(name, f"{title} {caption}", "", spec, "Slide", PIXELS)


def _labels(some: Sequence[Measurement]) -> list[str]:
    """The title of each, and what the right side means where that is not the same for all."""
    differ = len({ends_of(m)[:2] for m in some}) > 1
    labels = []
    for m in some:
        lines = [wrapped(m.titled, 2, LABEL_WIDTH)]
        if differ and ends_of(m).below:
            lines.append(wrapped(f"→ {ends_of(m).above}", 2, LABEL_WIDTH))
        labels.append("\n".join(lines))
    return unique(labels)


def _title(own: Sequence[Reading]) -> str:
    words = [_word(reading) for reading in own]
    counts = [f"{words.count(State.DETECTED)} of {counted(len(own), 'measurement')} detected"]
    counts += [counted(words.count(State.HINT), State.HINT)] if State.HINT in words else []
    return f"{own[0].measurement.model}, {own[0].measurement.metric}: {', '.join(counts)}."


def _not_drawn(more: Sequence[Reading]) -> str:
    """A sentence on the measurements for which a slide has no row, with a space before it."""
    counts = Counter(map(_word, more))
    told = ", ".join(f"{count} {word}" for word, count in counts.items())
    return f" {counted(len(more), 'more measurement')} not drawn: {told}." if more else ""


def _word(reading: Reading) -> str:
    return State.of(*reading).value


def _at_the_right() -> alt.Chart:
    axis = alt.Axis(orient="right", title=None, labelExpr=OF_ROW, grid=False, labelLimit=140)
    words: alt.Chart = alt.Chart(VERDICTS).mark_text(text="", aria=False)
    return words.encode(
        y=alt.Y("verdict:N", sort=None, axis=axis, scale=alt.Scale(paddingInner=0.2, paddingOuter=0.1))
    )


def _end(field: str, x: float | str, align: str) -> dict[str, Any]:
    mark = {"type": "text", "align": align, "dy": 40, "fontSize": 13, "color": INK, "aria": False}
    places = {"text": {"field": field, "type": "nominal"}, "x": {"value": x}, "y": {"value": "height"}}
    return {"data": {"name": ENDS.name}, "mark": mark, "encoding": places}
