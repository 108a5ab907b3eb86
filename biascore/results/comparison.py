"""What a comparison says: the change of each estimate, its verdict after adjustment, and what could not be compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from pydantic import Field

from biascore.basics.frozen import Frozen, FrozenMap
from biascore.basics.wording import figures, signed
from biascore.results.estimates import ConfidenceInterval, Estimate, format_p
from biascore.results.gates import GateResult
from biascore.results.verdicts import Role
from biascore.stats import Adjustment

if TYPE_CHECKING:
    import pandas as pd

_BESIDES: Final = frozenset({"group", "old", "new", "change", "flipped"})


class Outcome(StrEnum):
    """What may be said of a change; increased and decreased is the distance of the effect from its neutral value."""

    INCREASED = "increased"
    CHANGED_SIGN = "changed sign"
    """The intervals of both models leave out the neutral value, on opposite sides of it."""
    DECREASED = "decreased"
    INCONCLUSIVE = "inconclusive"
    UNCHANGED = "unchanged"
    """The interval of the change is inside the bound, or no item differs."""


class Compared(Frozen):
    """An estimate on one of the two models, as its run holds it, and on the items that both have."""

    model: str
    value: float | None
    interval: ConfidenceInterval | None
    on_same_items: float | None


class Difference(Frozen):
    """The change of one estimate between two models on the same test.

    ``neutral`` is the value of the estimate without bias. ``change`` is new minus old, in its unit; its first
    p-value is two-sided and not adjusted, and ``p_adjusted`` is over the ``family``. ``paired``: item by item, else from the
    two intervals; ``unmoved``: every item has the same value in both. ``bound``: a change within it is negligible.
    ``flipped`` is how many items lie on another side of no bias than before, None where items have no side; ``items`` holds
    those of both models: item, group, old, new, change and flipped.
    """

    metric: str
    variant: str
    subject: str
    test: str
    test_title: str
    language: str
    concept: str
    positive_means: str
    estimate: str
    old: Compared
    new: Compared
    change: Estimate
    neutral: float
    paired: bool
    unmoved: bool
    alpha: float
    bound: float | None
    flipped: int | None
    role: Role
    family: str
    p_adjusted: float | None
    outcome: Outcome
    reason: str
    cautions: tuple[str, ...]
    item_value: str
    item_neutral: float | None
    items: pa.Table = Field(exclude=True)

    @property
    def method(self) -> str:
        """The metric and, where there is one, its variant."""
        return f"{self.metric} ({self.variant})" if self.variant else self.metric

    @property
    def models(self) -> str:
        """``old -> new``; one name where both have the same."""
        return self.old.model if self.old.model == self.new.model else f"{self.old.model} -> {self.new.model}"

    @property
    def note(self) -> str:
        """What has to be said with an outcome: that the effect moved, where its side of no bias is not sure; or nothing."""
        p, value = self.p_adjusted, self.change.value
        if self.outcome is not Outcome.INCONCLUSIVE or value is None or p is None or p > self.alpha:
            return ""
        return f"moved by {'+' * (value > 0)}{figures(value, value)[0]}, sides not sure"

    @property
    def flips(self) -> tuple[dict[str, Any], ...]:
        """The items that lie on another side of no bias than before, the farthest moved first."""
        return tuple(row for row in self.items.to_pylist() if row["flipped"])

    def __repr__(self) -> str:
        about = f" {self.subject}" if self.subject else ""
        if self.change.value is None:
            return f"<{self.method} {self.test}{about}: {self.models}: {self.outcome}>"
        ends = self.change.interval
        interval = f" [{ends.low:z.3f}, {ends.high:z.3f}]" if ends else ""
        p = f", p = {format_p(self.change.p_values[0].value)}" if self.change.p_values else ""
        return (
            f"<{self.method} {self.test}{about}: {self.models}: {self.estimate} {signed(self.change.value)}{interval}{p} -> "
            f"{self.outcome}>"
        )

    __str__ = __repr__


def item_of(row: Mapping[str, Any]) -> str:
    """What names a row of ``Difference.items``: its item; of an estimate whose items are called otherwise, its key."""
    return (
        str(row["item"])
        if "item" in row
        else " ".join(str(value) for name, value in row.items() if name not in _BESIDES)
    )


class NotComparable(Frozen):
    """A test that both runs hold, and in what they differ that must be the same."""

    metric: str
    variant: str
    subject: str
    test: str
    old_model: str
    new_model: str
    reasons: tuple[str, ...] = Field(min_length=1)

    @property
    def what(self) -> str:
        """The measurement in a few words."""
        method = f"{self.metric} ({self.variant})" if self.variant else self.metric
        return " ".join(filter(None, [method, self.test, self.subject]))


class RunCompared(Frozen):
    """One of the two runs: its title, the digest of its results, its models with their digests, and its version."""

    title: str
    results_digest: str
    models: FrozenMap[str]
    biascore_version: str
    plugins: FrozenMap[str]


class Comparison(Frozen):
    """The changes from one run to another, in the order of the old one: a frozen sequence of Difference.

    ``not_comparable`` differ in estimand, stimuli or conventions; ``only_old`` and ``only_new`` are in one run only;
    ``failed`` could not be measured in one of them, and says why. ``controls`` says which models have a known bias;
    ``gates`` are those of the new run that compare it with the old one.
    """

    old: RunCompared
    new: RunCompared
    models: FrozenMap[str]
    adjustment: Adjustment
    differences: tuple[Difference, ...]
    not_comparable: tuple[NotComparable, ...]
    only_old: tuple[str, ...]
    only_new: tuple[str, ...]
    failed: tuple[str, ...] = ()
    controls: tuple[str, ...] = ()
    gates: tuple[GateResult, ...] = ()
    warnings: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.differences)

    def __getitem__(self, index: int) -> Difference:
        return self.differences[index]

    def __iter__(self) -> Iterator[Difference]:  # type: ignore[override]  # a comparison is a sequence of differences
        return iter(self.differences)

    def __repr__(self) -> str:
        head = f"<Comparison of {self.old.title!r} with {self.new.title!r}: {len(self)} change(s)>"
        return "\n  ".join(
            [head, *map(repr, self), *(f"<not comparable: {one.what}>" for one in self.not_comparable)]
        )

    __str__ = __repr__

    @property
    def whole(self) -> bool:
        """Whether all that the two runs have in common could be compared, and nothing of it had failed."""
        return not (self.not_comparable or self.failed)

    @property
    def identical(self) -> bool:
        """Whether both are the same results of the same models."""
        return self.old.results_digest == self.new.results_digest and all(
            a == b for a, b in self.models.items()
        )

    def to_json(self) -> dict[str, Any]:
        """All of it as JSON holds it, with the items that flipped."""
        body = self.model_dump(mode="json")
        for stored, difference in zip(body["differences"], self, strict=True):
            stored["flips"] = list(difference.flips)
        return body

    def to_frame(self) -> pd.DataFrame:
        """One row per change; missing values are NaN."""
        import pandas as pd

        return pd.DataFrame([_row(difference) for difference in self])


def _row(difference: Difference) -> Mapping[str, Any]:
    change = difference.change
    ends = change.interval
    return {
        "old_model": difference.old.model,
        "new_model": difference.new.model,
        "metric": difference.metric,
        "variant": difference.variant,
        "subject": difference.subject,
        "test": difference.test,
        "language": difference.language,
        "concept": difference.concept,
        "estimate": difference.estimate,
        "old": difference.old.value,
        "new": difference.new.value,
        "change": change.value,
        "unit": change.unit,
        "ci_low": ends.low if ends else None,
        "ci_high": ends.high if ends else None,
        "ci_level": ends.level if ends else None,
        "ci_method": ends.method if ends else None,
        "p_value": change.p_values[0].value if change.p_values else None,
        "p_kind": change.p_values[0].name if change.p_values else None,
        "p_adjusted": difference.p_adjusted,
        "family": difference.family,
        "role": difference.role.value,
        "outcome": difference.outcome.value,
        "paired": difference.paired,
        "items": change.n.get("items"),
        "flipped": difference.flipped,
        "cautions": len(difference.cautions),
    }
