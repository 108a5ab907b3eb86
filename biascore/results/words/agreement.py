"""Do the methods agree? What several metrics say of one concept: direction, evidence, and how they rank tests and models.

Nothing is merged into one score.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np

from biascore.basics.frozen import Frozen
from biascore.results.estimates import Estimate
from biascore.results.measurement import Measurement
from biascore.results.verdicts import Role, RunVerdict, State
from biascore.results.words.effects import ends_of, side_of
from biascore.stats import Verdict
from biascore.stats.ranks import rank_correlation

LEAST: Final = 4
"""With fewer tests, models or groups in common, two methods agree or disagree by chance."""


class Reading(Frozen):
    """What one method says of one concept on one model: its tests, their states and directions.

    ``method`` is a metric with its variant. ``along`` and ``against`` count the tests whose estimate lies above, and below,
    its neutral value: those that all methods share, and those for which above is the stereotype's side.
    """

    method: str
    tests: tuple[str, ...]
    detected: int
    hint: int
    negligible: int
    inconclusive: int
    not_measured: int
    along: int
    against: int

    @property
    def state(self) -> str:
        """``detected in 2 of 3, 1 hint``, or ``negligible in all 3``, or ``inconclusive in all 3``."""
        count = len(self.tests)
        counts = (
            (State.DETECTED, self.detected),
            (State.HINT, self.hint),
            (State.NEGLIGIBLE, self.negligible),
            (State.INCONCLUSIVE, self.inconclusive),
            (State.NOT_MEASURED, self.not_measured),
        )
        some = [(state, many) for state, many in counts if many]
        if len(some) == 1:
            return f"{some[0][0]} in {'the one test' if count == 1 else f'all {count} tests'}"
        return ", ".join(f"{state} in {many}" for state, many in some) + f" of {count} tests"

    @property
    def direction(self) -> int:
        """1 where all of its tests with a direction point along, -1 where against; 0 where they differ or have none."""
        return 1 if self.along and not self.against else -1 if self.against and not self.along else 0


class Order(Frozen):
    """How alike two methods rank the same things: Kendall's tau-b, with its 95 % interval where there is one.

    ``over`` says what is ranked, as ``models``; ``where`` what is the same for all of them, as the test.
    """

    one: str
    other: str
    over: str
    where: str
    n: int
    tau: float
    low: float | None
    high: float | None

    @property
    def interval(self) -> str:
        """``-0.2 to 0.7``, or that there are too few for one."""
        if self.low is None or self.high is None:
            return (
                "all in one order" if abs(self.tau) > 1 - 1e-9 and self.n > 5 else "too few for an interval"
            )
        return f"{self.low:z.2f} to {self.high:z.2f}"


class Agreement(Frozen):
    """One concept on one model, as measured by two methods or more."""

    model: str
    concept: str
    readings: tuple[Reading, ...]

    @property
    def text(self) -> str:
        """How many methods detect a bias, and whether those with one direction agree on it."""
        count = len(self.readings)
        detected = sum(reading.detected > 0 for reading in self.readings)
        ways = [reading.direction for reading in self.readings if reading.direction]
        same = max(ways.count(1), ways.count(-1))
        if detected:
            found = f"{detected} of {count} methods detect a bias."
        else:
            found = "No method detects a bias here, so there is nothing to agree on."
        if len(ways) < 2:
            return found
        alike = f"All {same}" if same == len(ways) else f"{same} of {len(ways)}"
        return f"{found} {alike} that have one direction have the same."


class _Read(NamedTuple):
    measurement: Measurement
    said: RunVerdict

    @property
    def method(self) -> str:
        return self.measurement.method


class _Placed(NamedTuple):
    """What is ranked of a measurement: its headline, or where that has no direction the first estimate with one.

    ``method`` also names the estimate where it is not the headline, or not the same in all measurements of the method.
    """

    measurement: Measurement
    method: str
    value: float


def agreements(measurements: Sequence[Measurement], verdicts: Sequence[RunVerdict]) -> tuple[Agreement, ...]:
    """For each model and concept that two methods or more measured, what each of them says; in the order of the run.

    Baselines, changes by a transform, descriptions and headlines without a direction are left out. Each test without a
    concept counts as one concept.
    """
    groups: dict[tuple[str, str], dict[str, list[_Read]]] = {}
    for one in _chosen(measurements, verdicts):
        if not compared(*one):
            continue
        groups.setdefault((one.measurement.model, _concept(one.measurement)), {}).setdefault(
            one.method, []
        ).append(one)
    return tuple(
        Agreement(model=model, concept=concept, readings=_readings(list(by_method.values())))
        for (model, concept), by_method in groups.items()
        if len(by_method) > 1
    )


def orders(measurements: Sequence[Measurement], verdicts: Sequence[RunVerdict]) -> tuple[Order, ...]:
    """How alike each two methods rank tests on one model, models on one test or concept, and groups of items.

    Values of different units can be ranked, and so can those of different tests of one concept. Only estimates with a
    direction are ranked.
    """
    read = _placed(_chosen(measurements, verdicts))
    return (*_over_tests(read), *_over_models(read), *_over_groups(read))


def _placed(read: Sequence[_Read]) -> list[_Placed]:
    directed = [(one, next(_directed(one.measurement), None)) for one in read]
    headlines: dict[str, set[str]] = {}
    for one in read:
        headlines.setdefault(one.method, set()).add(one.measurement.headline.name)
    found = []
    for one, estimate in directed:
        if estimate is None or estimate.value is None:
            continue
        same = headlines[one.method] == {estimate.name}
        method = one.method if same else f"{one.method}: {estimate.name}"
        found.append(_Placed(one.measurement, method, estimate.value))
    return found


def _over_tests(read: Sequence[_Placed]) -> Iterable[Order]:
    by: dict[str, dict[str, dict[str, float]]] = {}
    for one in read:
        by.setdefault(one.measurement.model, {}).setdefault(one.method, {})[_thing(one.measurement)] = (
            one.value
        )
    for model, methods in by.items():
        yield from _pairs(methods, "tests", model)


def _over_models(read: Sequence[_Placed]) -> Iterable[Order]:
    same: dict[str, dict[str, dict[str, float]]] = {}
    concept: dict[str, dict[str, dict[str, float]]] = {}
    tests: dict[str, set[str]] = {}
    for one in read:
        test, model = _thing(one.measurement), one.measurement.model
        same.setdefault(test, {}).setdefault(one.method, {})[model] = one.value
        named = f"{one.method}, {test}"
        concept.setdefault(_concept(one.measurement), {}).setdefault(named, {})[model] = one.value
        tests.setdefault(one.measurement.metric, set()).add(test)
    for test, methods in same.items():
        yield from _pairs(methods, "models", test)
    kinds = {f"{one.method}, {_thing(one.measurement)}": one.measurement.metric for one in read}
    for about, methods in concept.items():
        # Metrics that share tests are compared on these; those of one concept that share none, across them.
        apart = [(a, b) for a, b in combinations(methods, 2) if not tests[kinds[a]] & tests[kinds[b]]]
        for a, b in apart:
            yield from _pairs({a: methods[a], b: methods[b]}, "models", about)


def _over_groups(read: Sequence[_Placed]) -> Iterable[Order]:
    by: dict[tuple[str, str], dict[str, dict[str, float]]] = {}
    for one in read:
        means = _means(one.measurement)
        if len(means) >= LEAST:
            where = (one.measurement.model, _concept(one.measurement))
            by.setdefault(where, {})[f"{one.measurement.method}, {_thing(one.measurement)}"] = means
    for (model, concept), methods in by.items():
        yield from _pairs(methods, "groups of items", f"{model}, {concept}")


def _pairs(methods: Mapping[str, Mapping[str, float]], over: str, where: str) -> Iterable[Order]:
    for (one, first), (other, second) in combinations(methods.items(), 2):
        both = [name for name in first if name in second]
        if len(both) < LEAST:
            continue
        found = rank_correlation([first[name] for name in both], [second[name] for name in both])
        if found is not None:
            yield Order(
                one=one,
                other=other,
                over=over,
                where=where,
                n=found.n,
                tau=found.tau,
                low=found.low,
                high=found.high,
            )


def _readings(methods: Sequence[Sequence[_Read]]) -> tuple[Reading, ...]:
    shared = set.intersection(*({_thing(one.measurement) for one in some} for some in methods))
    return tuple(_reading(some, shared) for some in methods)


def _reading(some: Sequence[_Read], shared: Collection[str]) -> Reading:
    of = [one.said.verdict for one in some]
    sides = [
        side_of(one.measurement.headline)
        for one in some
        if _thing(one.measurement) in shared or ends_of(one.measurement).stereotype
    ]
    return Reading(
        method=some[0].method,
        tests=tuple(_thing(one.measurement) for one in some),
        detected=of.count(Verdict.DETECTED),
        hint=sum(one.said.hint for one in some),
        negligible=of.count(Verdict.NEGLIGIBLE),
        inconclusive=of.count(Verdict.INCONCLUSIVE),
        not_measured=of.count(Verdict.NOT_MEASURED),
        along=sides.count(1),
        against=sides.count(-1),
    )


def _chosen(measurements: Sequence[Measurement], verdicts: Sequence[RunVerdict]) -> list[_Read]:
    """What can be ranked: neither baselines nor changes nor descriptions, and with a value."""
    return [
        _Read(measurement, said)
        for measurement, said in zip(measurements, verdicts, strict=True)
        if said.role in (Role.FINDING, Role.CONTROL) and measurement.headline.value is not None
    ]


def compared(measurement: Measurement, said: RunVerdict) -> bool:
    """Whether methods can agree on it: its headline has a direction, and it asks for a bias."""
    return said.role in (Role.FINDING, Role.CONTROL) and any(
        estimate is measurement.headline for estimate in _directed(measurement)
    )


def _concept(measurement: Measurement) -> str:
    return measurement.concept or measurement.test


def _thing(measurement: Measurement) -> str:
    return f"{measurement.test} ({measurement.subject})" if measurement.subject else measurement.test


def _directed(measurement: Measurement) -> Iterator[Estimate]:
    """The estimates with a direction; not a share as headline that has a meaning above its neutral value only."""
    ends = ends_of(measurement)
    one_way = measurement.headline.unit == "share" and not ends.below and not ends.stereotype
    for place, estimate in enumerate(measurement.estimates):
        if estimate.neutral is not None and estimate.chance is None and (place or not one_way):
            yield estimate


def _means(measurement: Measurement) -> dict[str, float]:
    """The mean value of the items of each group; none where the items have no groups or values."""
    if not {"group", "value"} <= set(measurement.items.column_names):
        return {}
    values: dict[str, list[float]] = {}
    for group, value in zip(
        measurement.items.column("group").to_pylist(),
        measurement.items.column("value").to_pylist(),
        strict=True,
    ):
        if value is not None:
            values.setdefault(group, []).append(value)
    return {group: float(np.mean(some)) for group, some in values.items()}
