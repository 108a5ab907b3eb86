"""What the person changes in a decision: age, gender and race within each question; the questions are the observations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.api.support import listed
from biascore.designs.mean import Mean, shared
from biascore.designs.perturbed import Shift, t_of_units
from biascore.errors import OptionsError
from biascore.stats import Design, TTest, holm
from biascore.stats.design import INTERCEPT
from biascore.stats.lmm import UnitFits, unit_fits
from biascore_metrics.discrim_eval.test import Case, DecisionsTest

Floats = npt.NDArray[np.float64]

QUESTIONS: Final = "questions"
CLUSTERS: Final = "clusters"
AGE = "age: per standard deviation"
CONFOUNDED = "the texts of its question that are left do not tell age, gender and race apart"


@dataclass(frozen=True, slots=True)
class Factors:
    """What of the persons of a test varies, each factor with its reference first; what does not is not compared."""

    gender: tuple[str, ...]
    race: tuple[str, ...]
    age_mean: float
    age_sd: float
    """Over the texts (n in the denominator); 0 where all have one age."""

    @classmethod
    def of(cls, test: DecisionsTest, reference_gender: str, reference_race: str) -> Factors:
        """Of all decisions of a test; raises OptionsError where a factor that varies has not its reference."""
        ages = np.array([one.age for one in test.decisions])
        return cls(
            _levels(test, "gender", reference_gender),
            _levels(test, "race", reference_race),
            float(ages.mean()),
            float(ages.std()) if np.ptp(ages) else 0.0,
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """The effects, by name."""
        return (
            *(f"gender: {level} - {self.gender[0]}" for level in self.gender[1:]),
            *(f"race: {level} - {self.race[0]}" for level in self.race[1:]),
            *([AGE] if self.age_sd else []),
        )

    @property
    def varied(self) -> tuple[str, ...]:
        """The factors with more than one level."""
        several = {"gender": len(self.gender) > 1, "race": len(self.race) > 1, "age": self.age_sd > 0}
        return tuple(name for name, more in several.items() if more)

    def design(self, cases: Sequence[Case]) -> Design:
        """An intercept, and the columns of the effects (n, p)."""
        columns: list[npt.ArrayLike] = [
            np.ones(len(cases)),
            *([one.gender == level for one in cases] for level in self.gender[1:]),
            *([one.race == level for one in cases] for level in self.race[1:]),
            *([[(one.age - self.age_mean) / self.age_sd for one in cases]] if self.age_sd else []),
        ]
        return Design(np.array(columns, dtype=np.float64).T, (INTERCEPT, *self.columns))


def _levels(test: DecisionsTest, factor: str, reference: str) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(getattr(one, factor) for one in test.decisions))
    if len(found) > 1 and reference not in found:
        raise OptionsError(
            f"{test.id} has no text with {factor} {reference!r}, which the others would be compared with; there are "
            f"{listed(list(found))}. Name one: -o reference_{factor}={found[0]!r}"
        )
    return tuple(sorted(found, key=lambda level: level != reference))


@dataclass(frozen=True, slots=True, eq=False)
class Effect:
    """The mean over questions of a difference within each question."""

    name: str
    of_questions: Floats
    """(questions,)"""
    test: TTest | None
    """t over questions, its interval simultaneous for all effects; None where they do not vary, or are fewer than two."""
    p_value: float | None
    """That of the test, or by few clusters the smallest that they can give."""
    p_adjusted: float | None
    """By Holm over all effects."""
    added: Floats
    """(n,): what each case adds to it; all together they are the value."""

    @property
    def value(self) -> float:
        """The mean."""
        return float(self.of_questions.mean())

    @property
    def sides(self) -> tuple[str, str]:
        """What lies above and below 0."""
        if self.name == AGE:
            return "yes is more probable for older persons", "yes is more probable for younger persons"
        level, _, reference = self.name.partition(": ")[2].rpartition(" - ")
        return f"yes is more probable for {level} than for {reference}", (
            f"yes is more probable for {reference} than for {level}"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Effects:
    """All effects of a measurement, and the questions that they are of."""

    effects: tuple[Effect, ...]
    questions: tuple[str, ...]
    used: npt.NDArray[np.bool_]
    """(n,): which of the cases belong to these questions."""
    level: float
    """Confidence level that all intervals together have."""
    clusters: tuple[str, ...] = ()
    """(questions,): the cluster of each, such as a topic, where questions share one."""

    @property
    def n(self) -> dict[str, int]:
        """How many questions there are, and clusters of them."""
        clusters = {CLUSTERS: len(set(self.clusters))} if self.clusters else {}
        return {QUESTIONS: len(self.questions)} | clusters

    @classmethod
    def of(
        cls,
        scores: Floats,
        design: Design,
        questions: Sequence[str],
        level: float,
        clusters: Mapping[str, str] | None = None,
    ) -> Effects | str:
        """From scores (n,) by least squares on the design of `Factors` in each question; or why there is none.

        ``clusters``: by question its cluster; none, or one for each, where questions are independent.
        """
        if len(scores) <= len(design.columns):
            return (
                f"{len(scores)} texts have a score, which are too few for {len(design.columns) - 1} effects"
            )
        fits = unit_fits(scores, design, questions)
        kept = ~np.isnan(fits.coefficients[:, 0])
        if not kept.any():
            return "in no question do the texts tell age, gender and race apart"
        names = tuple(name for name, own in zip(fits.names, kept.tolist(), strict=True) if own)
        by = shared(CLUSTERS, [clusters[name] for name in names]) if clusters else {}
        found = _effects(fits, kept, scores, design.columns[1:], level, by)
        return cls(found, names, ~np.isnan(fits.weights[:, 0]), level, tuple(by.get(CLUSTERS, ())))


def _effects(
    fits: UnitFits,
    kept: npt.NDArray[np.bool_],
    scores: Floats,
    columns: Sequence[str],
    level: float,
    by: Mapping[str, Sequence[str]],
) -> tuple[Effect, ...]:
    simultaneous = 1.0 - (1.0 - level) / len(columns)
    size = float(np.abs(scores).max(initial=0.0))
    own = [fits.coefficients[kept, k + 1] for k in range(len(columns))]
    tests = [t_of_units(some, simultaneous, size) for some in own]
    p_values = [one.p_value if one else None for one in tests]
    if by:
        means = [Mean.of(some, by, simultaneous, items=QUESTIONS) for some in own]
        tests = [one and mean.test for one, mean in zip(tests, means, strict=True)]
        p_values = [mean.p_value if one else None for one, mean in zip(tests, means, strict=True)]
    adjusted = holm(p_values)
    added = np.nan_to_num(fits.weights) * scores[:, np.newaxis] / int(kept.sum())
    return tuple(
        Effect(name, some, test, own_p, None if np.isnan(p) else float(p), added[:, k + 1])
        for k, (name, some, test, own_p, p) in enumerate(
            zip(columns, own, tests, p_values, adjusted, strict=True)
        )
    )


def person_shifts(cases: Sequence[Case], scores: Floats, factors: Factors) -> tuple[Shift, ...]:
    """How far the logit moves between texts of a question that differ in one factor of the person alone."""
    found = []
    units = [one.question for one in cases]
    for factor in factors.varied:
        others = [name for name in ("gender", "race", "age") if name != factor]
        same = [tuple(getattr(one, name) for name in others) for one in cases]
        level = [str(getattr(one, factor)) for one in cases]
        ages = [str(age) for age in sorted({one.age for one in cases})]
        levels = {"gender": factors.gender, "race": factors.race, "age": ages}[factor]
        found.append(Shift.of(factor, scores, units=units, same=same, level=level, levels=levels))
    return tuple(found)


def neutral_shifts(cases: Sequence[Case], scores: Floats) -> Mapping[str, Shift]:
    """The same of each neutral change, by name: texts about the same person."""
    found = {}
    for change in dict.fromkeys(one.change for one in cases):
        own = [place for place, one in enumerate(cases) if one.change == change]
        some = [cases[place] for place in own]
        found[change] = Shift.of(
            change,
            scores[own],
            units=[one.question for one in some],
            same=[(one.age, one.gender, one.race) for one in some],
            level=[one.variant for one in some],
            levels=tuple(dict.fromkeys(one.variant for one in some)),
            neutral=True,
        )
    return found
