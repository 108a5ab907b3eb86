"""Do the rulers agree? What several metrics say of one concept, of one test, and in which order they put things."""

from __future__ import annotations

from typing import Final

from biascore.report.charts.rulers import comparisons, order_chart
from biascore.report.parts.part import Part
from biascore.results.run import Run

SHORT: Final = 8
"""Of longer tables of compared methods nothing is shown at once."""


def rulers(run: Run) -> Part | None:
    """Where several methods measured one concept, or one test, on one model."""
    values = {
        "agreements": run.agreements,
        "orders": run.orders,
        "order_chart": order_chart(run),
        "comparisons": comparisons(run),
        "short": SHORT,
    }
    if not any(values[name] for name in ("agreements", "orders", "comparisons")):
        return None
    return Part("rulers", "Do the rulers agree?", "rulers", values, "Rulers")
