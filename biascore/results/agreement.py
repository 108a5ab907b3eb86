"""Do the rulers agree? What several metrics say of one concept: which way, how surely, and in which order they put things.

Nothing is merged into one score: what rulers share is told, and what they do not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np

from biascore.basics.frozen import Frozen
from biascore.results.effect_words import ends_of, side_of
from biascore.results.estimates import Estimate
from biascore.results.measurement import Measurement
from biascore.results.verdicts import Role, RunVerdict
from biascore.stats import Verdict
from biascore.stats.ranks import rank_correlation

LEAST: Final = 4
"""Two rulers with fewer tests, models or groups in common are in some order by chance, whatever they measure."""


class Reading(Frozen):
    """What one ruler says of one concept on one model: its tests, how they came out, and which way they point.

    ``ruler`` is a metric with its variant. ``along`` and ``against`` count the tests whose estimate lies above, and below,
    its neutral value: those that all rulers share, and those for which above is the stereotype's side.
    """

    ruler: str
    tests: tuple[str, ...]
    detected: int
    alone: int
    negligible: int
    inconclusive: int
    along: int
    against: int

    @property
    def verdict(self) -> str:
        """``detected in 2 of 3 tests (1 only alone)``, or ``negligible in all 3``, or ``cannot tell``."""
        count = len(self.tests)
        of = f"of {count} {'test' if count == 1 else 'tests'}"
        alone = f"{self.alone} {of} only alone" if self.alone else ""
        if self.detected:
            return f"detected in {self.detected} {of}" + (f", {alone}" if alone else "")
        if alone:
            return alone
        return (
            f"too small to matter in {self.negligible} {of}"
            if self.negligible == count
            else f"cannot tell in {count}"
        )

    @property
    def way(self) -> int:
        """1 where all of its tests with a direction point along, -1 where against; 0 where they differ or have none."""
        return 1 if self.along and not self.against else -1 if self.against and not self.along else 0


class Order(Frozen):
    """How far two rulers put the same things in one order: Kendall's tau-b, with its 95 % interval where there is one.

    ``over`` says what was put in order, as ``models``; ``where`` what was the same for all of them, as the test.
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
        return f"{self.low:.2f} to {self.high:.2f}"


class Agreement(Frozen):
    """One concept on one model, as two rulers or more read it."""

    model: str
    concept: str
    readings: tuple[Reading, ...]

    @property
    def text(self) -> str:
        """In how many rulers something is detected, and whether those that show a way show the same."""
        count = len(self.readings)
        detected = sum(reading.detected > 0 for reading in self.readings)
        ways = [reading.way for reading in self.readings if reading.way]
        same = max(ways.count(1), ways.count(-1))
        told = f"{detected} of {count} rulers detect it"
        if len(ways) < 2:
            return f"{told}."
        return f"{told}; {'all' if same == len(ways) else same} of the {len(ways)} that point one way point the same."


class _Read(NamedTuple):
    measurement: Measurement
    said: RunVerdict

    @property
    def ruler(self) -> str:
        return self.measurement.method


class _Placed(NamedTuple):
    """What is put in order of a measurement: its headline, or where that has no direction the first estimate with one.

    ``ruler`` names the estimate, too, where the headline does not do, or is not the same in all measurements of the ruler.
    """

    measurement: Measurement
    ruler: str
    value: float


def agreements(measurements: Sequence[Measurement], verdicts: Sequence[RunVerdict]) -> tuple[Agreement, ...]:
    """For each model and concept that two rulers or more measured, what each of them says; in the order of the run.

    A change by a transform is no ruler, nor is what describes; of tests without a concept each is one.
    """
    groups: dict[tuple[str, str], dict[str, list[_Read]]] = {}
    for one in _rulers(measurements, verdicts):
        groups.setdefault((one.measurement.model, _concept(one.measurement)), {}).setdefault(
            one.ruler, []
        ).append(one)
    return tuple(
        Agreement(model=model, concept=concept, readings=_readings(list(by_ruler.values())))
        for (model, concept), by_ruler in groups.items()
        if len(by_ruler) > 1
    )


def orders(measurements: Sequence[Measurement], verdicts: Sequence[RunVerdict]) -> tuple[Order, ...]:
    """How far each two rulers agree on orders: of tests on one model, of models on one test or concept, of groups of items.

    Values of different units can be put in order all the same, and so can those of different tests of one concept. Only
    estimates with a direction are compared: a distance says nothing of a way.
    """
    read = _placed(_rulers(measurements, verdicts))
    return (*_over_tests(read), *_over_models(read), *_over_groups(read))


