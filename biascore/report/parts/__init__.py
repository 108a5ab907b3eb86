"""The sections of the page, in order: a function and a template each.

A section is made from a run alone and is left out where its function returns None. To add one, write both and put the
function in its place here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from biascore.report.parts.answer import answer
from biascore.report.parts.checks import checks
from biascore.report.parts.detail import measurements
from biascore.report.parts.every_test import every_test
from biascore.report.parts.gates import gates, mappings, scenarios
from biascore.report.parts.methods import methods
from biascore.report.parts.part import Part
from biascore.report.parts.pictures import across, effects
from biascore.report.parts.results import results
from biascore.report.parts.sources import again, models, provenance, stimuli
from biascore.report.parts.untested import three_sentences, untested
from biascore.results.run import Run

__all__ = ["PARTS", "Part"]

PARTS: Final[tuple[Callable[[Run], Part | None], ...]] = (
    answer,
    gates,
    three_sentences,
    untested,
    every_test,
    checks,
    effects,
    methods,
    across,
    results,
    measurements,
    scenarios,
    mappings,
    models,
    stimuli,
    provenance,
    again,
)
