"""A comparison as a page: the answer first, a row a change, before and after, items that flipped, and what was left out."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import metadata
from typing import Any, Final

from biascore.comparing import Comparison, Difference
from biascore.comparing.words import NOT_UNCHANGED, answer, sections
from biascore.report.charts.base import (
    COLOURS,
    SHAPES,
    Chart,
    Look,
    Plot,
    Rows,
    describe_neutral,
    estimate_columns,
    safe,
    tooltip,
    unique,
    whiskers,
    with_unit,
    wrapped,
)
from biascore.report.charts.rows import ESTIMATE, side_by_side
from biascore.report.lanes import panels
from biascore.report.page import document
from biascore.report.parts import Part
from biascore.results.comparison import Compared, item_of
from biascore.results.rows import change_row

FLIPS: Final = 20
"""Of the items that flipped so many are shown of each test; all are in the JSON."""


def render_comparison(found: Comparison) -> str:
    """The comparison as one HTML document without any reference to another file or address."""
    parts = [
        Part("answer", "What changed", "changes", _changes(found)),
        Part("effects", "Before and after", "effects", {"forests": list(_charts(found))}),
        Part(
            "flips",
            "Items that flipped",
            "flips",
            {"some": [d for d in found if d.flipped], "most": FLIPS, "item": item_of},
        ),
        Part("not-compared", "What was not compared", "not_compared", {"found": found}),
        Part("provenance", "The two runs", "compared_runs", {"found": found}),
    ]
    if not any(one.flipped for one in found):
        del parts[2]
    if found.identical:
        del parts[1]
    titles = dict.fromkeys([found.old.title, found.new.title])
    pairs = "; ".join(
        f"{old} (old) and {new} (new)" if old != new else f"{old} in both runs"
        for old, new in found.models.items()
    )
    return document(
        parts,
        title=" and ".join(titles) if len(titles) > 1 else f"{found.old.title}: old and new",
        kicker="Comparison",
        what="comparison",
        headline=f"Compared test by test, and item by item where possible: {pairs}.",
        version=metadata.version("biascore"),
    )


def _changes(found: Comparison) -> dict[str, Any]:
    numbers = {id(one): number for number, one in enumerate(found)}
    parts = [
        (part, panels([change_row(numbers[id(one)], one) for one in part.changes]))
        for part in sections(found)
    ]
    return {
        "found": found,
        "answer": answer(found),
        "sections": parts,
        "several": len(found.models) > 1,
        "not_unchanged": NOT_UNCHANGED,
    }


def _charts(found: Comparison) -> Iterator[Chart]:
    """For each estimate the effects before and after, with intervals; controls in charts of their own."""
    families: dict[tuple[str, str, str, str], list[Difference]] = {}
    for section in sections(found):
        for one in section.changes:
            if one.change.value is not None:
                of = f"{section.title}: {one.metric}"
                families.setdefault((of, one.metric, one.estimate, one.change.unit), []).append(one)
    for number, ((of, metric, estimate, unit), some) in enumerate(families.items(), start=1):
        title = with_unit(estimate, unit)
        labels = unique([wrapped(_titled(one)) for one in some])
        told = whiskers(side.interval for one in some for side in (one.old, one.new))
        neutral = {one.neutral for one in some}
        meant = describe_neutral(next(iter(neutral))) if len(neutral) == 1 else ""
        yield _chart(
            f"effects-{number:02d}-{safe(metric)}-{safe(estimate)}",
            f"{of}: {title}, in the old model and in the new one. {told}{meant}",
            title,
            [
                _row(one, label, series, side.model, side)
                for one, label in zip(some, labels, strict=True)
                for series, side in (("old", one.old), ("new", one.new))
            ],
            {"old": Look("#6e6e6e", SHAPES[1]), "new": Look(COLOURS[0], SHAPES[0])},
            neutral.pop() if len(neutral) == 1 else None,
        )


def _chart(
    name: str, caption: str, below: str, rows: Rows, looks: dict[str, Look], neutral: float | None
) -> Chart:
    told = tooltip(test="Test", model="Model", **ESTIMATE, outcome="Outcome")
    drawing = side_by_side(rows, "", told, looks).with_neutral(neutral)
    return Plot(drawing, below, caption).chart(name)


def _row(one: Difference, label: str, series: str, model: str, estimate: Compared) -> dict[str, Any]:
    return {
        "label": label,
        "series": series,
        "test": f"{one.test}: {_titled(one)}",
        "model": model,
        **estimate_columns(estimate.value, estimate.interval),
        "outcome": one.outcome.value,
    }


def _titled(one: Difference) -> str:
    title = one.test_title or one.test
    return f"{title} ({one.subject})" if one.subject else title
