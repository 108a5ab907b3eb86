"""The pictures of the whole run: effects by test, and what metrics draw across measurements."""

from __future__ import annotations

from biascore.report.charts import FEWEST, forest_charts, run_pictures
from biascore.report.parts.part import Part
from biascore.results.run import Run


def effects(run: Run) -> Part | None:
    """The forest plots."""
    charts = forest_charts(run, FEWEST)
    return Part("effects", "Effects", "effects", {"forests": charts}) if charts else None


def across(run: Run) -> Part | None:
    """The pictures that metrics asked for, of all their measurements together."""
    pictures = run_pictures(run, FEWEST)
    return (
        Part("across", "Across measurements", "across", {"pictures": pictures}, "Across")
        if pictures
        else None
    )
