"""Further estimates: the difference in each template, and the paper's model by perplexity."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from biascore.api.metrics import Estimate
from biascore.designs.clustered import Difference
from biascore_metrics.robust.fits import NATS, Pair, PairFit, Table, difference, estimate_of, fit, missing
from biascore_metrics.robust.options import RobustOptions
from biascore_metrics.robust.probes import Design
from biascore_metrics.robust.scores import Row

Labelled = list[tuple[str, Estimate]]
"""Estimates with what a picture calls them."""


def by_template(table: Table, design: Design, pair: Pair, options: RobustOptions) -> Labelled:
    """The difference in each template by itself, not adjusted."""
    if len(design.templates) < 2:
        return []
    found = []
    for template in design.templates:
        own = Difference.of(table.where(table.template == template.name).scores, pair, options.confidence)
        estimate = own.estimate(own.p_value, NATS)
        name = f"{own.name} in {template.name}"
        found.append((f"{template.name}: {template.sentence}", estimate.model_copy(update={"name": name})))
    return found


def by_perplexity(
    rows: Sequence[Row], table: Table, first: PairFit, options: RobustOptions
) -> tuple[list[Estimate], tuple[str, ...]]:
    """The paper's bias score of the sentences in each range of perplexity, and a warning of those that have none."""
    perplexity = np.array([row.perplexity for row in rows])
    found: list[Estimate] = []
    empty: list[str] = []
    for low, high in pairwise(options.ppl_bins):
        inside = table.where((low <= perplexity) & (perplexity < high))
        label = f"perplexity {low:g} to {high:g}"
        name, n = f"{first.name} at {label}", inside.n(first.pair)
        own = fit(inside, first.pair)
        if isinstance(own, str):
            empty.append(label)
            found.append(missing(name, n))
        else:
            found.append(estimate_of(name, difference(own, first.pair, options.confidence), n))
    without = f"no bias score of its own for {', '.join(empty)}: too few sentences, or all alike"
    return found, (without,) if empty else ()