def _placed(read: Sequence[_Read]) -> list[_Placed]:
    directed = [(one, next(_directed(one.measurement), None)) for one in read]
    headlines: dict[str, set[str]] = {}
    for one in read:
        headlines.setdefault(one.ruler, set()).add(one.measurement.headline.name)
    found = []
    for one, estimate in directed:
        if estimate is None or estimate.value is None:
            continue
        same = headlines[one.ruler] == {estimate.name}
        ruler = one.ruler if same else f"{one.ruler}: {estimate.name}"
        found.append(_Placed(one.measurement, ruler, estimate.value))
    return found


def _over_tests(read: Sequence[_Placed]) -> Iterable[Order]:
    by: dict[str, dict[str, dict[str, float]]] = {}
    for one in read:
        by.setdefault(one.measurement.model, {}).setdefault(one.ruler, {})[_thing(one.measurement)] = (
            one.value
        )
    for model, rulers in by.items():
        yield from _pairs(rulers, "tests", model)


def _over_models(read: Sequence[_Placed]) -> Iterable[Order]:
    same: dict[str, dict[str, dict[str, float]]] = {}
    concept: dict[str, dict[str, dict[str, float]]] = {}
    tests: dict[str, set[str]] = {}
    for one in read:
        test, model = _thing(one.measurement), one.measurement.model
        same.setdefault(test, {}).setdefault(one.ruler, {})[model] = one.value
        named = f"{one.ruler}, {test}"
        concept.setdefault(_concept(one.measurement), {}).setdefault(named, {})[model] = one.value
        tests.setdefault(one.measurement.metric, set()).add(test)
    for test, rulers in same.items():
        yield from _pairs(rulers, "models", test)
    kinds = {f"{one.ruler}, {_thing(one.measurement)}": one.measurement.metric for one in read}
    for about, rulers in concept.items():
        # Metrics that share tests are compared on these; those of one concept that share none, across them.
        apart = [(a, b) for a, b in combinations(rulers, 2) if not tests[kinds[a]] & tests[kinds[b]]]
        for a, b in apart:
            yield from _pairs({a: rulers[a], b: rulers[b]}, "models", about)


def _over_groups(read: Sequence[_Placed]) -> Iterable[Order]:
    by: dict[tuple[str, str], dict[str, dict[str, float]]] = {}
    for one in read:
        means = _means(one.measurement)
        if len(means) >= LEAST:
            where = (one.measurement.model, _concept(one.measurement))
            by.setdefault(where, {})[f"{one.measurement.method}, {_thing(one.measurement)}"] = means
    for (model, concept), rulers in by.items():
        yield from _pairs(rulers, "groups of items", f"{model}, {concept}")


def _pairs(rulers: Mapping[str, Mapping[str, float]], over: str, where: str) -> Iterable[Order]:
    for (one, first), (other, second) in combinations(rulers.items(), 2):
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


def _readings(rulers: Sequence[Sequence[_Read]]) -> tuple[Reading, ...]:
    shared = set.intersection(*({_thing(one.measurement) for one in some} for some in rulers))
    return tuple(_reading(some, shared) for some in rulers)


def _reading(some: Sequence[_Read], shared: Collection[str]) -> Reading:
    of = [one.said.verdict for one in some]
    sides = [
        side_of(one.measurement.headline)
        for one in some
        if _thing(one.measurement) in shared or ends_of(one.measurement).stereotype
    ]
    return Reading(
        ruler=some[0].ruler,
        tests=tuple(_thing(one.measurement) for one in some),
        detected=of.count(Verdict.DETECTED),
        alone=sum(one.said.only_alone for one in some),
        negligible=of.count(Verdict.NEGLIGIBLE),
        inconclusive=of.count(Verdict.INCONCLUSIVE),
        along=sides.count(1),
        against=sides.count(-1),
    )


def _rulers(measurements: Sequence[Measurement], verdicts: Sequence[RunVerdict]) -> list[_Read]:
    return [
        _Read(measurement, said)
        for measurement, said in zip(measurements, verdicts, strict=True)
        if is_ruler(measurement) and said.role is not Role.CHANGE and measurement.headline.value is not None
    ]


def is_ruler(measurement: Measurement) -> bool:
    """Whether a measurement says how large a bias is: not what changed by a transform, and not what only describes."""
    return not measurement.change_from and not measurement.describes


def _concept(measurement: Measurement) -> str:
    return measurement.concept or measurement.test


def _thing(measurement: Measurement) -> str:
    return f"{measurement.test} ({measurement.subject})" if measurement.subject else measurement.test


def _directed(measurement: Measurement) -> Iterator[Estimate]:
    """The estimates that say a way; not a share as headline of which only what lies above the neutral value is told."""
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
