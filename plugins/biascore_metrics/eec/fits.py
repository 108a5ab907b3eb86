"""The regressions of one emotion, and the permutation over names that decides.

score ~ all factors and their interactions, by least squares with an intercept (the tables of Câmara et al. 2022) and by a
Beta regression. Rows of one name share it and rows of one frame its words: labels are permuted over names, and intervals are
of least squares with fixed effects of the frames, clustered by name (CR2).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from biascore.stats import (
    ClusterMeans,
    ClusterTest,
    Design,
    RegressionError,
    TTest,
    ZeroVarianceError,
    beta,
    cluster_means,
    ols,
    treatment,
)
from biascore.stats.effects import by_column, difference
from biascore_metrics.eec.options import EecOptions
from biascore_metrics.eec.rows import CORPUS, Rows

Floats: TypeAlias = npt.NDArray[np.float64]
Change: TypeAlias = dict[str, tuple[str, str]]
FRAME: Final = "frame"
ROUNDING: Final = 1e-14
"""Of the largest score: smaller effects are none."""


@dataclass(frozen=True, slots=True, eq=False)
class Effect:
    """A change of level, averaged over the levels of the other factors, in the unit of the scores."""

    column: str
    change: Change
    value: float
    clustered: TTest | None
    """Least squares with fixed effects of the frames, clustered by name."""
    permutation: ClusterTest | None
    """Labels permuted over the names."""
    problem: str = ""
    """Why there is no permutation test."""
    free: Effect | None = None
    """The same in the templates without words that agree with the person; None where that makes no difference."""

    @property
    def level(self) -> tuple[str, ...]:
        """The levels that are compared with the references."""
        return tuple(level for level, _ in self.change.values())

    @property
    def p_value(self) -> float | None:
        """The permutation p, the larger of both where words agree with the person; None where nothing can be permuted.

        Where names do not differ at all without such words, nothing but grammar tells the groups apart, and p is 1.
        """
        if self.permutation is None:
            return None
        own = self.permutation.two_sided.p_value
        return own if self.free is None else max(own, 1.0 if (p := self.free.p_value) is None else p)


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """All that is fitted to the scores of one emotion."""

    emotion: str
    rows: Rows
    scores: Floats
    plain: ols.Fit
    """The paper's least squares, all rows taken for independent."""
    smooth: beta.Fit | None
    """A Beta regression, rows likewise; None where least squares alone is asked for."""
    names: ClusterMeans
    """Mean scores of the names, less those of the frames."""
    effects: tuple[Effect, ...]
    cautions: tuple[str, ...]

    @classmethod
    def of(
        cls,
        emotion: str,
        rows: Rows,
        scores: Floats,
        options: EecOptions,
        agreeing: frozenset[str],
        rng: np.random.Generator,
    ) -> Fitted:
        """Fit; ``agreeing`` factors are those that words of templates agree with.

        Raises RegressionError or ZeroVarianceError where the scores do not vary beyond the cells.
        """
        design = design_of(rows)
        plain = ols.fit(scores, design)
        smooth = None if options.link == "identity" else beta.fit(scores, design, squeeze=options.squeeze)
        names = _names(rows, scores)
        effects = effects_of(rows, scores, options, rng)
        kept = ~rows.agreement
        without = rows.where(kept)
        if not kept.all() and set(without.cell.tolist()) == set(rows.cells):
            free = effects_of(without, scores[kept], options, rng)
            effects = tuple(
                replace(effect, free=other) if agreeing & set(effect.change) else effect
                for effect, other in zip(effects, free, strict=True)
            )
        return cls(
            emotion=emotion,
            rows=rows,
            scores=scores,
            plain=plain,
            smooth=smooth,
            names=names,
            effects=effects,
            cautions=tuple(f"{emotion}: {one}" for one in (smooth.cautions if smooth else ())),
        )

    def by_template(self, effect: Effect, level: float) -> Iterator[tuple[str, int, TTest]]:
        """The effect in each template that has all groups, with its number of sentences."""
        for template in dict.fromkeys(self.rows.template.tolist()):
            kept = self.rows.template == template
            rows = self.rows.where(kept)
            if set(rows.cell.tolist()) == set(self.rows.cells):
                tests = _clustered(rows, self.scores[kept])
                test = _tested(tests, effect.change, level)
                if test is not None:
                    yield template, int(kept.sum()), test


def effects_of(
    rows: Rows, scores: Floats, options: EecOptions, rng: np.random.Generator
) -> tuple[Effect, ...]:
    """The effect of each column of the design by least squares and by permutation."""
    design = design_of(rows)
    coefficients = np.linalg.lstsq(design.matrix, scores, rcond=None)[0]
    tests = _clustered(rows, scores)
    found = []
    for column, change in by_column(design):
        of = difference(design, change)
        permutation, problem = _permuted(rows, scores, change, options, rng)
        clustered = _tested(tests, change, options.confidence)
        value = clustered.estimate if clustered else float(of.weights @ of.rows @ coefficients)
        if abs(value) <= ROUNDING * float(np.abs(scores).max()):
            value = 0.0
        found.append(Effect(column, change, value, clustered, permutation, problem))
    return tuple(found)


def design_of(rows: Rows) -> Design:
    """The factors with all their interactions, and of several corpora a fixed effect of each."""
    order = len(rows.factors)
    if len(rows.corpora) == 1:
        return treatment(rows.factors, levels=rows.levels, order=order)
    levels = {**rows.levels, CORPUS: rows.corpora}
    return treatment({**rows.factors, CORPUS: rows.corpus}, levels=levels, order=order, alone=[CORPUS])


def _names(rows: Rows, scores: Floats) -> ClusterMeans:
    _, frame = np.unique(rows.frame, return_inverse=True)
    means = np.bincount(frame, weights=scores) / np.bincount(frame)
    strata = {CORPUS: rows.first_corpus} if len(rows.corpora) > 1 else {}
    return cluster_means(scores - means[frame], rows.person, {**rows.factors, **strata})


def _permuted(
    rows: Rows, scores: Floats, change: Change, options: EecOptions, rng: np.random.Generator
) -> tuple[ClusterTest | None, str]:
    """The permutation test of a change, or why there is none."""
    try:
        return _names(rows, scores).test(change, draws=options.draws, rng=rng), ""
    except (RegressionError, ZeroVarianceError) as error:
        return None, str(error)


def _clustered(rows: Rows, scores: Floats) -> ols.Clustered | None:
    """Least squares with fixed effects of the frames, clustered by name; None where the scores do not allow it."""
    # The frames hold the corpora.
    design = treatment(rows.factors, levels=rows.levels, order=len(rows.factors))
    with suppress(RegressionError, ZeroVarianceError):
        return ols.fit(scores, design, absorb={FRAME: rows.frame}).clustered(rows.person)
    return None


def _tested(tests: ols.Clustered | None, change: Change, level: float) -> TTest | None:
    """The test of a change, None where its standard error is 0, for the names do not vary, or one name is all of a group."""
    with suppress(RegressionError):
        found = tests.marginal_effect(change, level=level) if tests else None
        return found if found and found.se else None
    return None
