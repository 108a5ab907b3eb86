"""The numbers of one emotion as estimates, in their order, and the pictures that are drawn of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final

from biascore.api.figures import Bars, Dots, Histogram
from biascore.api.metrics import ClusterContrast, ConfidenceInterval, Estimate
from biascore.designs.clustered import ends_of, p_of
from biascore.stats import RegressionError, TTest, ZeroVarianceError, stars
from biascore_metrics.eec.corpora import CORPUS, Rows
from biascore_metrics.eec.fits import Effect, Fitted, framed, tested

SCORE, LOGIT = "score", "logit"
SCORED_FOR: Final = "scored for"
"""The column of the items that says for which emotion they were scored."""
WELCH: Final = "Welch's t over names"
LARGER: Final = ", the larger of all templates and those without agreeing words"
BY_STRATUM: Final = "Welch over names by stratum, fixed effects of frames"
Labelled = list[tuple[str, Estimate]]
"""Estimates with what a picture calls them."""


def effect_estimate(effect: Effect, rows: Rows | None = None, adjusted: str = "") -> Estimate:
    """The average effect; the first p-value decides, and the interval is that of its test.

    ``rows``: the sentences of the items that it follows from, None where it is of the agreement-free ones. ``adjusted``:
    how the p-value is adjusted, where it is.
    """
    p_values = []
    if effect.p_value is not None:  # the larger of two where words agree with the person
        p_values.append(p_of(WELCH + LARGER * (effect.free is not None), effect.p_value))
    if p_values and adjusted and effect.p_adjusted is not None:
        update = {"name": f"{p_values[0].name}, {adjusted}", "value": effect.p_adjusted, "se": None}
        p_values.insert(0, p_values[0].model_copy(update=update))
    items = None
    if rows and effect.test:  # of several corpora names vary within them
        items = ClusterContrast(
            only=(SCORED_FOR, effect.emotion),
            cluster="person",
            frame=("template", "word"),
            levels=rows.levels,
            contrasted=effect.change,
            within=CORPUS if len(rows.corpora) > 1 else None,
            key=("item", "group", "person", "template", "word"),
        )
    sides = None
    if len(effect.change) == 1:  # an interaction compares differences
        ((level, reference),) = effect.change.values()
        higher = f"{effect.emotion} is scored higher for {{}} than for {{}}"
        sides = higher.format(level, reference), higher.format(reference, level)
    return Estimate(
        name=effect.name if rows else f"{effect.name}, agreement-free templates",
        value=effect.value,
        unit=SCORE,
        n=effect.n,
        interval=_interval_of(effect.test, BY_STRATUM),
        p_values=tuple(p_values),
        sides=sides,
        estimator=items,
    )


def by_template(fitted: Fitted, effect: Effect, level: float) -> Labelled:
    """The effect in each template that has all groups: the templates are these and no sample of others."""
    found = []
    for template in fitted.rows.data["template"].unique():
        kept = fitted.rows["template"] == template
        rows = fitted.rows.where(kept)
        if {*rows.cell.tolist()} == {*rows.cells}:
            with suppress(RegressionError, ZeroVarianceError):
                test = tested(framed(rows, fitted.scores[kept]), rows, effect.change, level)
                of, n = f"template {template}", {"sentences": int(kept.sum())}
                found.append(
                    (of, _of_scores(f"{effect.name}, {of}", test.estimate, n, _interval_of(test, BY_STRATUM)))
                )
    return found


def _of_scores(
    name: str, value: float, n: dict[str, int], interval: ConfidenceInterval | None = None
) -> Estimate:
    return Estimate(name=name, value=value, unit=SCORE, n=n, interval=interval)


def coefficients(fitted: Fitted, level: float) -> Iterator[Estimate]:
    """Coefficients of least squares, as printed, and of the Beta regression, in logits and on the scale of the scores.

    All take the sentences of one name for independent, as the paper does.
    """
    found = [
        ("OLS coefficient", one, SCORE, fitted.plain.test({one: 1.0}, level=level), "OLS")
        for one in fitted.plain.design.columns
    ]
    if smooth := fitted.smooth:
        how = "Beta regression"
        found += [
            ("Beta coefficient", one, LOGIT, smooth.test({one: 1.0}, level=level), how)
            for one in smooth.design.columns
        ]
        how = "Beta regression, average marginal effect"
        of_levels = ((one.column, smooth.marginal_effect(one.change, level=level)) for one in fitted.effects)
        found += [("Beta average marginal effect", one, SCORE, test, how) for one, test in of_levels]
    for what, column, unit, test, how in found:
        printed = f"{how}: SE {test.se:z.3g}, t {test.t:z.3g} {stars(test.p_value)}".rstrip()
        yield Estimate(
            name=f"{fitted.emotion}: {what} {column}",
            value=test.estimate,
            unit=unit,
            n={"sentences": fitted.scores.size},
            interval=_interval_of(test, printed),
            p_values=(p_of(how, test.p_value),),
        )


def means(fitted: Fitted) -> Iterator[Estimate]:
    """The mean score of each cell."""
    for cell in fitted.rows.cells:
        own = fitted.scores[fitted.rows.cell == cell]
        name, value = f"{fitted.emotion}: mean of {cell}", float(own.mean())
        yield Estimate(name=name, value=value, unit=SCORE, neutral=None, n={"sentences": own.size})


def name_means(fitted: Fitted) -> Labelled:
    """How far the mean score of each name lies from that of all, cell by cell."""
    import pandas as pd  # slow to import, and only frames need it

    rows, scores = fitted.rows, pd.Series(fitted.scores)
    left = scores - scores.groupby(rows.frame).transform("mean")
    found = left.groupby([rows.cell, rows["person"]]).agg(["mean", "size"])
    found["mean"] -= found["mean"].mean()
    order = {cell: place for place, cell in enumerate(rows.cells)}
    ordered = sorted(found.itertuples(name=None), key=lambda one: (order[one[0][0]], -one[1]))
    name_of = f"{fitted.emotion}: mean of {{}} less that of all"
    return [
        (f"{name} ({cell})", _of_scores(name_of.format(name), mean, {"sentences": count}))
        for (cell, name), mean, count in ordered
    ]


def figures(
    fitted: Sequence[Fitted],
    first: Effect,
    templates: Labelled,
    names: Sequence[Labelled],
    subject: str,
) -> Iterator[Dots | Histogram | Bars]:
    """Effects by emotion, the first one by template, the scores of each group, and the means of names."""
    drawn = [(f"Effects on {one.emotion}", [(of.label, of.name) for of in one.effects]) for one in fitted]
    if len(templates) > 1:
        drawn.append((f"{first.name} by template", [(label, of.name) for label, of in templates]))
    for title, some in drawn:
        labels, estimates = zip(*some, strict=True)
        yield Dots(title=title, estimates=estimates, labels=labels, subject=subject)
    for one in fitted:
        title = f"Scores of {one.emotion} by group"
        yield Histogram(title=title, column="value", only=(SCORED_FOR, one.emotion))
    for one, of_names in zip(fitted, names, strict=True):
        labels, estimates = zip(*((label, of.name) for label, of in of_names), strict=True)
        title = f"Mean {one.emotion} of each name less that of all"
        yield Bars(title=title, estimates=estimates, labels=labels)


def _interval_of(test: TTest | None, how: str) -> ConfidenceInterval | None:
    """The t interval of a test, with its degrees of freedom."""
    return None if test is None else ends_of(test, f"t, {test.df:z.0f} df, {how}")
