"""A comparison as a page: the words first, then pictures, the items that flipped, and what was not compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from importlib import metadata
from typing import Any, Final

import altair as alt

from biascore.comparing import Comparison, Difference, Outcome
from biascore.report.charts.base import (
    COLOURS,
    SHAPES,
    Chart,
    Look,
    Rows,
    interval_columns,
    safe,
    specification,
    unique,
    whiskers,
    with_unit,
    wrapped,
)
from biascore.report.charts.forest import side_by_side
from biascore.report.page import document
from biascore.report.parts import Part

FLIPS: Final = 20
"""Of the items that flipped so many are shown of each test; all are in the JSON."""
_BADGES: Final = {
    Outcome.GREW: "detected",
    Outcome.TURNED: "detected",
    Outcome.SHRANK: "negligible",
    Outcome.SAME: "negligible",
    Outcome.UNKNOWN: "inconclusive",
}


def render_comparison(found: Comparison) -> str:
    """The comparison as one HTML document without any reference to another file or address."""
    parts = [
        Part("answer", "What changed", "changes", _answer(found), "Answer"),
        Part("effects", "Before and after", "effects", {"forests": list(_charts(found))}),
        Part(
            "flips", "Items that flipped", "flips", {"some": [d for d in found if d.flipped], "most": FLIPS}
        ),
        Part("not-compared", "What was not compared", "not_compared", {"found": found}),
        Part("provenance", "The two runs", "compared_runs", {"found": found}),
    ]
    if not any(one.flipped for one in found):
        del parts[2]
    pairs = "; ".join(f"{old} and {new}" if old != new else old for old, new in found.models.items())
    titles = dict.fromkeys([found.old.title, found.new.title])
    return document(
        parts,
        title=" and ".join(titles) if len(titles) > 1 else f"{found.old.title}: old and new",
        kicker="Comparison",
        what="comparison",
        headline=f"Compared test by test, and item by item where that can be: {pairs}.",
        version=metadata.version("biascore"),
    )


def _answer(found: Comparison) -> dict[str, Any]:
    counts = Counter(one.outcome for one in found)
    return {
        "found": found,
        "counts": [(outcome.value, counts[outcome]) for outcome in Outcome if counts[outcome]],
        "badges": _BADGES,
        "several": len(found.models) > 1,
    }


def _charts(found: Comparison) -> Iterator[Chart]:
    """For each estimate the effects before and after, and the changes, with their intervals."""
    families: dict[tuple[str, str, str], list[Difference]] = {}
    for one in found:
        if one.change.value is not None:
            families.setdefault((one.metric, one.estimate, one.change.unit), []).append(one)
    for number, ((metric, estimate, unit), some) in enumerate(families.items(), start=1):
        title = with_unit(estimate, unit)
        labels = unique([wrapped(_titled(one)) for one in some])
        name = f"{number:02d}-{safe(metric)}-{safe(estimate)}"
        lines = whiskers(one.change.interval for one in some)
        caption = f"{metric}: {title}, in the old model and in the new one. {lines}"
        neutral = {one.neutral for one in some}
        yield _chart(
            f"effects-{name}",
            caption,
            title,
            [row for one, label in zip(some, labels, strict=True) for row in _effects(one, label)],
            {"old": Look("#6e6e6e", SHAPES[1]), "new": Look(COLOURS[0], SHAPES[0])},
            neutral.pop() if len(neutral) == 1 else None,
        )
        yield _chart(
            f"changes-{name}",
            f"{metric}: change of {title}, new less old. {lines} The upright line at 0 stands for no change.",
            f"change of {title}",
            [_changed(one, label) for one, label in zip(some, labels, strict=True)],
            {"change": Look(COLOURS[1], SHAPES[3])},
            0.0,
        )


def _chart(
    name: str, caption: str, below: str, rows: Rows, looks: dict[str, Look], neutral: float | None
) -> Chart:
    tooltip = [
        alt.Tooltip("test:N", title="Test"),
        alt.Tooltip("model:N", title="Model"),
        alt.Tooltip("value:Q", title="Value", format=".4~r"),
        alt.Tooltip("interval:N", title="Interval"),
        alt.Tooltip("outcome:N", title="Outcome"),
    ]
    drawing = side_by_side(rows, "", tooltip, looks).with_neutral(neutral)
    return Chart(name, caption, "", specification(drawing, below, caption))


def _effects(one: Difference, label: str) -> Iterator[dict[str, Any]]:
    for series, side in (("old", one.old), ("new", one.new)):
        yield {
            "label": label,
            "series": series,
            "test": f"{one.test}: {_titled(one)}",
            "model": side.model,
            "value": side.value,
            **interval_columns(side.interval),
            "outcome": one.outcome.value,
        }


def _changed(one: Difference, label: str) -> dict[str, Any]:
    return {
        "label": label,
        "series": "change",
        "test": f"{one.test}: {_titled(one)}",
        "model": one.models,
        "value": one.change.value,
        **interval_columns(one.change.interval),
        "outcome": one.outcome.value,
    }


def _titled(one: Difference) -> str:
    title = one.test_title or one.test
    return f"{title} ({one.subject})" if one.subject else title
