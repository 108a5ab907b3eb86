"""A measure of vectors before a transform, after it and after each of its steps: what all such metrics report.

A transform is not random, so nothing is tested. With ``trace`` the items are the steps, with a line for each quantity.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Final, Protocol, Self, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from typing_extensions import TypeVar

from biascore.basics.frozen import Scalar
from biascore.designs.effect import DEVIATIONS, EFFECT
from biascore.designs.options import VectorOptions
from biascore.designs.pvalues import normal
from biascore.designs.same_words import ComparingOptions, EffectOptions, Floats, Scores, before_of, states
from biascore.designs.words import OF_MODEL
from biascore.metric import Context, Metric, MetricOptions
from biascore.models.model import Model
from biascore.models.questions.questions import Level
from biascore.results.caveat import Caveat
from biascore.results.estimates import ConfidenceInterval, Estimate
from biascore.results.figures import Figure, Lines
from biascore.results.finding import Finding, Result
from biascore.results.measurement import item_table
from biascore.stats import Interval, ZeroVarianceError, bootstrap_interval, effect_size
from biascore.stats.bootstrap import Samples
from biascore.stats.exchange import Exchange
from biascore.stats.units import bootstrap_effect_of_units
from biascore.stimuli import Test

STEP: Final = "step"
ACCURACY: Final = "accuracy"
Ends = tuple[float, float]
SizeOptions = VectorOptions | EffectOptions
"""Options of an effect size and of its interval."""


Places = tuple[npt.NDArray[np.intp], ...]
"""The places of what is drawn again, (rows, n) of each set."""


@dataclass(frozen=True, slots=True)
class Line:
    """One quantity after 0, 1, 2, … steps; None where it has no value there."""

    name: str
    unit: str
    values: tuple[float | None, ...]
    intervals: tuple[Ends | None, ...]
    neutral: float | None = 0.0
    first: int = 0

    @classmethod
    def of(cls, name: str, unit: str, found: Iterable[Estimate | None], neutral: float | None = 0.0) -> Self:
        """The estimates of the quantity after each step; None where there is none."""
        every = list(found)
        ends = [one.interval if one else None for one in every]
        intervals = tuple((one.low, one.high) if one else None for one in ends)
        return cls(name, unit, tuple(one.value if one else None for one in every), intervals, neutral)


def varied(interval: Callable[[], Interval]) -> ConfidenceInterval | None:
    """The interval as it is stored, or None where nothing varies: one of no width would claim certainty."""
    try:
        return ConfidenceInterval.of(interval())
    except ZeroVarianceError:
        return None


def resampled(
    name: str,
    unit: str,
    n: Mapping[str, int],
    statistic: Callable[[Places], Floats],
    options: ComparingOptions,
    rng: np.random.Generator,
    neutral: float | None = None,
) -> Estimate:
    """A statistic of sets of so many things, with its interval (bca) by drawing their places again within each set.

    It has no value where it divides by nothing, and resamples in which it does are left out of the interval.
    """
    places = tuple(np.arange(float(count)) for count in n.values())

    def of(batch: Samples) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            return statistic(tuple(drawn.astype(np.intp) for drawn in batch))

    value = float(of(tuple(some[None] for some in places))[0])
    how: dict[str, Any] = {"level": options.confidence, "resamples": options.resamples}
    return Estimate(
        name=name,
        value=value if np.isfinite(value) else None,
        unit=unit,
        neutral=neutral,
        n=n,
        interval=varied(lambda: bootstrap_interval(of, places, rng=rng, **how)),
    )


def effect_of(
    scores: Scores,
    options: SizeOptions,
    rng: np.random.Generator,
    name: str = EFFECT,
    *,
    exchange: Exchange | None = None,
) -> Estimate:
    """The effect size of associations (x, y) with its studentized interval and the papers' p; None where they do not vary.

    ``exchange`` of x and y says what is resampled as one; words, where it is not given.
    """
    (x, y), ends = scores, None
    n = {"X": len(x), "Y": len(y)}
    try:
        value = effect_size(x, y, options.ddof)
    except ZeroVarianceError:
        return Estimate(name=name, value=None, unit=DEVIATIONS, n=n)
    units = (exchange or Exchange.of((len(x), len(y)))).reaching(options.alpha)
    how: dict[str, Any] = {"ddof": options.ddof, "level": options.confidence, "resamples": options.resamples}
    ends = varied(lambda: bootstrap_effect_of_units(x, y, units, rng=rng, **how))
    return Estimate(name=name, value=value, unit=DEVIATIONS, n=n, interval=ends, p_values=(normal(x, y),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared(Result):
    """What a metric found of a model before and after a transform.

    ``lines`` are made where the options ask for a trace, and take the place of the items. ``problem`` says as a clause why
    nothing could be measured.
    """

    lines: Callable[[], Sequence[Line]] | None = None
    problem: str = ""


class Traced(Protocol):
    """Options of such a metric: ``trace``, and at which ``level`` words are embedded."""

    @property
    def trace(self) -> bool:
        """The value after every step of the transform, in place of that of every item."""
        ...

    @property
    def level(self) -> Level:
        """As texts of their own, or within a text."""
        ...

    def variant(self, model: Model) -> str:
        """What tells this measurement from others of its metric."""
        ...


OptionsT = TypeVar("OptionsT", bound=MetricOptions, default=ComparingOptions)
TestT = TypeVar("TestT", bound=Test, default=Test)


class BeforeAfterMetric(Metric[OptionsT, TestT]):
    """A metric that describes vectors, and what a transform did to them where there is one."""

    rule = "Describes; decides nothing."
    requires = frozenset({"embed"})
    positive_means: ClassVar[str] = ""
    negative_means: ClassVar[str] = ""
    item_neutral: ClassVar[float | None] = 0.0
    of_model: ClassVar[tuple[str, ...]] = OF_MODEL

    @abstractmethod
    def compare(self, models: Sequence[Model], model: Model, test: TestT, context: Context) -> Compared:
        """The method: estimates of the ``models``, which are the states of one, or that alone without a transform."""

    def measure(self, model: Model, test: TestT, context: Context) -> Finding:
        """The estimates; items are the words, or the steps of the transform.

        Raises OptionsError where one is needed and there is none.
        """
        options = cast(Traced, self.options)
        before = before_of(model) if self.needs_transform else None
        models = states(model, trace=options.trace, level=options.level)
        found = self.compare(models, model, test, context)
        own = {one.name: getattr(found, one.name) for one in fields(Result)}
        if options.trace and found.lines is not None:
            traced = trace_of(found.lines(), model, options.level)
            own["items"], own["figures"], own["item_value"] = traced
        if found.problem:
            own["caveats"] += (Caveat(f"it could not be measured: {found.problem}"),)
        own |= {
            "describes": True,
            "variant": options.variant(model),
            "positive_means": self.positive_means,
            "negative_means": self.negative_means,
            "change_from": before.name if before else "",
            "item_neutral": self.item_neutral,
            "model_conventions": self.of_model,
        }
        return Finding(**own)


def trace_of(lines: Sequence[Line], model: Model, level: Level) -> tuple[pa.Table, tuple[Figure, ...], str]:
    """The lines, and the accuracies that the transform itself noted: items, pictures, and what a value is."""
    everything = [*lines, *_accuracies(model, level)]
    rows = [
        (f"step {step}", line.name, value, interval, step)
        for line in everything
        for step, (value, interval) in enumerate(zip(line.values, line.intervals, strict=True), line.first)
    ]
    items = item_table(
        item=[row[0] for row in rows],
        group=[row[1] for row in rows],
        value=[row[2] for row in rows],
        more={
            "ci_low": [row[3][0] if row[3] else None for row in rows],
            "ci_high": [row[3][1] if row[3] else None for row in rows],
            STEP: [row[4] for row in rows],
        },
    )
    return items, tuple(_figures(everything)), "value after the step"


def _figures(lines: Sequence[Line]) -> Iterator[Figure]:
    """One picture for each unit."""
    units: dict[str, list[Line]] = {}
    for line in lines:
        units.setdefault(line.unit, []).append(line)
    for unit, some in units.items():
        neutral = {line.neutral for line in some}
        yield Lines(
            title=f"After each step of the transform ({unit})",
            x=STEP,
            groups=tuple(line.name for line in some),
            neutral=neutral.pop() if len(neutral) == 1 else None,
        )


def _accuracies(model: Model, level: Level) -> Iterator[Line]:
    """What the rows of the transform's own trace call an accuracy, with the columns that are its low and high end."""
    fitted = model.fitted(level)
    rows: Sequence[Mapping[str, Scalar]] = fitted.trace if fitted is not None else ()
    names = dict.fromkeys(name for row in rows for name in row)
    for name in names:
        low, high = (name.replace(ACCURACY, f"{ACCURACY}, {end}", 1) for end in ("low", "high"))
        values = tuple(_number(row.get(name)) for row in rows)
        if ACCURACY in name and f"{ACCURACY}, " not in name and any(value is not None for value in values):
            ends = tuple(
                None if a is None or b is None else (a, b)
                for a, b in ((_number(row.get(low)), _number(row.get(high))) for row in rows)
            )
            first = rows[0].get(STEP, 0)
            yield Line(name, "share", values, ends, None, first if isinstance(first, int) else 0)


def _number(value: Scalar) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
