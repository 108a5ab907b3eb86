"""What is told beside the bias scores of the pairs: the joint model, random effects, and models of parts of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import Final

import numpy as np

from biascore.plugins_api import Estimate, PValue
from biascore_metrics.robust.fits import (
    GROUP,
    NATS,
    PairFit,
    Table,
    difference,
    difference_name,
    estimate_of,
    fit,
    missing,
)
from biascore_metrics.robust.options import RobustOptions
from biascore_metrics.robust.probes import Design
from biascore_metrics.robust.scores import Row

SQUARED: Final = "nats squared"
Labelled = list[tuple[str, Estimate]]
"""Estimates with what a picture calls them."""


def joint_model(
    table: Table, design: Design, options: RobustOptions
) -> tuple[list[Estimate], tuple[str, ...]]:
    """One model of three or more groups: the joint F, and the differences, which add up."""
    if len(design.groups) == 2:
        return [], ()
    n = table.n(design.groups)
    name = "joint F of all groups"
    found = fit(table, design.groups, options)
    pairs = list(combinations(design.groups, 2))
    if isinstance(found, str):
        lacking = [missing(_name(pair), table.n(pair)) for pair in pairs]
        return [missing(name, n, "F"), *lacking], (f"no model of all groups together: {found}",)
    test = found.joint(GROUP)
    p = PValue(
        name=f"F with {test.df_num} and {test.df_den:.4g} df", value=test.p_value, kind="asymptotic",
        alternative="two-sided",
    )  # fmt: skip
    estimates = [Estimate(name=name, value=test.f, unit="F", neutral=None, n=n, p_values=(p,))]
    estimates += [
        estimate_of(_name(pair), difference(found, pair, options.confidence), table.n(pair)) for pair in pairs
    ]
    return estimates, ()


def _name(pair: tuple[str, str]) -> str:
    return f"joint model {difference_name(pair)}"


def by_template(table: Table, design: Design, first: PairFit, options: RobustOptions) -> Labelled:
    """The bias score of each template by itself, with what it is labelled as."""
    if len(design.templates) < 2:
        return []
    found = []
    for template in design.templates:
        own = table.where(table.template == template.name)
        found.append(
            (f"{template.name}: {template.sentence}", _part(own, first, options, f"in {template.name}"))
        )
    return found


def by_perplexity(
    rows: Sequence[Row], table: Table, first: PairFit, options: RobustOptions
) -> tuple[list[Estimate], tuple[str, ...]]:
    """The bias score of the sentences in each range of perplexity, and a warning of those that have none."""
    perplexity = np.array([row.perplexity for row in rows])
    found: list[Estimate] = []
    empty: list[str] = []
    for low, high in pairwise(options.ppl_bins):
        inside = table.where((low <= perplexity) & (perplexity < high))
        label = f"perplexity {low:g} to {high:g}"
        found.append(_part(inside, first, options, f"at {label}"))
        if found[-1].value is None:
            empty.append(label)
    without = f"no bias score of its own for {', '.join(empty)}: too few sentences, or all alike"
    return found, (without,) if empty else ()


def _part(part: Table, first: PairFit, options: RobustOptions, what: str) -> Estimate:
    """The bias score in a part of the rows, not adjusted."""
    name, n = f"{first.name} {what}", part.n(first.pair)
    own = fit(part, first.pair, options)
    return (
        missing(name, n)
        if isinstance(own, str)
        else estimate_of(name, difference(own, first.pair, options.confidence), n)
    )


def random_effects(first: PairFit) -> dict[str, Labelled]:
    """Variances, and the predicted random intercepts by factor, with what they are labelled as."""
    if first.fit is None:
        return {}
    n = {"rows": first.fit.n}
    of_weight_1 = "residual variance of a sentence of perplexity 1"
    variances = [
        (name, _plain(f"variance of the {name}", value, SQUARED, n))
        for name, value in first.fit.variances.items()
    ]
    variances.append(("residual", _plain(of_weight_1, first.fit.residual_variance, SQUARED, n)))
    found = {"variances": variances}
    for factor, effects in first.fit.effects.items():
        if factor != "attribute":  # hundreds, of words and not of what is said of them
            found[factor] = [
                (level, _plain(f"random intercept of {factor} {level}", value, NATS, n))
                for level, value in effects.items()
            ]
    return found


def _plain(name: str, value: float, unit: str, n: dict[str, int]) -> Estimate:
    return Estimate(name=name, value=value, unit=unit, neutral=None, n=n)
