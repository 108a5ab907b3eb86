"""Pictures: differences and shares of variance over a run, and the templates within a measurement."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from biascore.api.figures import Band, Bars, Dots, Histogram, Range
from biascore.api.metrics import Estimate
from biascore_metrics.robust.parts import Labelled
from biascore_metrics.robust.sizes import SIZES

BY_TEMPLATE: Final = "Difference by template"
PERPLEXITIES: Final = "Sentences by perplexity"
WITH_SCORES: Final = "Sentences by perplexity, and the paper's bias score in ranges of it"
SCORES: Final = "Differences by test and model"
SHARES: Final = "Share of variance that the group explains, by test and model (the paper's mixed model)"


def figures(
    scores: Sequence[Estimate],
    shares: Sequence[Estimate],
    templates: Labelled,
    ranges: Sequence[Range],
    subject: str,
) -> tuple[Bars | Dots | Histogram, ...]:
    """Those of which at least one estimate has a value."""
    of_run = [_dots(SCORES, scores, subject), _dots(SHARES, shares, subject, _bands())]
    drawn = tuple(figure for figure in (*of_run, _bars(BY_TEMPLATE, templates)) if figure)
    perplexities = Histogram(
        title=WITH_SCORES if ranges else PERPLEXITIES, column="perplexity", log=True, ranges=tuple(ranges)
    )
    return (*drawn, perplexities) if drawn else ()


def _bands() -> tuple[Band, ...]:
    """Cohen's sizes by their words: the paper's three of "small" are one."""
    same = [list(sizes) for _, sizes in groupby(SIZES, key=lambda size: size.word)]
    return tuple(Band(name=some[0].word, low=some[0].low, high=some[-1].high) for some in same)


def _dots(
    title: str, estimates: Sequence[Estimate], subject: str, bands: tuple[Band, ...] = ()
) -> Dots | None:
    if all(one.value is None for one in estimates):
        return None
    names = tuple(one.name for one in estimates)
    return Dots(title=title, estimates=names, labels=names, subject=subject, bands=bands)


def _bars(title: str, labelled: Labelled) -> Bars | None:
    drawn = [(label, one) for label, one in labelled if one.value is not None]
    if not drawn:
        return None
    return Bars(
        title=title, estimates=tuple(one.name for _, one in drawn), labels=tuple(label for label, _ in drawn)
    )
