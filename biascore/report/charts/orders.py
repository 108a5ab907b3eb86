"""How far rulers put the same things in one order: a point for each two of them, with its interval."""

from __future__ import annotations

from typing import Final

import altair as alt

from biascore.report.charts.base import Chart, in_greys, specification, unique, wrapped
from biascore.report.charts.forest import side_by_side
from biascore.report.texts import counted
from biascore.results.run import Run

MOST: Final = 60
"""So many rows are drawn; all stand in the table."""


def order_chart(run: Run) -> Chart | None:
    """Kendall's tau of every two rulers, over tests, models or groups; None where no order can be compared."""
    every = run.orders
    drawn = every[:MOST]
    if not drawn:
        return None
    labels = unique(
        [wrapped(f"{order.one} – {order.other}, {order.where}", lines=4, width=34) for order in drawn]
    )
    rows = [
        {
            "label": label,
            "series": f"order of {order.over}",
            "value": order.tau,
            "low": order.low,
            "high": order.high,
            "n": order.n,
            "interval": order.interval,
            "rulers": f"{order.one} – {order.other}",
        }
        for label, order in zip(labels, drawn, strict=True)
    ]
    tooltip = [
        alt.Tooltip("rulers:N", title="Rulers"),
        alt.Tooltip("value:Q", title="Kendall's tau", format=".2f"),
        alt.Tooltip("interval:N", title="Interval"),
        alt.Tooltip("n:Q", title="n"),
    ]
    looks = in_greys(str(row["series"]) for row in rows)
    drawing = side_by_side(rows, "What is put in order", tooltip, looks).with_neutral(0.0)
    caption = (
        f"Rank correlation (Kendall's tau) of {counted(len(drawn), 'pair')} of rulers: 1 for the same order, -1 for the "
        "opposite one, 0 for none. Lines are 95 % confidence intervals where there are 6 things to order or more."
    )
    note = (
        f"{len(every) - len(drawn)} more pairs are in the table and not drawn." if len(every) > MOST else ""
    )
    spec = specification(drawing, "Kendall's tau", f"Do the rulers agree? {caption}")
    return Chart("rulers-orders", caption, note, spec)
