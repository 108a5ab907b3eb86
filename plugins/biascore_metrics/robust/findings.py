"""All numbers of one measurement in their order, and the verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from biascore.api.figures import Bars, Dots, Histogram, Range
from biascore.api.metrics import Caveat, Estimate, Total, caveats_of
from biascore.designs.clustered import Difference
from biascore.stats import Decision, Verdict, decide, holm
from biascore_metrics.robust.figures import figures
from biascore_metrics.robust.fits import NATS, PairFit, Table, difference_name
from biascore_metrics.robust.options import RobustOptions
from biascore_metrics.robust.parts import by_perplexity, by_template
from biascore_metrics.robust.probes import Design
from biascore_metrics.robust.scores import Row

MAX_DEGENERATE_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class Findings:
    """The estimates in their order, the verdict, figures, and what a reader has to be warned of."""

    estimates: tuple[Estimate, ...]
    decision: Decision
    figures: tuple[Bars | Dots | Histogram, ...]
    caveats: tuple[Caveat, ...]
    contributions: tuple[float | None, ...]
    """What each row adds to the first difference."""
    farthest: str
    """The difference whose interval goes farthest from 0: none is negligible unless it is."""


def findings(
    rows: Sequence[Row], design: Design, options: RobustOptions, rng: np.random.Generator, subject: str
) -> Findings:
    """Decide by the difference of the first two groups, and fit the paper's model for each pair of groups."""
    table = Table.of(rows)
    pairs = list(combinations(design.groups, 2))
    differences = [Difference.of(table.scores, pair, options.confidence) for pair in pairs]
    first, farthest = differences[0], max(differences, key=_reach)
    adjusted = [None if np.isnan(p) else float(p) for p in holm([one.p_value for one in differences])]
    over = f", Holm over {len(pairs)} pairs" if len(pairs) > 1 else ""
    headlines = [one.estimate(p, NATS, over) for one, p in zip(differences, adjusted, strict=True)]
    headlines[0] = headlines[0].model_copy(update={"estimator": Total(cluster=("target",))})
    fits = [PairFit.of(table, pair, options, rng) for pair in pairs]
    shares = [share for fit in fits for share in fit.shares(options.confidence)]
    templates = by_template(table, design, pairs[0], options)
    bins, bin_problems = by_perplexity(rows, table, fits[0], options)
    ranges = [
        Range(low=low, high=high, estimate=estimate.name)
        for (low, high), estimate in zip(pairwise(options.ppl_bins), bins, strict=True)
    ]
    parts = [*(estimate for _, estimate in templates), *bins]
    problems = [
        *(f"no test of {one.name}: {one.problem}" for one in differences if one.problem),
        *(f"no {one.name}: {one.problem}" for one in fits if one.problem),
    ]
    singular = fits[0].fit.cautions if fits[0].fit else ()
    return Findings(
        estimates=(*headlines, *(fit.score() for fit in fits), *shares, *parts),
        decision=_decide(differences, farthest, adjusted, fits[0], options),
        figures=figures(headlines, shares, templates, ranges, subject),
        caveats=(
            *caveats_of(dict.fromkeys(problems)),
            *first.caveats(options.alpha),
            *caveats_of((*bin_problems, *singular, *_degenerate(fits)), verdict=False),
        ),
        contributions=_contributions(table, first),
        farthest=headlines[differences.index(farthest)].name,
    )


def _contributions(table: Table, first: Difference) -> tuple[float | None, ...]:
    if first.weights is None:
        return (None,) * len(table.group)
    values = (first.weights * table.association).tolist()
    return tuple(v if w else None for v, w in zip(values, first.weights.tolist(), strict=True))


def _decide(
    differences: Sequence[Difference],
    farthest: Difference,
    adjusted: Sequence[float | None],
    paper: PairFit,
    options: RobustOptions,
) -> Decision:
    first = differences[0]
    if first.problem:
        return Decision(Verdict.INCONCLUSIVE, f"It could not be tested: {first.problem}.")
    decision = decide(
        adjusted[0],
        farthest.interval,
        alpha=options.alpha,
        bound=options.bound,
        of="" if farthest is first else difference_name(farthest.groups),
    )
    told = [
        f"{difference_name(one.groups)} is {one.value:.3g} nats, p = {p:.3g}"
        if one.value is not None and p is not None
        else f"{difference_name(one.groups)} could not be tested"
        for one, p in zip(differences[1:], adjusted[1:], strict=True)
    ]
    others = f"This is {difference_name(first.groups)}; {'; '.join(told)}." if told else ""
    model = ""
    if (said := paper.told(options.alpha)) and paper.test and first.value is not None:
        sign = " has the other sign" if paper.test.estimate * first.value < 0 else ""
        model = f"The paper's mixed model{sign}, in its words: {said}."
    return Decision(decision.verdict, " ".join(filter(None, [decision.reason, others, model])))


def _reach(difference: Difference) -> float:
    """How far the interval of a difference goes from 0; without one, beyond all bounds."""
    ends = difference.interval
    return math.inf if ends is None else max(-ends.low, ends.high)


def _degenerate(fits: Sequence[PairFit]) -> list[str]:
    return [
        f"{drawn.n_degenerate} of {drawn.resamples} bootstrap fits of {difference_name(one.pair)} did not converge and "
        "are left out of the intervals of R²"
        for one in fits
        if (drawn := one.bootstrap) and drawn.n_degenerate > MAX_DEGENERATE_SHARE * drawn.resamples
    ]
