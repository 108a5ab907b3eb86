"""A measurement: one frozen object with the same keys on every path, measured or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import pyarrow as pa
from pydantic import Field, SerializerFunctionWrapHandler, field_validator, model_serializer, model_validator

from biascore.basics.frozen import Frozen, FrozenMap, Scalar
from biascore.basics.wording import but
from biascore.results.attached import attached
from biascore.results.caveat import Caveat, WithCaveats
from biascore.results.columns import column
from biascore.results.coverage import Coverage
from biascore.results.estimates import Equivalence, Estimate, brief, format_p
from biascore.results.figures import Figure
from biascore.results.specificity import Specificity
from biascore.stats import Verdict

if TYPE_CHECKING:
    import pandas as pd  # half of the start-up time, and only frames need it


def item_table(
    item: Sequence[str] = (),
    group: Sequence[str] = (),
    value: Sequence[float | None] = (),
    more: Mapping[str, Sequence[Scalar]] | None = None,
) -> pa.Table:
    """An immutable table of per-item results: what, in which group, the value plotted, and further columns."""
    columns = {
        "item": column(item, pa.string()),
        "group": column(group, pa.string()),
        "value": column(value, pa.float64()),
    }
    return pa.table(columns | {name: column(values) for name, values in (more or {}).items()})


class Measurement(WithCaveats, Frozen):
    """One metric on one test on one model; the first estimate is the headline.

    Attributes:
        metric: The name of the metric.
        variant: Distinguishes measurements of one metric ("token level").
        subject: What a test was applied to where its language does not state it ("en to sk").
        change_from: The model that the headline is a change from, where it is one: a change is not a detected bias.
        dimensions: Of a test of several dimensions: whether an effect on each is significant, before adjustment in the run.
        describes: Nothing is tested: listed as a description of the model, not as an inconclusive finding.
        test: The id of the test.
        test_title: Its title.
        joined: Ids of further tests, whose items are among its own.
        longer: Ids of longer tests of the same ground, where this one is inconclusive.
        language: The language of the test.
        concept: What the test is about.
        model: The name of the model.
        positive_means: What is above the neutral value of the headline.
        negative_means: What is below it; empty where nothing is, or where ``positive_means`` says it ("x with a, y with b").
        quote: What was found as a sentence that can be quoted alone; empty for none.
        estimates: The estimates, with intervals and p-values.
        read_first: The name of the estimate that a reader needs before the headline, as f_m of GEST; empty for none.
        lead: Whether its test represents its ground, named beforehand.
        verdict: Of this measurement before adjustment, by ``alpha`` and ``equivalence``; ``Run.verdicts`` are adjusted.
        reason: Why this is the verdict.
        alpha: The level of its p-value; None where nothing is tested.
        equivalence: The equivalence bound; None where none is stated.
        specificity: How many pairs of harmless groups reach the effect; None where a metric does not compare with them.
        coverage: The items used and lost.
        answers: Of questions with options, how many answers chose one, and how many did not, by reason.
        caveats: What a reader must know before relying on it.
        conventions: The settings that the numbers depend on.
        model_conventions: The names of those that follow from the model, such as how it makes the vector of a text, or from
            how files were read: only these may differ between models that are compared.
        seed: What its random numbers follow from.
        item_value: What the value of an item is.
        item_neutral: The value of an item that means no bias.
        figures: Further figures of the report, of the measurement or (``RunFigure``) of its run.
        items: The per-item table (pyarrow, immutable), whose first columns are ``item``, ``group`` and ``value``; runs
            store it as Parquet.
    """

    metric: str
    variant: str = ""
    subject: str = ""
    change_from: str = ""
    describes: bool = False
    test: str
    test_title: str
    joined: tuple[str, ...] = ()
    longer: tuple[str, ...] = ()
    language: str
    concept: str
    model: str
    positive_means: str
    negative_means: str = ""
    quote: str = ""
    estimates: tuple[Estimate, ...] = Field(min_length=1)
    read_first: str = ""
    dimensions: FrozenMap[bool] = Field(default_factory=dict, validate_default=True)
    lead: bool = False
    verdict: Verdict
    reason: str
    alpha: float | None = Field(default=None, gt=0, lt=1)
    equivalence: Equivalence | None = None
    specificity: Specificity | None = None
    coverage: Coverage
    answers: FrozenMap[int] = Field(default_factory=dict, validate_default=True)
    caveats: tuple[Caveat, ...] = ()
    conventions: FrozenMap[Scalar]
    model_conventions: tuple[str, ...] = ()
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

    @model_validator(mode="before")
    @classmethod
    def _caveats_of_before(cls, stored: Any) -> Any:
        """Of runs stored when there were three lists: warnings, those that touch the verdict, and these in short."""
        if not (isinstance(stored, dict) and "warnings" in stored):
            return stored
        rest = {key: value for key, value in stored.items() if key not in ("warnings", "cautions", "doubts")}
        cautions, doubts = stored.get("cautions", ()), stored.get("doubts", ())
        # Which short form was of which caution was not stored, so each is a caveat of its own.
        short = (Caveat(text, short=text) for text in doubts)
        full = (Caveat(text, text in cautions) for text in stored["warnings"])
        return {**rest, "caveats": (*short, *full)}

    @model_validator(mode="before")
    @classmethod
    def _of_before(cls, given: Any) -> Any:
        """Without an effect it is not measured, which runs stored before call inconclusive."""
        if not isinstance(given, dict) or given.get("verdict") != Verdict.INCONCLUSIVE:
            return given
        first = next(iter(given.get("estimates", ())), None)
        unmeasured = isinstance(first, dict) and first.get("value") is None
        return {**given, "verdict": Verdict.NOT_MEASURED} if unmeasured else given

    @model_validator(mode="after")
    def _says_what_decides(self) -> Self:
        if self.p_value is not None and self.alpha is None:
            raise ValueError(
                "a measurement with a p-value needs a decision, and the alpha at which it is made"
            )
        if self.describes and self.alpha is not None:
            raise ValueError("a measurement that describes has no decision, and so no alpha")
        of = self.equivalence and self.equivalence.of
        if of is not None and of not in [estimate.name for estimate in self.estimates]:
            raise ValueError(f"equivalence.of must name an estimate, and there is no {of!r}")
        if self.read_first and self.read_first not in [estimate.name for estimate in self.estimates]:
            raise ValueError(f"read_first must name an estimate, and there is no {self.read_first!r}")
        return self

    @model_serializer(mode="wrap")
    def _without_empty(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without what says nothing and has not always been there: results stored before keep their digest."""
        stored: dict[str, Any] = serialize(self)
        for name in (
            "answers",
            "change_from",
            "describes",
            "joined",
            "lead",
            "longer",
            "negative_means",
            "quote",
            "read_first",
            "dimensions",
            "model_conventions",
            "specificity",
        ):
            if not getattr(self, name):
                stored.pop(name, None)
        return stored

    @property
    def headline(self) -> Estimate:
        """The estimate that the verdict is about."""
        return self.estimates[0]

    @property
    def first(self) -> Estimate | None:
        """The estimate to read before the headline, where there is one."""
        return self.estimate(self.read_first) if self.read_first and not self.leads else None

    @property
    def leads(self) -> bool:
        """Whether the headline itself is what a reader needs before other effects, such as a masculine default."""
        return self.read_first == self.headline.name

    def found(self, name: str) -> Estimate | None:
        """The headline for no name; else the first estimate of this name, or whose name ends in it: ``f_m``."""
        if not name:
            return self.headline
        return next((one for one in self.estimates if f" {one.name}".endswith(f" {name}")), None)

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

    @property
    def in_brief(self) -> tuple[str, ...]:
        """What touches its verdict: the short forms, or in full where there are none."""
        return self.doubts or self.cautions

    @property
    def alone(self) -> str:
        """Its own verdict, before adjustment, with how many harmless pairs reach an effect that is significant."""
        if self.verdict is not Verdict.DETECTED:
            return self.verdict.value
        before = "significant before adjustment"
        return f"{before}; {self.specificity.told}" if self.specificity else before

    def line(self, verdict: str, p_adjusted: float | None = None) -> str:
        """The measurement in one line that ends in a verdict: its own, or that of its run."""
        about = f" {self.subject}" if self.subject else ""
        adjusted = "" if p_adjusted is None else f" (adjusted {format_p(p_adjusted)})"
        return f"<{self.method} {self.test}{about} on {self.model}: {brief(self.headline)}{adjusted} -> {verdict}>"

    def _repr_html_(self) -> str:
        """The measurement as a notebook shows it."""
        return str(attached("measurement_html")(self))

    def __repr__(self) -> str:
        return self.line("; ".join(filter(None, [self.alone, but(self.doubts)])))

    __str__ = __repr__


def _row(measurement: Measurement, estimate: Estimate) -> dict[str, Scalar]:
    interval, specificity = estimate.interval, measurement.specificity
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
        "specificity": specificity.share if specificity and estimate is measurement.headline else None,
        "words_lost": len(measurement.coverage.missing),
        "words_unseen": len(measurement.coverage.unseen),
    }
    row.update({f"n_{role}": count for role, count in estimate.n.items()})
    row.update({f"p[{p.name}]": p.value for p in estimate.p_values})
    return row
