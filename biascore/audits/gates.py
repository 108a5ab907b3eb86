"""A gate as an audit states it: which measurements, and what must hold of them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from biascore.basics.frozen import Frozen
from biascore.files.paths import user_path
from biascore.results.gates import LARGEST_BOUND, Policy
from biascore.results.verdicts import Role


class Gate(Frozen):
    """What must hold of some measurements, of which it needs at least one criterion; all that are stated must hold.

    ``measurements`` are globs of test ids; ``metrics`` and ``models`` narrow them by name, ``roles`` by what they are for
    (default: findings, so no baselines and controls). ``fail_on="detected"``: none may be detected; "hint": nor may there
    be a hint. A hint for want of harmless groups fails both, unless ``no_reference`` is "pass": then it is undecided. With
    ``specific``, only what at most this share of harmless pairs reaches (or whose share is not measured) fails, and what
    more of them reach is undecided. ``within``: the interval of the headline, or of ``estimate`` (a name or its last words,
    such as ``f_m``), may not end farther from no bias than this. ``no_worse_than``: a stored run, in a file relative to it;
    no effect may have increased since by more than ``margin``, in its unit; by default the equivalence bound of each
    measurement. ``inconclusive`` says what becomes of what the data do not decide: by default that an increase is not ruled
    out fails, and all else passes with a warning. What is not measured fails, unless ``not_measured`` is "pass". A base run
    that is not there is an error, unless ``no_base`` is "pass", as for a first release: then it warns that nothing was
    compared. ``previous``, in its place: a folder of stored runs, of which the newest of the same line that began before is
    the base run; where there is none, it warns as with ``no_base``.
    """

    name: str = ""
    measurements: tuple[str, ...] = Field(min_length=1)
    metrics: tuple[str, ...] | None = Field(default=None, min_length=1)
    models: tuple[str, ...] | None = Field(default=None, min_length=1)
    roles: tuple[Role, ...] = Field(default=(Role.FINDING,), min_length=1)
    fail_on: Literal["detected", "hint"] | None = None
    no_reference: Literal["fail", "pass"] = "fail"
    specific: float | None = Field(default=None, gt=0, lt=1)
    within: float | None = Field(default=None, gt=0, lt=LARGEST_BOUND)
    estimate: str = ""
    no_worse_than: str | None = Field(default=None, min_length=1)
    previous: str | None = Field(default=None, min_length=1)
    no_base: Literal["fail", "pass"] = "fail"
    margin: float | None = Field(default=None, ge=0, lt=LARGEST_BOUND)
    inconclusive: Policy | None = None
    not_measured: Literal["fail", "pass"] = "fail"

    @model_validator(mode="after")
    def _states_something(self) -> Self:
        if self.fail_on is None and self.within is None and self.base is None:
            raise ValueError(
                'states nothing that must hold. Add fail_on = "detected", within = 0.5 or no_worse_than = "base-run"'
            )
        if self.no_worse_than is not None and self.previous is not None:
            raise ValueError(
                "has no_worse_than and previous, which both name the run to compare with. Keep one of them: previous for "
                "the newest run of a folder, no_worse_than for one by its path"
            )
        if self.estimate and self.within is None:
            raise ValueError("names an estimate and no bound for it. Add within = 0.1")
        if self.margin is not None and self.base is None:
            raise ValueError('has a margin and no run to compare with. Add no_worse_than = "base-run"')
        if self.no_base != "fail" and self.base is None:
            raise ValueError('has no_base and no run to compare with. Add no_worse_than = "base-run"')
        if self.specific is not None and self.fail_on is None:
            raise ValueError('has specific and no fail_on. Add fail_on = "detected"')
        if self.no_reference != "fail" and self.fail_on is None:
            raise ValueError('has no_reference and no fail_on. Add fail_on = "detected"')
        return self

    @property
    def base(self) -> str | None:
        """The run, or the folder of runs, that it compares with; None for none."""
        return self.previous if self.no_worse_than is None else self.no_worse_than

    @property
    def base_key(self) -> str:
        """The key that names it, as it is written: ``previous = 'runs'``."""
        return f"{'previous' if self.no_worse_than is None else 'no_worse_than'} = {self.base!r}"

    @property
    def since(self) -> str:
        """Since which run it asks for no increase, in words."""
        return self.no_worse_than or f"the newest run before it in {self.previous}"

    @property
    def criteria(self) -> tuple[str, ...]:
        """What must hold, in words."""
        of = f" of {self.estimate}" if self.estimate else ""
        within = "" if self.within is None else f"the interval{of} ends within {self.within:g} of no bias"
        worse = ""
        if self.base is not None:
            margin = "its equivalence bound" if self.margin is None else f"{self.margin:g}"
            by = "" if self.margin == 0 else f" by more than {margin}"
            sure = "" if self.inconclusive else " (inconclusive fails)"
            worse = f"has not increased{by} since {self.since}{sure}"
        return tuple(filter(None, [self.not_detected if self.fail_on else "", within, worse]))

    @property
    def not_detected(self) -> str:
        """What ``fail_on`` asks for, in words."""
        none = "not detected" if self.fail_on == "detected" else "neither detected nor a hint"
        if self.specific is None:
            return none
        return f"{none} with at most {100 * self.specific:g} % of harmless pairs reaching it"

    def margin_of(self, bound: float | None) -> float:
        """By how much an effect with this equivalence bound may have increased: by none without margin and bound."""
        return (bound or 0.0) if self.margin is None else self.margin

    def based(self, here: Path, there: Path) -> Gate:
        """The same gate, its base run named relative to ``there`` and no longer to ``here``; absolute paths stay."""
        if self.base is None or (path := user_path(self.base)).is_absolute():
            return self
        key = "previous" if self.no_worse_than is None else "no_worse_than"
        return self.model_copy(update={key: os.path.relpath(here / path, there.absolute())})

    def takes(self, metric: str, test: str, model: str) -> bool:
        """Whether it looks at the measurements of a metric, a test and a model, whatever their role."""
        return (
            any(fnmatchcase(test, pattern) for pattern in self.measurements)
            and (self.metrics is None or metric in self.metrics)
            and (self.models is None or model in self.models)
        )

    def matches(self, planned: Iterable[tuple[str, str, str]]) -> bool:
        """Whether it looks at any of these (metric, test, model)."""
        return any(self.takes(*one) for one in planned)

    @property
    def shown(self) -> str:
        """What it looks at, as it was stated."""
        parts = [f"measurements = {list(self.measurements)}"]
        parts += [f"metrics = {list(self.metrics)}"] if self.metrics else []
        parts += [f"models = {list(self.models)}"] if self.models else []
        return ", ".join(parts)


def named(gates: Iterable[Gate]) -> list[tuple[str, Gate]]:
    """Each gate with its name, or its place where it has none."""
    return [(gate.name or f"gate {number}", gate) for number, gate in enumerate(gates, start=1)]
