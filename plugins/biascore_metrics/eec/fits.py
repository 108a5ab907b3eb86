"""The regressions of one emotion, and the tests over names that decide.

score ~ all factors and their interactions, by least squares with an intercept (the tables of Câmara et al. 2022) and by a
Beta regression. Rows of one name share it and rows of one frame its words: effects are of least squares with fixed effects
of the frames, with Welch's t over names by stratum.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from biascore.designs.clustered import Clustered
from biascore.stats import (
    Design,
    RegressionError,
    TTest,
    Unreachable,
    Verdict,
    ZeroVarianceError,
    beta,
    ols,
    treatment,
)
from biascore.stats.effects import Change, by_column, difference
from biascore.stats.welch import welch
from biascore_metrics.eec.corpora import CORPUS, OF, Rows
from biascore_metrics.eec.options import EecOptions

Floats: TypeAlias = npt.NDArray[np.float64]
ROUNDING: Final = 1e-14
"""Of the largest score: smaller effects are none."""


@dataclass(frozen=True, slots=True, eq=False)
class Effect:
    """What a change of level does to an emotion, averaged over the levels of the other factors, in the scores' unit."""

    emotion: str
    column: str
    change: Change
    value: float
    n: Mapping[str, int]
    """Names by what they are compared for: ``{"female": 20, "male": 20}``."""
    test: TTest | None
    """Welch's t over names."""
    problem: str = ""
    """Why there is no test."""
    free: Effect | None = None
    """The same in the templates without words that agree with the person; None where that makes no difference."""
    p_adjusted: float | None = None
    """The p that decides, adjusted over all emotions and effects."""

    @property
    def contrast(self) -> str:
        """``African-American - European``; of an interaction ``(African-American - European) x (female - male)``."""
        parts = [f"{level} - {reference}" for level, reference in self.change.values()]
        return parts[0] if len(parts) == 1 else " x ".join(f"({part})" for part in parts)

    @property
    def name(self) -> str:
        """``anger: female - male``."""
        return f"{self.emotion}: {self.contrast}"

    @property
    def label(self) -> str:
        """What a picture calls it: ``female - male``, ``African-American x female``."""
        return self.contrast if len(self.change) == 1 else self.levels

    @property
    def levels(self) -> str:
        """The levels that are compared with the references."""
        return " x ".join(level for level, _ in self.change.values())

    @property
    def told(self) -> str:
        """``higher anger for female than for male``, or of an interaction what it is."""
        if len(self.change) > 1:
            return f"{self.name} is {'above' if self.value > 0 else 'below'} 0"
        ((level, reference),) = self.change.values()
        return f"{'higher' if self.value > 0 else 'lower'} {self.emotion} for {level} than for {reference}"

    @property
    def own_p(self) -> float | None:
        """Of these templates; None where nothing can be tested."""
        return self.test.p_value if self.test else None

    @property
    def p_value(self) -> float | None:
        """The p that decides, the larger of both where words agree with the person; None where one cannot be tested.

        Where names do not differ at all without such words, nothing but grammar distinguishes the groups, and p is 1.
        """
        if self.own_p is None or self.free is None:
            return self.own_p
        if self.free.value == 0.0 and self.free.own_p is None:
            return 1.0
        return None if self.free.own_p is None else max(self.own_p, self.free.own_p)

    @property
    def untested(self) -> str:
        """Why there is no p; empty where there is one."""
        if self.p_value is not None:
            return ""
        free = (
            f"in the templates without words that agree with the person, {self.free.problem}"
            if self.free
            else ""
        )
        return self.problem or free


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """The fits to the scores of one emotion."""

    rows: Rows
    scores: Floats
    plain: ols.Fit
    """The paper's least squares, all rows taken for independent."""
    smooth: beta.Fit | None
    """A Beta regression, rows likewise; None where least squares alone is asked for."""
    effects: tuple[Effect, ...]

    @classmethod
    def of(cls, rows: Rows, scores: Floats, options: EecOptions, agreeing: Collection[str]) -> Fitted:
        """Fit; ``agreeing`` factors are those that words of templates agree with.

        Raises RegressionError or ZeroVarianceError where the scores do not vary beyond the cells.
        """
        design = design_of(rows)
        plain = ols.fit(scores, design)
        smooth = None if options.link == "identity" else beta.fit(scores, design, squeeze=options.squeeze)
        effects = effects_of(rows, scores, options)
        kept = ~rows.agreement
        without = rows.where(kept)
        if not kept.all() and set(without.cell.tolist()) == set(rows.cells):
            free = effects_of(without, scores[kept], options)
            effects = tuple(
                replace(effect, free=other) if set(agreeing) & set(effect.change) else effect
                for effect, other in zip(effects, free, strict=True)
            )
        return cls(rows, scores, plain, smooth, effects)

    @property
    def emotion(self) -> str:
        """What is scored."""
        return self.rows.emotion

    @property
    def clustered(self) -> Clustered:
        """The scores by cell, with the names and frames that they share."""
        rows = self.rows
        return Clustered(
            self.scores, rows.cell, {"names": rows["person"], "frames": rows.frame}, sampled=("names",)
        )


