"""A scenario as an audit states it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from fnmatch import fnmatchcase
from typing import Annotated, Self, TypeAlias

from pydantic import Field, StringConstraints, model_validator

from biascore.basics.frozen import Frozen
from biascore.mapping import Ground
from biascore.results.gates import LARGEST_BOUND

Text: TypeAlias = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Scenario(Frozen):
    """Who may be harmed (``group``, on which ``ground``), by what (``hazard``), and which measurements speak of it.

    ``measurements`` are globs of test ids, none where nothing tests it yet; ``metrics`` and ``models`` narrow them by name.
    ``bound``: how far from no bias an effect may be, or its ``estimate`` by name, with the reason why so far.
    ``owner`` answers for it, and ``review`` is the day on which it is to be looked at again.
    """

    name: Text
    group: Text
    ground: Ground
    hazard: Text
    measurements: tuple[str, ...]
    metrics: tuple[str, ...] | None = Field(default=None, min_length=1)
    models: tuple[str, ...] | None = Field(default=None, min_length=1)
    bound: float | None = Field(default=None, gt=0, lt=LARGEST_BOUND)
    bound_reason: str = ""
    estimate: str = ""
    owner: Text
    review: date

    @model_validator(mode="after")
    def _says_why(self) -> Self:
        if (self.bound is None) != (not self.bound_reason):
            missing = "bound_reason" if self.bound is not None else "bound"
            raise ValueError(f"states a bound or its reason without the other. Add {missing}")
        return self

    def takes(self, metric: str, test: str, model: str) -> bool:
        """Whether the measurements of a metric, a test and a model speak of it."""
        return bool(self.patterns(test)) and self._narrowed(metric, model)

    def patterns(self, test: str) -> tuple[str, ...]:
        """Those of its globs that name the test."""
        return tuple(pattern for pattern in self.measurements if fnmatchcase(test, pattern))

    def unmatched(self, planned: Iterable[tuple[str, str, str]]) -> tuple[str, ...]:
        """Those of its globs that none of these (metric, test, model) is named by."""
        there = {
            pattern
            for metric, test, model in planned
            if self._narrowed(metric, model)
            for pattern in self.patterns(test)
        }
        return tuple(pattern for pattern in self.measurements if pattern not in there)

    @property
    def narrowed(self) -> str:
        """By what it is narrowed, as it was stated, or an empty text."""
        parts = [
            f"{key} = {list(names)}"
            for key, names in (("metrics", self.metrics), ("models", self.models))
            if names
        ]
        return " with " + ", ".join(parts) if parts else ""

    def _narrowed(self, metric: str, model: str) -> bool:
        return (self.metrics is None or metric in self.metrics) and (
            self.models is None or model in self.models
        )
