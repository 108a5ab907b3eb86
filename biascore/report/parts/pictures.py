"""The pictures of the whole run: effects by test, methods beside one another, and what metrics draw across measurements."""

from __future__ import annotations

from typing import Final

from biascore.report.charts import comparisons, forest_charts, run_pictures
from biascore.report.parts.part import Part
from biascore.results.run import Run

SHORT: Final = 8
"""Of longer tables of compared methods nothing is shown at once."""


def effects(run: Run) -> Part | None:
    """The forest plots."""
    charts = forest_charts(run)
    return Part("effects", "Effects", "effects", {"forests": charts}) if charts else None


def rulers(run: Run) -> Part | None:
    """Where several methods measured one test on one model."""
    found = comparisons(run)
    values = {"comparisons": found, "short": SHORT}
    return Part("rulers", "Do the rulers agree?", "rulers", values, "Rulers") if found else None


def across(run: Run) -> Part | None:
    """The pictures that metrics asked for, of all their measurements together."""
    pictures = run_pictures(run)
    return (
        Part("across", "Across measurements", "across", {"pictures": pictures}, "Across")
        if pictures
        else None
    )
