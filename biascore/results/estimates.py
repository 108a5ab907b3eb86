"""Numbers with their uncertainty: estimates, intervals, p-values, and the bound within which an effect is too small."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from biascore.basics.frozen import Frozen, FrozenMap
from biascore.basics.wording import figures
from biascore.results.estimators import Estimator
from biascore.stats import Interval, Tail


class ConfidenceInterval(Frozen):
    """An interval with its coverage level in (0, 1) and how it was made.

    ``degenerate`` of the ``resamples`` had no value (zero variance) and are left out of the quantiles.
    """

    low: float
    high: float
    level: float = Field(gt=0, lt=1)
    method: str
    resamples: int | None = None
    degenerate: int = 0

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.low > self.high:
            raise ValueError(f"low must not be above high, and {self.low} is above {self.high}")
        return self

    @classmethod
    def of(cls, interval: Interval) -> Self:
        """The stored form of a computed interval."""
        return cls(
            low=interval.low,
            high=interval.high,
            level=interval.level,
            method=interval.method,
            resamples=interval.resamples or None,
            degenerate=interval.n_degenerate,
        )


class Texts(NamedTuple):
    """An estimate and the ends of its interval as texts with the same decimals; empty where there is none."""

    value: str
    low: str
    high: str


class PValue(Frozen):
    """A p-value that says which one it is.

    ``n`` counts the partitions (exact) or draws (Monte-Carlo) behind it, ``se`` is its Monte-Carlo
    standard error. A strict inequality (``>``, as in the papers) may give 0 and is not a valid p-value.
    """

    name: str
    value: float = Field(ge=0, le=1)
    kind: Literal["exact", "monte-carlo", "asymptotic"]
    alternative: Literal["greater", "two-sided"]
    inequality: Literal["weak", "strict"] = "weak"
    n: int | None = None
    se: float | None = None

    @classmethod
    def of(
        cls,
        tail: Tail,
        kind: Literal["exact", "monte-carlo"],
        alternative: Literal["greater", "two-sided"],
        name: str,
    ) -> Self:
        """The stored form of a tail of a permutation test."""
        return cls(
            name=name,
            value=tail.p_value,
            kind=kind,
            alternative=alternative,
            n=tail.n_total,
            se=tail.mc_se,
        )


class Estimate(Frozen):
    """One number with its uncertainty: ``value`` is None where it cannot be estimated.

    The first of ``p_values`` is the one that decides the verdict; ``n`` gives the size of each group.
    ``neutral`` is the value that represents no bias, None where no value does; ``chance`` is what no bias gives on
    average where that is another value, as for a distance, which is never below its neutral one. ``limits``: the least and
    the greatest value that it can have, None where it has none or they are not known. ``sides``: what lies above and below
    its neutral value, where that is not what its measurement says of the headline.
    ``estimator`` says how it follows from the items of its measurement, so that it can be compared with that of another
    model item by item; None where it does not follow from them alone.
    """

    name: str
    value: float | None
    unit: str
    neutral: float | None = 0.0
    chance: float | None = None
    limits: tuple[float, float] | None = None
    sides: tuple[str, str] | None = None
    n: FrozenMap[int]
    interval: ConfidenceInterval | None = None
    p_values: tuple[PValue, ...] = ()
    estimator: Estimator | None = None

    @model_serializer(mode="wrap")
    def _without_empty(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without an estimator, limits and sides where there are none: results stored before keep their digest."""
        stored: dict[str, Any] = serialize(self)
        for name in ("estimator", "limits", "sides"):
            if getattr(self, name) is None:
                stored.pop(name, None)
        return stored

    def texts(self, least: int = 2) -> Texts:
        """Its numbers as every surface writes them: with the digits of the interval's width, and ``least`` decimals."""
        ends = self.interval
        low, high = (ends.low, ends.high) if ends else (self.value or 0.0,) * 2
        found = figures(low, high, low if self.value is None else self.value, least=least)
        return Texts("" if self.value is None else found[2], *(found[:2] if ends else ("", "")))

    def opposite(self, alpha: float) -> str:
        """What the one-sided test that decides overlooks, as a clause: an effect the other way; else an empty text."""
        if not self.p_values or self.p_values[0].alternative != "greater":
            return ""
        two_sided = [p.value for p in self.p_values if p.alternative == "two-sided"]
        below = self.value is not None and self.neutral is not None and self.value < self.neutral
        if not below or not two_sided or two_sided[0] > alpha:
            return ""
        ends = self.interval
        interval = f", {100 * ends.level:g} % interval {ends.low:z.3g} to {ends.high:z.3g}" if ends else ""
        return (
            f"the effect points the other way (two-sided p = {two_sided[0]:z.3g}{interval}), for which the one-sided test "
            "chosen does not look: measure it with alternative=two-sided"
        )

    def p(self, name: str) -> PValue:
        """The p-value of that name; raises KeyError with the names there are."""
        for p_value in self.p_values:
            if p_value.name == name:
                return p_value
        raise KeyError(f"no p-value {name!r}; there are {[p.name for p in self.p_values]}")


class Equivalence(Frozen):
    """The bound around the neutral value within which an effect is negligible.

    ``of`` names the estimate whose interval is compared with it; None: that of every item (``ci_low``, ``ci_high``).
    """

    bound: float = Field(gt=0)
    of: str | None

    @classmethod
    def within(cls, bound: float | None, of: str | None) -> Self | None:
        """The bound of an option, where None states none."""
        return None if bound is None else cls(bound=bound, of=of)


def brief(estimate: Estimate) -> str:
    """The estimate in a few words: value, interval and deciding p-value."""
    if estimate.value is None:
        return f"{estimate.name} not estimable"
    value, low, high = estimate.texts()
    interval = f" [{low}, {high}]" if estimate.interval else ""
    p = f", p = {format_p(estimate.p_values[0].value)}" if estimate.p_values else ""
    return f"{estimate.name} = {value}{interval}{p}"


def describe(estimate: Estimate) -> str:
    """An estimate: value, unit, interval, every p-value and group sizes."""
    if estimate.value is None:
        return f"{estimate.name} not estimable"
    value, low, high = estimate.texts(3)
    ends = estimate.interval
    parts = [f"{estimate.name} = {value} {estimate.unit}".rstrip()]
    if ends:
        parts.append(f"{100 * ends.level:g} % interval {low} to {high} ({ends.method})")
    parts += [f"p = {format_p(p.value)} ({p.name}; {p.kind}, {p.alternative})" for p in estimate.p_values]
    sizes = " + ".join(f"{count} {role}" for role, count in estimate.n.items())
    return ", ".join([*parts, *([f"n = {sizes}"] if sizes else [])])


def format_p(p: float) -> str:
    """A p-value with three significant figures, never rounded to 0."""
    return f"{p:z.3g}" if p >= 0.001 or p == 0 else f"{p:z.1e}"
