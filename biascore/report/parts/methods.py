"""Do the methods agree? What several metrics say of one concept and of one test, and how alike they rank tests."""

from __future__ import annotations

from typing import Final

from biascore.report.methods import comparisons
from biascore.report.parts.part import Part
from biascore.results.run import Run

SHORT: Final = 8
"""A longer table of compared methods is folded."""


def methods(run: Run) -> Part | None:
    """Where several methods measured one concept, or one test, on one model."""
    values = {
        "agreements": run.agreements,
        "orders": run.orders,
        "comparisons": comparisons(run),
        "short": SHORT,
    }
    if not any(values[name] for name in ("agreements", "orders", "comparisons")):
        return None
    return Part("methods", "Do the methods agree?", "methods", values, "Methods")
