"""Do the rulers agree? The same tests on the same model, measured by several methods in one unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from biascore.report.charts.base import (
    Chart,
    Look,
    distinct,
    in_greys,
    safe,
    shared_parts,
    specification,
    whiskers,
    with_unit,
)
from biascore.report.charts.forest import (
    Reading,
    domains_of,
    forest,
    marks_told,
    model_looks,
    neutral_told,
    readings_of,
)
from biascore.results.agreement import is_ruler
from biascore.results.estimates import Estimate
from biascore.results.measurement import Measurement
from biascore.results.run import Run
from biascore.stats import Verdict


@dataclass(frozen=True, slots=True)
class Readings:
    """What several methods gave for one test, in the order of the run."""

    test: str
    title: str
    readings: tuple[Reading, ...]

    @property
    def _with_value(self) -> list[Reading]:
        return [reading for reading in self.readings if reading.measurement.headline.value is not None]

    @property
    def comparable(self) -> bool:
        """Whether two methods at least gave a value."""
        return len({reading.measurement.method for reading in self._with_value}) > 1

    @property
    def same_verdict(self) -> bool:
        """Whether all values have one verdict."""
        return len({reading.said.verdict for reading in self._with_value}) == 1

    @property
    def decided(self) -> bool:
        """Whether a value has another verdict than inconclusive."""
        return any(reading.said.verdict is not Verdict.INCONCLUSIVE for reading in self._with_value)

    @property
    def same_direction(self) -> bool:
        """Whether all values lie on one side of the neutral value."""
        return len({_side(reading) for reading in self._with_value}) == 1


@dataclass(frozen=True, slots=True)
class Comparison:
    """The tests of one model that several methods measured by an estimate of one name and unit."""

    model: str
    estimate: str
    directed: bool
    """Whether the estimates have a direction: a neutral value, and something on both sides of it."""
    tests: tuple[Readings, ...]
    chart: Chart | None

    @property
    def readings(self) -> int:
        """How many measurements there are."""
        return sum(len(test.readings) for test in self.tests)

    @property
    def compared(self) -> list[Readings]:
        """The tests with values of at least two methods."""
        return [test for test in self.tests if test.comparable]

    @property
    def not_compared(self) -> list[Readings]:
        """The tests for which at most one method gave a value."""
        return [test for test in self.tests if not test.comparable]

    @property
    def undecided(self) -> list[Readings]:
        """The compared tests that every method leaves inconclusive."""
        return [test for test in self.compared if not test.decided]

    @property
    def other_verdicts(self) -> list[Readings]:
        """The compared tests whose verdicts differ."""
        return [test for test in self.compared if not test.same_verdict]

    @property
    def other_directions(self) -> list[Readings]:
        """The compared tests whose values lie on both sides of the neutral value."""
        return [test for test in self.compared if self.directed and not test.same_direction]


def comparisons(run: Run) -> tuple[Comparison, ...]:
    """One comparison per model and kind of estimate in which two methods or more measured the same test.

    What changed by a transform, or is only described, is no ruler's reading of a bias.
    """
    families: dict[tuple[str, str, str], dict[tuple[str, str], list[Reading]]] = {}
    for reading in readings_of(run):
        measurement, headline = reading.measurement, reading.measurement.headline
        if not is_ruler(measurement):
            continue
        of_test = families.setdefault((measurement.model, headline.name, headline.unit), {})
        of_test.setdefault((measurement.test, measurement.subject), []).append(reading)
    found = [
        [readings for readings in of_test.values() if len({m.method for m, _ in readings}) > 1]
        for of_test in families.values()
    ]
    looks, domains = model_looks(run), domains_of(run)
    return tuple(
        _comparison(number, tests, looks, domains)
        for number, tests in enumerate(filter(None, found), start=1)
    )


def _comparison(
    number: int,
    tests: Sequence[Sequence[Reading]],
    looks: Mapping[str, Look],
    domains: Mapping[str, tuple[float, float]],
) -> Comparison:
    readings = [reading for of_test in tests for reading in of_test]
    first = readings[0].measurement
    return Comparison(
        first.model,
        with_unit(first.headline.name, first.headline.unit),
        _directed([m.headline for m, _ in readings]),
        tuple(Readings(t[0].measurement.test, t[0].measurement.titled, tuple(t)) for t in tests),
        _chart(number, readings, looks[first.model].colour, domains.get(first.headline.unit)),
    )


def _directed(estimates: Sequence[Estimate]) -> bool:
    """A distance has none: neither its values nor its intervals go below the neutral value."""
    if any(estimate.neutral is None for estimate in estimates):
        return False
    lowest = [e.interval.low if e.interval else e.value for e in estimates]
    return any(
        low is not None and e.neutral is not None and low < e.neutral
        for low, e in zip(lowest, estimates, strict=True)
    )


def _chart(
    number: int, readings: list[Reading], colour: str, domain: tuple[float, float] | None
) -> Chart | None:
    """The methods by shape, in the colour that the model has in all charts, on the scale that its unit has in them."""
    drawn = [reading for reading in readings if reading.measurement.headline.value is not None]
    if not drawn:
        return None
    first = drawn[0].measurement
    title = with_unit(first.headline.name, first.headline.unit)
    methods = distinct(m.method for m, _ in drawn)
    names, shared = _short_names([m for m, _ in drawn])
    alike = f", all with {', '.join(shared)}" if shared else ""
    caption = (
        f"{first.model}: {title}, by test and method ({', '.join(names[m] for m in methods)}{alike}). "
        f"{whiskers(m.headline.interval for m, _ in drawn)}"
    )
    caption += neutral_told([m for m, _ in drawn]) + marks_told([m for m, _ in drawn])
    missing = len(readings) - len(drawn)
    note = f"{missing} not estimable and so not drawn." if missing else ""
    name = f"rulers-{number:02d}-{safe(first.model)}-{safe(first.headline.name)}"
    shapes = {name: replace(look, colour=colour) for name, look in in_greys(names.values()).items()}
    drawing = forest(drawn, [names[m.method] for m, _ in drawn], "Method", shapes, domain)
    return Chart(name, caption, note, specification(drawing, title, f"Do the rulers agree? {caption}"))


def _short_names(readings: Sequence[Measurement]) -> tuple[dict[str, str], tuple[str, ...]]:
    """The methods by what tells them apart, and the parts of their variants that all of them share."""
    parts = {reading.method: reading.variant.split(", ") for reading in readings}
    metrics = {reading.method: reading.metric for reading in readings}
    shared = shared_parts(reading.variant for reading in readings)
    names = {}
    for method, own in parts.items():
        left = ", ".join(part for part in own if part and part not in shared)
        names[method] = f"{metrics[method]} ({left})" if left else metrics[method]
    return names, shared


def _side(reading: Reading) -> int:
    headline = reading.measurement.headline
    value, neutral = headline.value, headline.neutral
    if value is None or neutral is None:
        return 0
    return (value > neutral) - (value < neutral)
