"""The regressions of one emotion, and the permutation over names that decides.

score ~ all factors and their interactions, by least squares with an intercept (the tables of Câmara et al. 2022) and by a
Beta regression. Rows of one name share it and rows of one frame its words, so that beside the tests that take all rows for
independent there are those with fixed effects of the frames, clustered by name, and the permutation of labels over names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from biascore.stats import (
    ClusterMeans,
    ClusterTest,
    Design,
    OmnibusTest,
    RegressionError,
    TTest,
    ZeroVarianceError,
    any_difference,
    beta,
    cluster_means,
    ols,
    treatment,
)
from biascore_metrics.eec.options import EecOptions
from biascore_metrics.eec.rows import CORPUS, Rows

Floats: TypeAlias = npt.NDArray[np.float64]
Change: TypeAlias = dict[str, tuple[str, str]]
FRAME: Final = "frame"
NAME: Final = "name"


@dataclass(frozen=True, slots=True, eq=False)
class Effect:
    """A change of level, in the unit of the scores, by every method; None where a method gives nothing."""

    column: str
    change: Change
    plain: TTest
    """Least squares, all rows taken for independent."""
    clustered: TTest | None
    """Least squares with fixed effects of the frames, clustered by name."""
    permutation: ClusterTest | None
    """Labels permuted over the names."""
    beta: TTest | None = None
    """Beta regression, all rows taken for independent."""
    beta_clustered: TTest | None = None
    problem: str = ""
    """Why there is no permutation test."""

    @property
    def level(self) -> tuple[str, ...]:
        """The levels that are compared with the references."""
        return tuple(level for level, _ in self.change.values())


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """All that is fitted to the scores of one emotion."""

    emotion: str
    rows: Rows
    scores: Floats
    plain: ols.Fit
    clustered: ols.Fit | None
    """The same coefficients with standard errors clustered by name."""
    smooth: beta.Fit | None
    """A Beta regression; None where least squares alone is asked for."""
    smooth_clustered: beta.Fit | None
    names: ClusterMeans
    """Mean scores of the names, less those of the frames."""
    effects: tuple[Effect, ...]
    """Averaged over the levels of the other factors."""
    at_reference: Mapping[str, ClusterTest | None]
    """By column, the permutation over the names that have the reference levels of the other factors."""
    omnibus: Mapping[str, OmnibusTest]
    """By factor of three or more levels, whether any two differ."""
    cautions: tuple[str, ...]

    @classmethod
    def of(
        cls, emotion: str, rows: Rows, scores: Floats, options: EecOptions, rng: np.random.Generator
    ) -> Fitted:
        """Fit; raises RegressionError or ZeroVarianceError where the scores do not vary beyond the cells."""
        design = design_of(rows)
        plain = ols.fit(scores, design)
        smooth = None if options.link == "identity" else beta.fit(scores, design, squeeze=options.squeeze)
        by_name = {NAME: rows.person}
        own: ols.Fit | None = None
        smooth_own: beta.Fit | None = None
        problem = ""
        try:
            own = plain.clustered(by_name)
            smooth_own = smooth.clustered(by_name) if smooth else None
        except (RegressionError, ZeroVarianceError) as error:
            problem = f"no standard errors clustered by name for {emotion}: {error}"
        effects = effects_of(rows, scores, options, rng)
        names = _names(rows, scores)
        level = options.confidence
        return cls(
            emotion=emotion,
            rows=rows,
            scores=scores,
            plain=plain,
            clustered=own,
            smooth=smooth,
            smooth_clustered=smooth_own,
            names=names,
            effects=tuple(
                replace(
                    effect,
                    beta=smooth.marginal_effect(effect.change, level=level) if smooth else None,
                    beta_clustered=_tested(smooth_own, effect.change, level),
                )
                for effect in effects
            ),
            at_reference={
                effect.column: effect.permutation
                if len(effect.change) == len(rows.factors)
                else _permuted(_at_reference(rows, effect), scores, effect.change, options, rng)[0]
                for effect in effects
            },
            omnibus=_omnibus(rows, names, options, rng),
            cautions=(
                *(f"{emotion}: {one}" for one in (smooth.cautions if smooth else ())),
                *([problem] if problem else []),
            ),
        )


def effects_of(
    rows: Rows, scores: Floats, options: EecOptions, rng: np.random.Generator
) -> tuple[Effect, ...]:
    """The effect of each column of the design by least squares and by permutation; raises as `Fitted.of` does."""
    plain = ols.fit(scores, design_of(rows))
    # The frames hold the corpora.
    design = treatment(rows.factors, levels=rows.levels, order=len(rows.factors))
    within: ols.Fit | None = None
    with suppress(
        RegressionError, ZeroVarianceError
    ):  # told by the fit without fixed effects, which fails too
        within = ols.fit(scores, design, absorb={FRAME: rows.frame}).clustered({NAME: rows.person})
    found = []
    everyone = np.ones(scores.size, dtype=np.bool_)
    for column, change in _changes(design):
        permutation, problem = _permuted((rows, everyone), scores, change, options, rng)
        found.append(
            Effect(
                column=column,
                change=change,
                plain=plain.marginal_effect(change, level=options.confidence),
                clustered=_tested(within, change, options.confidence),
                permutation=permutation,
                problem=problem,
            )
        )
    return tuple(found)


def design_of(rows: Rows) -> Design:
    """The factors with all their interactions, and of several corpora a fixed effect of each."""
    order = len(rows.factors)
    if len(rows.corpora) == 1:
        return treatment(rows.factors, levels=rows.levels, order=order)
    levels = {**rows.levels, CORPUS: rows.corpora}
    return treatment({**rows.factors, CORPUS: rows.corpus}, levels=levels, order=order, alone=[CORPUS])


def _changes(design: Design) -> Iterator[tuple[str, Change]]:
    """Each column but the intercept, and the change from the reference levels that it stands for."""
    for column, indicated in zip(design.columns, design.indicators, strict=True):
        if indicated:
            levels = design.levels
            yield column, {name: (levels[name][code], levels[name][0]) for name, code in indicated.items()}


def _names(rows: Rows, scores: Floats) -> ClusterMeans:
    _, frame = np.unique(rows.frame, return_inverse=True)
    means = np.bincount(frame, weights=scores) / np.bincount(frame)
    strata = {CORPUS: rows.first_corpus} if len(rows.corpora) > 1 else {}
    return cluster_means(scores - means[frame], rows.person, {**rows.factors, **strata})


def _permuted(
    of: tuple[Rows, npt.NDArray[np.bool_]],
    scores: Floats,
    change: Change,
    options: EecOptions,
    rng: np.random.Generator,
) -> tuple[ClusterTest | None, str]:
    """The permutation test of a change among some of the rows, or why there is none."""
    rows, kept = of
    try:
        return _names(rows, scores[kept]).test(change, draws=options.draws, rng=rng), ""
    except (RegressionError, ZeroVarianceError) as error:
        return None, str(error)


def _omnibus(
    rows: Rows, names: ClusterMeans, options: EecOptions, rng: np.random.Generator
) -> dict[str, OmnibusTest]:
    """The test of each factor of three or more levels; none where it says nothing, as the effects tell by level."""
    found = {}
    for name in (name for name, levels in rows.levels.items() if len(levels) > 2):
        with suppress(RegressionError, ZeroVarianceError):
            found[name] = any_difference(names, name, draws=options.draws, rng=rng)
    return found


def _at_reference(rows: Rows, effect: Effect) -> tuple[Rows, npt.NDArray[np.bool_]]:
    """The rows that have the reference level of every factor that does not change, and which they are."""
    kept = np.ones(rows.sentence.size, dtype=np.bool_)
    for name, levels in rows.levels.items():
        if name not in effect.change:
            kept &= rows.factors[name] == levels[0]
    return rows.where(kept), kept


def _tested(fit: ols.Fit | beta.Fit | None, change: Change, level: float) -> TTest | None:
    """The test of a change, None where its standard error is 0: the names do not vary there."""
    found = fit.marginal_effect(change, level=level) if fit else None
    return found if found and found.se else None
