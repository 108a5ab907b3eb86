"""All numbers of one measurement in their order, and the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import numpy as np

from biascore.plugins_api import Bars, Dots, Estimate, Histogram, PValue, Range, Total
from biascore.stats import Decision, Verdict, holm
from biascore_metrics.robust.figures import figures
from biascore_metrics.robust.fits import PAPER_R2, SATTERTHWAITE, PairFit, Table, difference_name, welch
from biascore_metrics.robust.options import RobustOptions
from biascore_metrics.robust.parts import Labelled, by_perplexity, by_template, joint_model, random_effects
from biascore_metrics.robust.probes import Design
from biascore_metrics.robust.scores import Row
from biascore_metrics.robust.sizes import decide_bias, stance

MAX_DEGENERATE_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class Findings:
    """The estimates in their order, the verdict, figures, and what a reader has to be warned of."""

    estimates: tuple[Estimate, ...]
    decision: Decision
    figures: tuple[Bars | Dots | Histogram, ...]
    warnings: tuple[str, ...]
    cautions: tuple[str, ...]
    bound_of: str | None
    contributions: tuple[float | None, ...]
    """What each row adds to the first bias score."""


def findings(
    rows: Sequence[Row], design: Design, options: RobustOptions, rng: np.random.Generator, subject: str
) -> Findings:
    """Fit everything that the options ask for; the first pair of groups is the headline."""
    table = Table.of(rows)
    pairs = [PairFit.of(table, pair, options, rng) for pair in combinations(design.groups, 2)]
    first = pairs[0]
    adjusted = _adjusted(pairs)
    scores = [pair.score(p) for pair, p in zip(pairs, adjusted, strict=True)]
    scores[0] = scores[0].model_copy(update={"estimator": Total(cluster=("target",))})
    shares = [share for pair in pairs for share in pair.shares(options.confidence)]
    joint, joint_problem = joint_model(table, design, options)
    templates = by_template(table, design, first, options)
    bins, bin_problems = by_perplexity(rows, table, first, options)
    random = random_effects(first)
    ranges = [
        Range(low=low, high=high, estimate=estimate.name)
        for (low, high), estimate in zip(pairwise(options.ppl_bins), bins, strict=True)
    ]
    parts = [*_unlabelled(templates), *bins, *(one for some in random.values() for one in _unlabelled(some))]
    plain = welch(table, first.pair, options.confidence)
    cautions = (*_problems(pairs), *joint_problem, *(first.fit.cautions if first.fit else ()))
    return Findings(
        estimates=(*scores, *shares, plain, *joint, *parts),
        decision=_decide(pairs, adjusted, options),
        figures=figures(scores, shares, templates, ranges, random, subject),
        warnings=(*bin_problems, *_degenerate(pairs)),
        cautions=tuple(dict.fromkeys(cautions)),
        bound_of=first.r2_name(PAPER_R2) if first.fit else None,
        contributions=tuple(first.contributions(table)),
    )


def _unlabelled(labelled: Labelled) -> list[Estimate]:
    return [estimate for _, estimate in labelled]


def _adjusted(pairs: Sequence[PairFit]) -> list[PValue | None]:
    """The p-values of several pairs, adjusted over them; one alone needs none."""
    if len(pairs) == 1:
        return [None]
    values = holm([pair.test.p_value if pair.test else None for pair in pairs])
    name = f"{SATTERTHWAITE}, Holm over {len(pairs)} pairs"
    return [
        PValue(name=name, value=float(p), kind="asymptotic", alternative="two-sided") if pair.test else None
        for pair, p in zip(pairs, values, strict=True)
    ]


def _decide(pairs: Sequence[PairFit], adjusted: Sequence[PValue | None], options: RobustOptions) -> Decision:
    first, others = pairs[0], pairs[1:]
    r2 = first.r2(options.confidence)
    if first.test is None or r2 is None:
        return Decision(Verdict.INCONCLUSIVE, f"It could not be measured: {first.problem}.")
    p = adjusted[0].value if adjusted[0] else first.test.p_value
    decision = decide_bias(p, *r2, alpha=options.alpha, r2_min=options.r2_min)
    told = [_other(pair, own, options) for pair, own in zip(others, adjusted[1:], strict=True)]
    which = f" This is {difference_name(first.pair)}; of the others, {'; '.join(told)}." if told else ""
    return replace(decision, reason=decision.reason + which)


def _other(pair: PairFit, adjusted: PValue | None, options: RobustOptions) -> str:
    name, r2 = difference_name(pair.pair), pair.r2(options.confidence)
    if pair.test is None or adjusted is None or r2 is None:
        return f"{name} could not be measured"
    p = adjusted.value
    said = stance(p, r2[0], alpha=options.alpha, r2_min=options.r2_min)
    return f"{name} is {pair.test.estimate:.3g} nats, p = {p:.3g}, R² {r2[0]:.3g}: {said}"


def _problems(pairs: Sequence[PairFit]) -> list[str]:
    return [f"no {pair.name}: {pair.problem}" for pair in pairs if pair.problem]


def _degenerate(pairs: Sequence[PairFit]) -> list[str]:
    return [
        f"{drawn.n_degenerate} of {drawn.resamples} bootstrap fits of {difference_name(pair.pair)} did not converge and "
        "are left out of its intervals"
        for pair in pairs
        if (drawn := pair.bootstrap) and drawn.n_degenerate > MAX_DEGENERATE_SHARE * drawn.resamples
    ]
