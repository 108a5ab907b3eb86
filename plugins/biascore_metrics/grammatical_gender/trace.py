"""The value of a measure after each step of a transform, as items and as a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
import pyarrow as pa

from biascore.api.figures import Figure, Lines
from biascore.api.metrics import Model, Scalar, item_table
from biascore.api.queries import Level
from biascore.designs.effect import EFFECT
from biascore.designs.options import VectorOptions
from biascore.stats import ZeroVarianceError, effect_size
from biascore.stats.exchange import Exchange
from biascore.stats.units import bootstrap_effect_of_units
from biascore_metrics.grammatical_gender.same_words import EffectOptions, Floats, Scores

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