def effects_of(rows: Rows, scores: Floats, options: EecOptions) -> tuple[Effect, ...]:
    """The effect of each column of the design by least squares, with its test over names."""
    design = design_of(rows)
    coefficients = np.linalg.lstsq(design.matrix, scores, rcond=None)[0]
    try:
        fit, problem = framed(rows, scores), ""
    except (RegressionError, ZeroVarianceError) as error:
        fit, problem = None, str(error)
    found = []
    for column, change in by_column(design):
        if CORPUS in change:  # a fixed effect, not of persons
            continue
        test, why = None, problem
        if fit is None:
            of = difference(design, change)
            value = float(of.weights @ of.rows @ coefficients)
        else:
            value = fit.marginal_effect(change).estimate
            try:
                test = tested(fit, rows, change, options.confidence)
            except (RegressionError, ZeroVarianceError) as error:
                why = str(error)
        if abs(value) <= ROUNDING * float(np.abs(scores).max()):
            value = 0.0
        found.append(Effect(rows.emotion, column, change, value, _counted(rows, change), test, why))
    return tuple(found)


def design_of(rows: Rows) -> Design:
    """The factors with all their interactions, and of several corpora a fixed effect of each."""
    order = len(rows.levels)
    if len(rows.corpora) < 2:
        return treatment(rows.factors, levels=rows.levels, order=order)
    levels = {**rows.levels, CORPUS: rows.corpora}
    return treatment({**rows.factors, CORPUS: rows[CORPUS]}, levels=levels, order=order, alone=[CORPUS])


def _counted(rows: Rows, change: Change) -> dict[str, int]:
    """The names of each combination of the levels that are compared."""
    persons = rows.data[["person", *change]].drop_duplicates()
    found = Counter(persons[[*change]].itertuples(index=False, name=None))
    return {OF.join(levels): found[levels] for levels in product(*change.values())}


def framed(rows: Rows, scores: Floats) -> ols.Fit:
    """Least squares with fixed effects of the frames, which hold the corpora."""
    design = treatment(rows.factors, levels=rows.levels, order=len(rows.levels))
    return ols.fit(scores, design, absorb={"frame": rows.frame})


def tested(fit: ols.Fit, rows: Rows, change: Change, level: float) -> TTest:
    """The t test of a change; raises RegressionError or ZeroVarianceError where names do not show how it varies."""
    first = rows.data.groupby("person")[CORPUS].transform("first").tolist() if len(rows.corpora) > 1 else None
    return welch(fit, rows["person"], change, within=first, level=level)


def unreachable(rows: Rows) -> tuple[Unreachable, ...]:
    """Effects that so few names cannot show, whatever a model answers: of which a group has one name."""
    names = rows.data.groupby(rows.cell)["person"].nunique()
    alone = [levels for levels in product(*rows.levels.values()) if names[OF.join(levels)] < 2]
    place = {name: at for at, name in enumerate(rows.levels)}
    found: list[Unreachable] = []
    for column, change in by_column(design_of(rows)):
        cells = [one for one in alone if all(one[place[name]] in of for name, of in change.items())]
        why = "needs two names in each group, and {} has one"
        found += [Unreachable(Verdict.DETECTED, why.format(OF.join(one)), column) for one in cells[:1]]
    return tuple(found)
