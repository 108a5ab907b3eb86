"""The run in three sentences for somebody who quotes it, and what it did not test."""

from __future__ import annotations

from biascore.report.parts.part import Part
from biascore.results.run import Run


def three_sentences(run: Run) -> Part:
    """What was measured, what came out, and what this does not say."""
    values = {"sentences": run.three_sentences}
    return Part("three-sentences", "In three sentences", "three_sentences", values, "To quote")


def untested(run: Run) -> Part:
    """Grounds that laws name, kinds of use and languages without a result; each ground with its articles on demand."""
    found = run.untested
    every = {one.ground: one for law in found.laws for one in law.grounds}
    articles = {law.name: {one.ground: one.articles for one in law.grounds} for law in found.laws}
    values = {"found": found, "grounds": every.values(), "articles": articles}
    return Part("untested", "What was not tested", "untested", values, "Not tested")
