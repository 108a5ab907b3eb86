"""A comparison as a page: the answer first, then changes, pictures, the items that flipped, and what was not compared."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import metadata
from typing import Any, Final

from biascore.comparing import Comparison, Difference, Outcome
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
from biascore.report.page import document
from biascore.report.parts import Part
from biascore.results.comparison import Compared, item_of
from biascore.results.estimates import Estimate

FLIPS: Final = 20
"""Of the items that flipped so many are shown of each test; all are in the JSON."""
_BADGES: Final = {
    Outcome.INCREASED: "detected",
    Outcome.CHANGED_SIGN: "detected",
    Outcome.DECREASED: "negligible",
    Outcome.UNCHANGED: "negligible",
    Outcome.INCONCLUSIVE: "inconclusive",
}


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
    return {
        "found": found,
        "answer": answer(found),
        "sections": sections(found),
        "badges": _BADGES,
        "several": len(found.models) > 1,
        "not_unchanged": NOT_UNCHANGED,
    }


def _charts(found: Comparison) -> Iterator[Chart]:
    """For each estimate the effects before and after, and the changes, with intervals; controls in charts of their own."""
    families: dict[tuple[str, str, str, str], list[Difference]] = {}
    for section in sections(found):
        for one in section.changes:
            if one.change.value is not None:
                of = f"{section.title}: {one.metric}"
                families.setdefault((of, one.metric, one.estimate, one.change.unit), []).append(one)
    for number, ((of, metric, estimate, unit), some) in enumerate(families.items(), start=1):
        title = with_unit(estimate, unit)
        labels = unique([wrapped(_titled(one)) for one in some])
        name = f"{number:02d}-{safe(metric)}-{safe(estimate)}"
        told = whiskers(one.change.interval for one in some)
        neutral = {one.neutral for one in some}
        yield _chart(
            f"effects-{name}",
            f"{of}: {title}, in the old model and in the new one. {told}",
            title,
            [
                _row(one, label, series, side.model, side)
                for one, label in zip(some, labels, strict=True)
                for series, side in (("old", one.old), ("new", one.new))
            ],
            {"old": Look("#6e6e6e", SHAPES[1]), "new": Look(COLOURS[0], SHAPES[0])},
            neutral.pop() if len(neutral) == 1 else None,
        )
        yield _chart(
            f"changes-{name}",
            f"{of}: change of {title}, new minus old. {told}{describe_neutral(0.0, 'no change')}",
            f"change of {title}",
            [
                _row(one, label, "change", one.models, one.change)
                for one, label in zip(some, labels, strict=True)
            ],
            {"change": Look(COLOURS[1], SHAPES[3])},
            0.0,
        )


def _chart(
    name: str, caption: str, below: str, rows: Rows, looks: dict[str, Look], neutral: float | None
) -> Chart:
    told = tooltip(test="Test", model="Model", **ESTIMATE, outcome="Outcome")
    drawing = side_by_side(rows, "", told, looks).with_neutral(neutral)
    return Plot(drawing, below, caption).chart(name)


def _row(
    one: Difference, label: str, series: str, model: str, estimate: Compared | Estimate
) -> dict[str, Any]:
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
