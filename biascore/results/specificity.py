"""How an effect ranks among those of harmless groups: the second part of what decides a verdict."""

from __future__ import annotations

import math
from typing import Any, Literal, Self

from pydantic import AliasChoices, Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from biascore.basics.frozen import Frozen

_NEW = ("kind", "low", "high", "transposed", "near", "problem", "lacking")


class Specificity(Frozen):
    """The share of pairs of harmless groups, in the place of a test's groups, that reach its effect.

    ``share`` counts the effect itself, (1 + pairs that reach it) / (1 + pairs), so it is never 0; None where there is a
    ``problem``, of which ``lacking`` says in a few words what is missing. ``pairs`` of ``groups`` from the list ``pool``
    were measured, which are ``people`` or ``topics``. ``low`` and ``high``: the range of the share with each group left out.
    ``transposed``: where the groups are X and Y, the effect that is ranked, which is over A and B together. ``near``: the
    cosine of the centres of the test's own groups, and the mean of those of two harmless groups. At most ``level`` is few.
    """

    share: float | None = Field(default=None, gt=0, le=1)
    pairs: int = Field(default=0, ge=0)
    groups: int = Field(default=0, ge=0, validation_alias=AliasChoices("groups", "topics"))
    pool: str
    level: float = Field(default=0.05, gt=0, lt=1)
    kind: Literal["people", "topics"] = "topics"
    low: float | None = None
    high: float | None = None
    transposed: float | None = None
    near: tuple[float, float] | None = Field(default=None, strict=False)
    problem: str = ""
    lacking: str = ""

    @model_validator(mode="after")
    def _has_a_share_or_a_problem(self) -> Self:
        if (self.share is None) != bool(self.problem):
            raise ValueError("a specificity has a share, or a problem that says why there is none")
        return self

    @model_serializer(mode="wrap")
    def _without_empty(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        stored: dict[str, Any] = serialize(self)
        return {key: value for key, value in stored.items() if key not in _NEW or value not in (None, "")}

    @property
    def specific(self) -> bool:
        """Whether at most ``level`` of the pairs reach the effect."""
        return self.share is not None and self.share <= self.level

    @property
    def told(self) -> str:
        """``2 of 100 harmless pairs reach it``, or what is missing, as every surface shows it with a verdict."""
        if self.share is None:
            return self.lacking
        many = math.floor(100 * self.share + 0.5)
        if not self.specific:  # .052 is above .05, and so are its words
            many = max(many, math.floor(100 * self.level) + 1)
        count = "fewer than 1" if many < 1 else f"{many}"
        what = "it" if self.transposed is None else f"its transposed effect, {self.transposed:z.2f}"
        return f"{count} of 100 harmless pairs reach {what}"

    @property
    def full(self) -> str:
        """The share with what it was measured on."""
        if self.share is None:
            return f"no harmless groups: {self.problem}"
        of = "" if self.transposed is None else f" of the transposed effect, {self.transposed:z.3g}"
        span = "" if self.low is None else f"; {self.low:z.3f} to {self.high:z.3f} with one group left out"
        near = ""
        if self.near is not None:
            near = f"; cosine of two groups {self.near[1]:z.2f} on average, of the test's own {self.near[0]:z.2f}"
        return (
            f"share {self.share:z.3g}{of} ({self.pairs:,} pairs of {self.groups} groups of {self.kind} from {self.pool}"
            f"{span}{near})"
        )
