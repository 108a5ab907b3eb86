"""A measure of vectors before a transform, after it and after each of its steps: what all such metrics report.

A transform is not random, so nothing is tested. With ``trace`` the items are the steps, with a line for each quantity.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final, Protocol, Self, cast

import numpy as np
import pyarrow as pa
from typing_extensions import TypeVar

from biascore.basics.frozen import Scalar
from biascore.designs.effect import EFFECT
from biascore.designs.options import VectorOptions
from biascore.designs.same_words import ComparingOptions, EffectOptions, Floats, Scores, before_of, states
from biascore.designs.words import OF_MODEL
from biascore.metric import Context, Metric, MetricOptions
from biascore.models.model import Model
from biascore.models.questions import Level
from biascore.results.caveat import Caveat
from biascore.results.coverage import Coverage
from biascore.results.estimates import Estimate
from biascore.results.figures import Figure, Lines
from biascore.results.finding import Finding
from biascore.results.measurement import item_table
from biascore.stats import ZeroVarianceError, effect_size
from biascore.stats.exchange import Exchange
from biascore.stats.units import bootstrap_effect_of_units
from biascore.stimuli import Test

STEP: Final = "step"
ACCURACY: Final = "accuracy"
Ends = tuple[float, float]
SizeOptions = VectorOptions | EffectOptions
"""Options of an effect size and of its interval."""


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
    def of_effects(
        cls,
        scores: Sequence[Scores],
        options: SizeOptions,
        rng: np.random.Generator,
        name: str = EFFECT,
        *,
        exchange: Exchange | None = None,
    ) -> Self:
        """The effect size of the associations (x, y) of every step, with its studentized interval.

        ``exchange`` of x and y says what is resampled as one; words, where it is not given.
        """
        values: list[float | None] = []
        intervals: list[Ends | None] = []
        for x, y in scores:
            try:
                values.append(effect_size(x, y, options.ddof))
            except ZeroVarianceError:
                values.append(None)
                intervals.append(None)
                continue
            intervals.append(_ends(x, y, exchange or Exchange.of((len(x), len(y))), options, rng))
        return cls(name, "standard deviations", tuple(values), tuple(intervals))


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What a metric found of a model before and after a transform: estimates, items with their pictures, and its words.

    ``lines`` are made where the options ask for a trace, and take the place of the items; None where nothing could be
    measured.
    """

    estimates: tuple[Estimate, ...]
    coverage: Coverage
    conventions: Mapping[str, Scalar]
    caveats: tuple[Caveat, ...] = ()
    items: pa.Table = field(default_factory=item_table)
    item_value: str = "value of the item"
    figures: tuple[Figure, ...] = ()
    lines: Callable[[], Sequence[Line]] | None = None


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
        items, figures, value = found.items, found.figures, found.item_value
        if options.trace and found.lines is not None:
            items, figures, value = trace_of(found.lines(), model, options.level)
        return Finding(
            describes=True,
            variant=options.variant(model),
            positive_means=self.positive_means,
            negative_means=self.negative_means,
            change_from=before.name if before else "",
            estimates=found.estimates,
            coverage=found.coverage,
            caveats=found.caveats,
            item_value=value,
            item_neutral=self.item_neutral,
            figures=figures,
            model_conventions=self.of_model,
            conventions=found.conventions,
            items=items,
        )


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


def _ends(
    x: Floats, y: Floats, exchange: Exchange, options: SizeOptions, rng: np.random.Generator
) -> Ends | None:
    try:
        found = bootstrap_effect_of_units(
            x,
            y,
            exchange.reaching(options.alpha),
            ddof=options.ddof,
            level=options.confidence,
            resamples=options.resamples,
            rng=rng,
        )
    except ZeroVarianceError:
        return None
    return found.low, found.high
