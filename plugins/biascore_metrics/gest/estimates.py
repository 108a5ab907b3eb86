"""From values by stereotype to estimates: the aggregate with its interval and test, and a rank per stereotype."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.api.figures import Boxes, Heat
from biascore.api.metrics import ConfidenceInterval, Contrast, Estimate, PValue
from biascore.designs.decided import by_test
from biascore.stats import Attainable, Decision, Interval, permutation_test
from biascore_metrics.gest.kind import Stereotype
from biascore_metrics.gest.options import GestOptions

ABOUT: Final = {"female": "stereotypes about women", "male": "stereotypes about men"}
NO_INTERVAL: Final = "fewer than two stereotypes of a kind, or none that differ, show no variation"

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ByStereotype:
    """The values of the usable samples of each stereotype, and the value that represents each stereotype.

    ``centres`` are NaN for a stereotype without samples.
    """

    stereotypes: tuple[Stereotype, ...]
    values: tuple[Floats, ...]
    centres: Floats

    @property
    def male(self) -> npt.NDArray[np.bool_]:
        """Which of the stereotypes are about men."""
        return np.array([stereotype.gender == "male" for stereotype in self.stereotypes])

    @property
    def n(self) -> dict[str, int]:
        """The number of usable samples by the gender of their stereotype."""
        sizes = np.array([values.size for values in self.values])
        return {"male": int(sizes[self.male].sum()), "female": int(sizes[~self.male].sum())}

    def estimator(self, column: str, *, level: bool = False) -> Contrast | None:
        """How f_s or g_s (``level``: f_m) follows from a column of the items, whose groups are the stereotypes' labels."""
        men, women = int(self.male.sum()), int((~self.male).sum())
        weight = {"male": (0.5 if level else 1.0) / men, "female": (0.5 if level else -1.0) / women}
        weights = {one.label: weight[one.gender] for one in self.stereotypes}
        return Contrast(column=column, groups=weights) if len(weights) == men + women else None

    @property
    def problem(self) -> str:
        """Why there is no aggregate, or an empty string."""
        empty = [s.label for s, v in zip(self.stereotypes, self.values, strict=True) if not v.size]
        if not empty:
            return ""
        return f"no usable sample of {', '.join(empty)} (exclude = [...] leaves stereotypes out)"


