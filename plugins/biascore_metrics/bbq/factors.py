"""Prompts, orders of the options and seeds as factors crossed with templates: the bias at each, and how much each adds."""

from __future__ import annotations

from typing import Final

import numpy as np

from biascore.api.metrics import Caveat, Estimate
from biascore.designs import Mean
from biascore_metrics.bbq.findings import SHARE, bias, estimate
from biascore_metrics.bbq.scores import Floats, Rows

FACTORS: Final = ("prompt", "order", "seed")
UNCERTAINTY: Final = "share of the variance of the bias"


def by_factor(rows: Rows, context: str, mean: Mean, level: float) -> tuple[Estimate, ...]:
    """The bias by prompt, order and seed, their standard deviations, and the shares of these and of templates.

    The variance of the bias, if other templates, prompts, orders and seeds had been taken, is taken as a sum: the squared
    standard error by template, and of each factor with k levels the variance between the biases at its levels over k,
    which includes what chance makes of each. ``rows`` are answers, of one context.
    """
    found: list[Estimate] = []
    variances = {} if mean.test is None else {"templates": mean.test.se**2}
    for factor in FACTORS:
        values = _values(rows, factor)
        if len(values) < 2:
            continue
        for number in values:
            part = rows.where(getattr(rows, factor) == number).answered
            found.append(estimate(f"{context} bias, {factor} {number}", bias(part, level)))
        sd = float(np.std(list(values.values()), ddof=1))
        n = {f"{factor}s": len(values)}
        name = f"standard deviation between {factor}s"
        found.append(Estimate(name=name, value=sd, unit=SHARE, neutral=None, n=n))
        variances[f"{factor}s"] = sd**2 / len(values)
    total = sum(variances.values())
    if not found or not total:
        return tuple(found)
    shares = (
        Estimate(
            name=f"{UNCERTAINTY}, {name}",
            value=one / total,
            unit=SHARE,
            neutral=None,
            limits=(0.0, 1.0),
            n={},
        )
        for name, one in variances.items()
    )
    return (*found, *shares)


def unmoved(rows: Rows) -> tuple[Caveat, ...]:
    """A caveat where every prompt or seed has the same answers; that every order has, is what a model should do."""
    found = []
    for factor in ("prompt", "seed"):
        numbers = getattr(rows, factor)
        levels = np.unique(numbers)
        first = rows.score[numbers == levels[0]] if len(levels) > 1 else None
        if first is not None and all(_same(first, rows.score[numbers == one]) for one in levels[1:]):
            text = (
                f"all {len(levels)} {factor}s have the same answers: the model pays no heed to them, or was not asked anew, "
                "as a file of answers"
            )
            found.append(Caveat(text, verdict=False))
    return tuple(found)


def _values(rows: Rows, factor: str) -> dict[int, float]:
    """The bias at each level that has answers."""
    numbers = getattr(rows, factor)
    parts = {int(one): rows.where(numbers == one).answered.score for one in np.unique(numbers)}
    return {one: float(score.mean()) for one, score in parts.items() if score.size}


def _same(one: Floats, other: Floats) -> bool:
    return bool(np.array_equal(one, other, equal_nan=True))
