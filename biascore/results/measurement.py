"""What a metric returns: one frozen object with the same keys on every path, measured or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Final, Literal, Self

import pyarrow as pa
from pydantic import Field, field_validator, model_validator

from biascore.basics.frozen import Frozen, FrozenMap, Scalar
from biascore.stats import Interval, Verdict

if TYPE_CHECKING:
    import pandas as pd  # half of the start-up time, and only frames need it


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


class Estimate(Frozen):
    """One number with its uncertainty: ``value`` is None where it cannot be estimated.

    The first of ``p_values`` is the one that decides the verdict; ``n`` gives the size of each group.
    ``neutral`` is the value that stands for no bias, None where no value does; ``chance`` is what no bias gives on
    average where that is another value, as for a distance, which is never below its neutral one.
    """

    name: str
    value: float | None
    unit: str
    neutral: float | None = 0.0
    chance: float | None = None
    n: FrozenMap[int]
    interval: ConfidenceInterval | None = None
    p_values: tuple[PValue, ...] = ()

    def opposite(self, alpha: float) -> str:
        """What the one-sided test that decides overlooks, as a clause: an effect the other way; else an empty text."""
        if not self.p_values or self.p_values[0].alternative != "greater":
            return ""
        two_sided = [p.value for p in self.p_values if p.alternative == "two-sided"]
        below = self.value is not None and self.neutral is not None and self.value < self.neutral
        if not below or not two_sided or two_sided[0] > alpha:
            return ""
        ends = self.interval
        interval = f", {100 * ends.level:g} % interval {ends.low:.3g} to {ends.high:.3g}" if ends else ""
        return (
            f"the effect points the other way (two-sided p = {two_sided[0]:.3g}{interval}), for which the one-sided test "
            "chosen does not look: measure it with alternative=two-sided"
        )

    def p(self, name: str) -> PValue:
        """The p-value of that name; raises KeyError with the names there are."""
        for p_value in self.p_values:
            if p_value.name == name:
                return p_value
        raise KeyError(f"no p-value {name!r}; there are {[p.name for p in self.p_values]}")


class Equivalence(Frozen):
    """The bound around the neutral value within which an effect is too small to matter.

    ``of`` names the estimate whose interval is held against it; None: that of every item (``ci_low``, ``ci_high``).
    """

    bound: float = Field(gt=0)
    of: str | None

    @classmethod
    def within(cls, bound: float | None, of: str | None) -> Self | None:
        """The bound of an option, where None states none."""
        return None if bound is None else cls(bound=bound, of=of)


REPEATED: Final = "repeated in its list"


class LostWord(Frozen):
    """A stimulus that did not enter the measurement (or should be doubted), the list it stood in, and why."""

    word: str
    role: str
    reason: str


class Coverage(Frozen):
    """How many stimuli each list gave and how many were used; every one lost; phrases averaged word by word.

    ``unseen`` are words that were used although the model has not met them in training: their vectors are put
    together from pieces, as fastText does from character n-grams.
    """

    given: FrozenMap[int]
    used: FrozenMap[int]
    lost: tuple[LostWord, ...] = ()
    composed: tuple[str, ...] = ()
    unseen: tuple[LostWord, ...] = ()

    @model_validator(mode="after")
    def _used_were_given(self) -> Self:
        for role, count in self.used.items():
            if count > self.given.get(role, 0):
                raise ValueError(f"of {role}, {count} are used and {self.given.get(role, 0)} were given")
        return self

    @property
    def missing(self) -> tuple[LostWord, ...]:
        """The lost words without those that only repeat another of their list."""
        return tuple(word for word in self.lost if word.reason != REPEATED)


def item_table(
    item: Sequence[str] = (),
    group: Sequence[str] = (),
    value: Sequence[float | None] = (),
    more: Mapping[str, Sequence[Scalar]] | None = None,
) -> pa.Table:
    """An immutable table of per-item results: what, in which group, the value plotted, and further columns."""
    columns = {
        "item": pa.array(item, pa.string()),
        "group": pa.array(group, pa.string()),
        "value": pa.array(value, pa.float64()),
    }
    return pa.table({**columns, **(more or {})})


class Plane(Frozen):
    """A picture of the items on a plane: ``x`` and ``y`` are columns of the item table, with 0 in the middle.

    ``x_ends`` and ``y_ends`` say what lies at the negative and at the positive end of each axis.
    """

    kind: Literal["plane"] = "plane"
    title: str
    x: str
    y: str
    x_ends: tuple[str, str]
    y_ends: tuple[str, str]


class Bars(Frozen):
    """A picture of some estimates of one unit, by name, as bars with their intervals; ``labels`` are shown for them."""

    kind: Literal["bars"] = "bars"
    title: str
    estimates: tuple[str, ...] = Field(min_length=1)
    labels: tuple[str, ...]


class Limit(Frozen):
    """A line that no point of a picture can pass, through its (x, y) corners from left to right."""

    name: str
    corners: tuple[tuple[float, float], ...] = Field(min_length=2)

    @field_validator("corners")
    @classmethod
    def _from_left_to_right(cls, corners: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
        if any(right[0] <= left[0] for left, right in pairwise(corners)):
            raise ValueError(
                "corners must come from left to right, each with a greater x than the one before"
            )
        return corners


class Point(Frozen):
    """The place of a measurement in a picture of its whole run: estimate ``y`` against estimate ``x``, by name.

    Figures of one metric and title are drawn together. ``subject`` says in a word or two what was measured beside
    the model, such as the target language; where it is empty, or repeats for a model, the test and the variant say
    what differs.
    """

    kind: Literal["point"] = "point"
    title: str
    x: str
    y: str
    subject: str = ""
    limit: Limit | None = None


class Boxes(Frozen):
    """A picture of a whole run: for each label, how an estimate is distributed over the measurements."""

    kind: Literal["boxes"] = "boxes"
    title: str
    estimates: tuple[str, ...] = Field(min_length=1)
    labels: tuple[str, ...]
    subject: str = ""


class Dots(Frozen):
    """A picture of a whole run: a row for each measurement with some of its estimates, told apart by label."""

    kind: Literal["dots"] = "dots"
    title: str
    estimates: tuple[str, ...] = Field(min_length=1)
    labels: tuple[str, ...]
    subject: str = ""


RunFigure = Point | Boxes | Dots
"""What a measurement adds to a picture of the run that it belongs to."""

Figure = Annotated[Plane | Bars | Point | Boxes | Dots, Field(discriminator="kind")]


class Measurement(Frozen):
    """One metric on one test on one model; the first estimate is the headline.

    ``verdict`` and ``reason`` are of this measurement alone, by its p-value at the level ``alpha`` (None where nothing
    is tested) and its ``equivalence`` bound (None where none is stated); ``Run.verdicts`` are those after adjustment.
    ``cautions`` are those of its ``warnings`` that touch the verdict: what it rests on is less than it seems.
    ``variant`` tells measurements of one metric apart ("token level"), ``subject`` what a test was put about where
    its language does not say it ("en to sk").
    ``items`` is the per-item table (pyarrow, immutable), whose first columns are ``item``, ``group``
    and ``value``; runs store it beside the rest, as Parquet. ``item_value`` says what their value is,
    ``item_neutral`` which of its values stands for no bias, and ``figures`` are pictures that a report draws beside
    the usual ones, of the measurement or (``RunFigure``) of its run.
    """

    metric: str
    variant: str = ""
    subject: str = ""
    test: str
    test_title: str
    language: str
    concept: str
    model: str
    positive_means: str
    estimates: tuple[Estimate, ...] = Field(min_length=1)
    verdict: Verdict
    reason: str
    alpha: float | None = Field(default=None, gt=0, lt=1)
    equivalence: Equivalence | None = None
    coverage: Coverage
    warnings: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()
    conventions: FrozenMap[Scalar]
    seed: int
    item_value: str = "value of the item"
    item_neutral: float | None = 0.0
    figures: tuple[Figure, ...] = ()
    items: pa.Table = Field(default_factory=item_table, exclude=True)

    @field_validator("items")
    @classmethod
    def _is_table(cls, value: object) -> object:
        if not isinstance(value, pa.Table):
            raise ValueError("items must be a pyarrow.Table")
        return value

    @model_validator(mode="after")
    def _says_what_decides(self) -> Self:
        if self.p_value is not None and self.alpha is None:
            raise ValueError("a measurement with a p-value needs the alpha that decides")
        unknown = [caution for caution in self.cautions if caution not in self.warnings]
        if unknown:
            raise ValueError(f"cautions must be among the warnings, and {unknown[0]!r} is not")
        of = self.equivalence and self.equivalence.of
        if of is not None and of not in [estimate.name for estimate in self.estimates]:
            raise ValueError(f"equivalence.of must name an estimate, and there is no {of!r}")
        return self

    @property
    def headline(self) -> Estimate:
        """The estimate that the verdict is about."""
        return self.estimates[0]

    def estimate(self, name: str) -> Estimate:
        """The estimate of that name; raises KeyError with the names there are."""
        for estimate in self.estimates:
            if estimate.name == name:
                return estimate
        raise KeyError(f"no estimate {name!r}; there are {[e.name for e in self.estimates]}")

    @property
    def p_value(self) -> float | None:
        """The p-value that decides the verdict, or None where there is none."""
        return self.headline.p_values[0].value if self.headline.p_values else None

    def to_frame(self) -> pd.DataFrame:
        """One row per estimate; missing values are NaN."""
        import pandas as pd

        return pd.DataFrame([_row(self, estimate) for estimate in self.estimates])

    def items_frame(self) -> pd.DataFrame:
        """The per-item table as a data frame."""
        frame: pd.DataFrame = self.items.to_pandas()
        return frame

    @property
    def method(self) -> str:
        """The metric and, where there is one, its variant: ``weat (token level)``."""
        return f"{self.metric} ({self.variant})" if self.variant else self.metric

    @property
    def titled(self) -> str:
        """The title of the test, with the subject."""
        title = self.test_title or self.test
        return f"{title} ({self.subject})" if self.subject else title

    def line(self, verdict: str) -> str:
        """The measurement in one line that ends in a verdict: its own, or that of its run."""
        about = f" {self.subject}" if self.subject else ""
        return f"<{self.method} {self.test}{about} on {self.model}: {describe(self.headline)} -> {verdict}>"

    def __repr__(self) -> str:
        return self.line(f"{self.verdict}{' alone' if self.verdict is Verdict.DETECTED else ''}")

    __str__ = __repr__


def describe(estimate: Estimate) -> str:
    """The estimate in one line: value, interval, deciding p-value and group sizes."""
    if estimate.value is None:
        return f"{estimate.name} not estimable"
    text = f"{estimate.name} = {estimate.value:.3f}"
    if estimate.interval:
        ci = estimate.interval
        text += f" [{ci.low:.3f}, {ci.high:.3f}] ({100 * ci.level:g} %, {ci.method})"
    if estimate.p_values:
        p = estimate.p_values[0]
        text += f", p = {format_p(p.value)} ({p.kind}, {p.alternative})"
    return text + ", n = " + " + ".join(f"{count} {role}" for role, count in estimate.n.items())


def format_p(p: float) -> str:
    """A p-value with three significant figures, never rounded to 0."""
    return f"{p:.3g}" if p >= 0.001 or p == 0 else f"{p:.1e}"


def _row(measurement: Measurement, estimate: Estimate) -> dict[str, Scalar]:
    interval = estimate.interval
    row: dict[str, Scalar] = {
        "model": measurement.model,
        "metric": measurement.metric,
        "variant": measurement.variant,
        "subject": measurement.subject,
        "test": measurement.test,
        "language": measurement.language,
        "concept": measurement.concept,
        "estimate": estimate.name,
        "value": estimate.value,
        "unit": estimate.unit,
        "ci_low": interval.low if interval else None,
        "ci_high": interval.high if interval else None,
        "ci_level": interval.level if interval else None,
        "ci_method": interval.method if interval else None,
        "p_value": estimate.p_values[0].value if estimate.p_values else None,
        "p_kind": estimate.p_values[0].name if estimate.p_values else None,
        "verdict_alone": measurement.verdict.value if estimate is measurement.headline else None,
        "words_lost": len(measurement.coverage.missing),
        "words_unseen": len(measurement.coverage.unseen),
    }
    row.update({f"n_{role}": count for role, count in estimate.n.items()})
    row.update({f"p[{p.name}]": p.value for p in estimate.p_values})
    return row