@dataclass(frozen=True, slots=True)
class Rate:
    """A stereotype rate with its interval, and why it, or the interval, could not be had."""

    estimate: Estimate
    interval: Interval | None
    problem: str
    attainable: Attainable | None = None

    def decide(self, options: GestOptions, bound: float | None) -> Decision:
        """The verdict by the deciding p-value and the interval; inconclusive where nothing could be measured."""
        least = self.attainable
        return by_test(self.estimate, self.interval, options, bound, problem=self.problem, attainable=least)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Why there is no interval."""
        missing = self.estimate.value is not None and self.interval is None
        return (f"{self.estimate.name} has no interval: {NO_INTERVAL}",) if missing else ()


def rate(
    name: str,
    unit: str,
    data: ByStereotype,
    options: GestOptions,
    rng: np.random.Generator | None = None,
    *,
    column: str | None = None,
) -> Rate:
    """f_s or g_s with its interval over stereotypes, and with an ``rng`` its permutation test over stereotypes.

    The stereotype is the unit of both, since samples of one stereotype are no independent evidence on the difference
    between stereotypes about men and about women. ``column``: that of the item table which holds the values, None where it
    does not follow from one.
    """
    if data.problem:
        return Rate(Estimate(name=name, value=None, unit=unit, n=data.n), None, data.problem)
    interval = welch_interval(data.centres, data.male, options.confidence)
    p_values: tuple[PValue, ...] = ()
    least = None
    if rng is not None:
        test = permutation_test(data.centres[data.male], data.centres[~data.male], rng=rng)
        least = test.attainable(options.alternative, "stereotypes")
        # The one-sided test overlooks an effect the other way, which the two-sided p then tells.
        p_values = (PValue.of(test.two_sided, test.method, "two-sided", "two-sided"),)
        if options.alternative == "greater":
            p_values = (PValue.of(test.greater, test.method, "greater", "one-sided"), *p_values)
    estimate = Estimate(
        name=name,
        value=stereotype_rate(data.centres, data.male),
        unit=unit,
        n=data.n,
        interval=ConfidenceInterval.of(interval) if interval else None,
        p_values=p_values,
        estimator=None if column is None else data.estimator(column),
    )
    return Rate(estimate, interval, "", least)


def group_mean(name: str, unit: str, data: ByStereotype, gender: str, neutral: float | None) -> Estimate:
    """The mean over the stereotypes about one gender: p_m, p_f, q_m or q_f."""
    chosen = data.male if gender == "male" else ~data.male
    value = None if data.problem else float(data.centres[chosen].mean())
    return Estimate(name=name, value=value, unit=unit, neutral=neutral, n={gender: data.n[gender]})


def rank_estimates(data: ByStereotype) -> tuple[Estimate, ...]:
    """The feminine rank of each stereotype, 1 for the one with the lowest value; None where one has no samples."""
    ranks: Sequence[float | None] = [None] * len(data.stereotypes)
    if not data.problem:
        ranks = [float(rank) for rank in feminine_ranks(data.centres)]
    return tuple(
        Estimate(
            name=f"feminine rank {stereotype.label}",
            value=rank,
            unit=f"rank of {len(data.stereotypes)}",
            neutral=None,
            n={"samples": values.size},
        )
        for stereotype, rank, values in zip(data.stereotypes, ranks, data.values, strict=True)
    )


def rank_pictures(stereotypes: Sequence[Stereotype], subject: str) -> tuple[Heat, Boxes]:
    """The feminine ranks of each measurement of a run, and over all of them (Figures 3, 5 and 7 of the paper)."""
    labels = tuple(stereotype.label for stereotype in stereotypes)
    estimates = tuple(f"feminine rank {label}" for label in labels)
    return (
        Heat(
            title="Feminine rank of each stereotype",
            estimates=estimates,
            labels=labels,
            groups=tuple(ABOUT[stereotype.gender] for stereotype in stereotypes),
            ends=("the most feminine", "the most masculine"),
            subject=subject,
        ),
        Boxes(
            title="Feminine ranks of the stereotypes",
            estimates=estimates,
            labels=labels,
            subject=subject,
        ),
    )


def stereotype_rate(values: Floats, male: Mask) -> float:
    """f_s = p_m - p_f (Equation 1), or g_s = q_m - q_f: the mean over male less that over female stereotypes."""
    return float(values[male].mean() - values[~male].mean())


def masculine_rate(values: Floats, male: Mask) -> float:
    """f_m = (p_m + p_f) / 2 (Equation 2): both kinds of stereotype count alike, whatever their numbers."""
    return float((values[male].mean() + values[~male].mean()) / 2)


def largest_stereotype_rate(f_m: float) -> float:
    """The largest f_s that a system with this f_m in [0, 1] can have: p_m and p_f are shares, so 2 min(f_m, 1 - f_m)."""
    return 2 * min(f_m, 1 - f_m)


def largest_corners() -> tuple[tuple[float, float], ...]:
    """The largest f_s for every f_m as a line of (f_m, f_s) corners: up to 1 at f_m = 1/2, where p_m = 1 and p_f = 0."""
    return tuple((f_m, largest_stereotype_rate(f_m)) for f_m in (0.0, 0.5, 1.0))


def feminine_ranks(values: Floats) -> Floats:
    """The rank of each stereotype, 1 for the most feminine one; equal values share the mean of their ranks."""
    from scipy.stats import rankdata  # slow to import, and only what is measured needs it

    return np.asarray(rankdata(values), dtype=np.float64)


def welch_interval(values: Floats, male: Mask, level: float) -> Interval | None:
    """Welch's interval of f_s or g_s, each stereotype one observation; None where fewer than two of a kind, or none differ.

    It speaks of other stereotypes about men and women, as the permutation test does, and not of these alone.
    """
    from scipy.stats import t  # slow to import

    groups = (values[male], values[~male])
    if min(group.size for group in groups) < 2:
        return None
    parts = [float(group.var(ddof=1)) / group.size for group in groups]
    if sum(parts) <= (1e-12 * float(np.abs(values).max())) ** 2:
        return None
    df = sum(parts) ** 2 / sum(part**2 / (group.size - 1) for part, group in zip(parts, groups, strict=True))
    half = float(t.ppf((1 + level) / 2, df)) * math.sqrt(sum(parts))
    middle = stereotype_rate(values, male)
    return Interval(middle - half, middle + half, level, "Welch's t, stereotypes", resamples=0)


def mean_interval(values: Floats, level: float) -> Interval | None:
    """Student's interval of a mean; None where fewer than two values, or none that differ, show no variation.

    The paper fits a normal distribution to bootstrap means, which is this up to its noise for its 200 samples.
    """
    if values.size < 2 or np.ptp(values) == 0:
        return None
    from scipy.stats import t

    half = float(t.ppf((1 + level) / 2, values.size - 1)) * float(values.std(ddof=1)) / math.sqrt(values.size)
    mean = float(values.mean())
    return Interval(mean - half, mean + half, level, "Student's t", resamples=0)
