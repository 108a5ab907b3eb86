"""Several methods on the same test and model, whose headlines are one estimate in one unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from biascore.basics.wording import counted
from biascore.report.charts.base import with_unit
from biascore.results.estimates import Estimate
from biascore.results.measurement import Measurement
from biascore.results.run import Run
from biascore.results.verdicts import RunVerdict, State
from biascore.results.words.agreement import compared
from biascore.results.words.effects import side_of


class Reading(NamedTuple):
    """A measurement, and what its run says of it."""

    measurement: Measurement
    said: RunVerdict

    @property
    def state(self) -> State:
        """Its state in one word."""
        return State.of(self.measurement, self.said)


@dataclass(frozen=True, slots=True)
class Readings:
    """What several methods gave for one test, in the order of the run."""

    test: str
    title: str
    readings: tuple[Reading, ...]

    @property
    def states(self) -> list[State]:
        """The states of the measurements with a value."""
        return [one.state for one in self.readings if one.state is not State.NOT_MEASURED]

    @property
    def methods(self) -> int:
        """How many methods gave a value."""
        return len({one.measurement.method for one in self.readings if one.state is not State.NOT_MEASURED})

    @property
    def directions(self) -> int:
        """On how many sides of the neutral value the values are."""
        return len({side_of(one.measurement.headline) for one in self.readings} - {0})


@dataclass(frozen=True, slots=True)
class Comparison:
    """The tests of one model that several methods measured by an estimate of one name and unit."""

    model: str
    estimate: str
    directed: bool
    """Whether the estimates have a direction: something lies below the neutral value."""
    tests: tuple[Readings, ...]

    @property
    def readings(self) -> int:
        """How many measurements there are."""
        return sum(len(test.readings) for test in self.tests)

    @property
    def compared(self) -> list[Readings]:
        """The tests with values of at least two methods."""
        return [test for test in self.tests if test.methods > 1]

    @property
    def not_compared(self) -> list[Readings]:
        """The tests for which at most one method gave a value."""
        return [test for test in self.tests if test.methods < 2]

    @property
    def other_states(self) -> list[Readings]:
        """The compared tests in which some methods detect a bias, and others do not."""
        return [test for test in self.compared if {State.DETECTED} < set(test.states)]

    @property
    def other_directions(self) -> list[Readings]:
        """The compared tests whose values lie on both sides of the neutral value."""
        return [test for test in self.compared if self.directed and test.directions > 1]

    @property
    def text(self) -> str:
        """In how many tests the methods agree; empty where no test has values of two."""
        count = len(self.compared)
        if not count:
            return ""
        tests = counted(count, "test")
        detected = [test for test in self.compared if State.DETECTED in test.states]
        if not detected:
            these = "this test" if count == 1 else f"these {tests}"
            found = f"No method detects a bias in {these}, so there is nothing to agree on."
        else:
            every = len(detected) - len(self.other_states)
            found = f"At least one method detects a bias in {len(detected)} of {tests}, and all methods do in {every}."
        if not self.directed:
            return found
        same = count - len(self.other_directions)
        return f"{found} All point in the same direction in {same} of {tests}."


def comparisons(run: Run) -> tuple[Comparison, ...]:
    """One comparison per model and kind of estimate in which two methods or more measured the same test.

    Baselines, changes, descriptions and estimates without a direction are left out.
    """
    families: dict[tuple[str, str, str], dict[tuple[str, str], list[Reading]]] = {}
    for measurement, said in zip(run, run.verdicts, strict=True):
        if not compared(measurement, said):
            continue
        headline = measurement.headline
        of_test = families.setdefault((measurement.model, headline.name, headline.unit), {})
        of_test.setdefault((measurement.test, measurement.subject), []).append(Reading(measurement, said))
    found: list[Comparison] = []
    for (model, name, unit), by_test in families.items():
        tests = [some for some in by_test.values() if len({m.method for m, _ in some}) > 1]
        headlines = [one.measurement.headline for some in tests for one in some]
        if tests:
            readings = tuple(
                Readings(some[0].measurement.test, some[0].measurement.titled, tuple(some)) for some in tests
            )
            found.append(Comparison(model, with_unit(name, unit), _below_neutral(headlines), readings))
    return tuple(found)


def _below_neutral(estimates: Sequence[Estimate]) -> bool:
    """Whether something lies below the neutral value: a distance and its interval never do."""
    lowest = [(e.interval.low if e.interval else e.value, e.neutral) for e in estimates]
    return any(low is not None and neutral is not None and low < neutral for low, neutral in lowest)
