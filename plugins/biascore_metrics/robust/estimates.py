"""Further estimates, and pictures: the difference in each template, the paper's model by perplexity, shares of variance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from biascore.api.figures import Band, Bars, Dots, Histogram, Range
from biascore.api.metrics import Estimate
from biascore.designs.clustered import Difference
from biascore_metrics.robust.fits import NATS, Pair, PairFit, clustered
from biascore_metrics.robust.options import RobustOptions
from biascore_metrics.robust.probes import Design
from biascore_metrics.robust.sizes import SIZES

if TYPE_CHECKING:
    import pandas as pd

MAX_DEGENERATE_SHARE = 0.01
Labelled = list[tuple[str, Estimate]]
"""Estimates with what a picture calls them."""


def by_template(table: pd.DataFrame, design: Design, pair: Pair, options: RobustOptions) -> Labelled:
    """The difference in each template by itself, not adjusted."""
    if len(design.templates) < 2:
        return []
    found = []
    for template in design.templates:
        rows = clustered(table[table["template"] == template.name])
        own = Difference.of(rows, pair, options.confidence)
        estimate = own.estimate(own.p_value, NATS)
        name = f"{own.name} in {template.name}"
        found.append((f"{template.name}: {template.sentence}", estimate.model_copy(update={"name": name})))
    return found


def by_perplexity(
    table: pd.DataFrame, pair: Pair, options: RobustOptions
) -> tuple[list[Estimate], tuple[str, ...]]:
    """The paper's bias score of the sentences in each range of perplexity, and a warning of those that have none."""
    found: list[Estimate] = []
    empty: list[str] = []
    for low, high in pairwise(options.ppl_bins):
        inside = table[table["perplexity"].between(low, high, inclusive="left")]
        own, label = PairFit.of(inside, pair, options.confidence), f"perplexity {low:g} to {high:g}"
        empty += [label] * bool(own.problem)
        found.append(own.score(f" at {label}"))
    without = f"no bias score of its own for {', '.join(empty)}: too few sentences, or all alike"
    return found, (without,) if empty else ()


def degenerate(fits: Sequence[PairFit]) -> Iterator[str]:
    """Warnings of bootstrap fits that did not converge."""
    for one in fits:
        drawn = one.bootstrap
        if drawn and drawn.n_degenerate > MAX_DEGENERATE_SHARE * drawn.resamples:
            yield (
                f"{drawn.n_degenerate} of {drawn.resamples} bootstrap fits of {' - '.join(one.pair)} did not converge and "
                "are left out of the intervals of R²"
            )


def figures(
    scores: Sequence[Estimate],
    shares: Sequence[Estimate],
    templates: Labelled,
    bins: Sequence[Estimate],
    options: RobustOptions,
    subject: str,
) -> tuple[Bars | Dots | Histogram, ...]:
    """Differences and shares of variance over a run, and templates and perplexities; those that have a value."""
    # Cohen's sizes by their words: the paper's three of "small" are one.
    same = [list(sizes) for _, sizes in groupby(SIZES, key=lambda size: size.word)]
    bands = tuple(Band(name=some[0].word, low=some[0].low, high=some[-1].high) for some in same)
    of_shares = "Share of variance that the group explains, by test and model (the paper's mixed model)"
    drawn: list[Bars | Dots | Histogram] = []
    for title, some, own in (("Differences by test and model", scores, ()), (of_shares, shares, bands)):
        if any(one.value is not None for one in some):
            names = tuple(one.name for one in some)
            drawn.append(Dots(title=title, estimates=names, labels=names, subject=subject, bands=own))
    if known := [(label, one.name) for label, one in templates if one.value is not None]:
        labels, names = zip(*known, strict=True)
        drawn.append(Bars(title="Difference by template", estimates=names, labels=labels))
    ranges = tuple(
        Range(low=low, high=high, estimate=estimate.name)
        for (low, high), estimate in zip(pairwise(options.ppl_bins), bins, strict=True)
    )
    title = "Sentences by perplexity" + ", and the paper's bias score in ranges of it" * bool(ranges)
    histogram = Histogram(title=title, column="perplexity", log=True, ranges=ranges)
    return (*drawn, histogram) if drawn else ()
