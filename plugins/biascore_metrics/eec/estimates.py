"""The numbers of one emotion as estimates: effects, coefficients as printed, logits, means of cells and of names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from biascore.api.metrics import ClusterContrast, ConfidenceInterval, Estimate, PValue
from biascore.stats import TTest, stars
from biascore_metrics.eec.fits import Effect, Fitted
from biascore_metrics.eec.rows import CORPUS, Rows

SCORE, LOGIT = "score", "logit"
SCORED_FOR: Final = "scored for"
"""The column of the items that says for which emotion they were scored."""
WELCH = "Welch's t over names"
LARGER = ", the larger of all templates and those without agreeing words"
BY_STRATUM = "Welch over names by stratum, fixed effects of frames"
PLAIN = "OLS"
BETA = "Beta regression, average marginal effect"


def contrast(effect: Effect) -> str:
    """``African-American - European``; of an interaction ``(African-American - European) x (female - male)``."""
    parts = [f"{level} - {reference}" for level, reference in effect.change.values()]
    return parts[0] if len(parts) == 1 else " x ".join(f"({part})" for part in parts)


def label(effect: Effect) -> str:
    """What a picture calls an effect: ``female - male``, ``African-American x female``."""
    return contrast(effect) if len(effect.change) == 1 else " x ".join(effect.level)


def effect_name(emotion: str, effect: Effect, of: str = "") -> str:
    """``anger: female - male``."""
    return f"{emotion}: {contrast(effect)}{of and f', {of}'}"


def effect_estimate(
    emotion: str,
    effect: Effect,
    adjusted: PValue | None = None,
    of: str = "",
    rows: Rows | None = None,
) -> Estimate:
    """The average effect; the first p-value decides, and the interval is that of its test.

    ``rows``: the sentences of the items that it follows from, None where it is of some of them.
    """
    return Estimate(
        name=effect_name(emotion, effect, of),
        value=effect.value,
        unit=SCORE,
        n=effect.n,
        interval=interval_of(effect.test, BY_STRATUM),
        p_values=(*([adjusted] if adjusted else []), *p_of_effect(effect)),
        sides=_sides(emotion, effect),
        estimator=None if rows is None else _from_items(emotion, effect, rows),
    )


def p_of_effect(effect: Effect) -> list[PValue]:
    """The p before adjustment, the larger of two where words agree with the person; none without a test."""
    if effect.p_value is None:
        return []
    if effect.free is None:
        return [_p_alone(effect)]
    alone = [one for one in (effect, effect.free) if one.own_p is not None]
    larger = _p_alone(max(alone, key=lambda one: one.own_p or 0.0))
    return [larger.model_copy(update={"name": larger.name + LARGER, "value": effect.p_value})]


def _p_alone(effect: Effect) -> PValue:
    assert effect.test is not None
    return p_of(WELCH, effect.test)


def by_template(fitted: Fitted, effect: Effect, level: float) -> Iterator[tuple[str, Estimate]]:
    """The effect in each template, with what a picture calls it: the templates are these and no sample of others."""
    for template, sentences, test in fitted.by_template(effect, level):
        yield (
            f"template {template}",
            Estimate(
                name=effect_name(fitted.emotion, effect, f"template {template}"),
                value=test.estimate,
                unit=SCORE,
                n={"sentences": sentences},
                interval=interval_of(test, BY_STRATUM),
            ),
        )


def _sides(emotion: str, effect: Effect) -> tuple[str, str] | None:
    """Whose sentences get higher scores above and below 0; not of an interaction, which compares differences."""
    if len(effect.change) != 1:
        return None
    ((level, reference),) = effect.change.values()
    return (
        f"{emotion} is scored higher for {level} than for {reference}",
        f"{emotion} is scored higher for {reference} than for {level}",
    )


def _from_items(emotion: str, effect: Effect, rows: Rows) -> ClusterContrast | None:
    """How an effect follows from the items; of several corpora names vary within them."""
    if effect.test is None:
        return None
    return ClusterContrast(
        only=(SCORED_FOR, emotion),
        cluster="person",
        frame=("template", "word"),
        levels=rows.levels,
        contrasted=effect.change,
        within=CORPUS if len(rows.corpora) > 1 else None,
        key=("item", "group", "person", "template", "word"),
    )


def coefficients(fitted: Fitted, level: float) -> Iterator[Estimate]:
    """Coefficients of least squares, as printed, and of the Beta regression, in logits and on the scale of the scores.

    All take the sentences of one name for independent, as the paper does.
    """
    n = {"sentences": fitted.scores.size}
    for column in fitted.plain.design.columns:
        test = fitted.plain.test({column: 1.0}, level=level)
        yield _coefficient(f"{fitted.emotion}: OLS coefficient {column}", test, SCORE, n, PLAIN)
    if fitted.smooth is None:
        return
    for column in fitted.smooth.design.columns:
        test = fitted.smooth.test({column: 1.0}, level=level)
        yield _coefficient(f"{fitted.emotion}: Beta coefficient {column}", test, LOGIT, n, "Beta regression")
    for effect in fitted.effects:
        test = fitted.smooth.marginal_effect(effect.change, level=level)
        yield _coefficient(
            f"{fitted.emotion}: Beta average marginal effect {effect.column}", test, SCORE, n, BETA
        )


def means(fitted: Fitted) -> Iterator[Estimate]:
    """The mean score of each cell."""
    for cell in fitted.rows.cells:
        own = fitted.rows.cell == cell
        n = {"sentences": int(own.sum())}
        value = float(fitted.scores[own].mean())
        yield Estimate(name=f"{fitted.emotion}: mean of {cell}", value=value, unit=SCORE, neutral=None, n=n)


def name_means(fitted: Fitted) -> Iterator[tuple[str, Estimate]]:
    """How far the mean score of each name lies from that of all, cell by cell, with what a picture calls it."""
    names, person = np.unique(fitted.rows.person, return_inverse=True)
    _, frame = np.unique(fitted.rows.frame, return_inverse=True)
    left = fitted.scores - (np.bincount(frame, weights=fitted.scores) / np.bincount(frame))[frame]
    count = np.bincount(person)
    means = np.bincount(person, weights=left) / count
    cell_of = dict(zip(fitted.rows.person.tolist(), fitted.rows.cell.tolist(), strict=True))
    order = {cell: place for place, cell in enumerate(fitted.rows.cells)}
    middle = float(means.mean())
    found = zip(names.tolist(), means.tolist(), count.tolist(), strict=True)
    for name, mean, rows in sorted(found, key=lambda one: (order[cell_of[one[0]]], -one[1])):
        yield (
            f"{name} ({cell_of[name]})",
            Estimate(
                name=f"{fitted.emotion}: mean of {name} less that of all",
                value=mean - middle,
                unit=SCORE,
                n={"sentences": rows},
            ),
        )


def p_of(name: str, test: TTest) -> PValue:
    """The p-value of a t test."""
    return PValue(name=name, value=test.p_value, kind="asymptotic", alternative="two-sided")


def interval_of(test: TTest | None, how: str) -> ConfidenceInterval | None:
    """The t interval of a test, with its standard error, t and degrees of freedom."""
    if test is None:
        return None
    method = f"t, {test.df:.0f} df, {how}"
    return ConfidenceInterval(low=test.low, high=test.high, level=test.level, method=method)


def _coefficient(name: str, test: TTest, unit: str, n: dict[str, int], how: str) -> Estimate:
    printed = (
        f"{how}: SE {test.se:.3g}, t {test.t:.3g}{' ' if stars(test.p_value) else ''}{stars(test.p_value)}"
    )
    return Estimate(
        name=name,
        value=test.estimate,
        unit=unit,
        n=n,
        interval=interval_of(test, printed),
        p_values=(p_of(how, test),),
    )
