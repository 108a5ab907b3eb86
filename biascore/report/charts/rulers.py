"""Do the rulers agree? The same tests on the same model by several methods in one unit, and the order of things."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from biascore.report.charts.base import (
    Chart,
    Plot,
    in_greys,
    not_drawn,
    safe,
    shared_parts,
    tooltip,
    unique,
    with_unit,
    wrapped,
)
from biascore.report.charts.forest import Reading, domains_of, forest, model_looks, readings_of, with_value
from biascore.report.charts.rows import side_by_side
from biascore.report.texts import counted
from biascore.results.agreement import is_ruler
from biascore.results.estimates import Estimate
from biascore.results.measurement import Measurement
from biascore.results.run import Run
from biascore.stats import Verdict

MOST_ORDERS: Final = 60
"""So many rank correlations are drawn; all are in the table."""


@dataclass(frozen=True, slots=True)
class Readings:
    """What several methods gave for one test, in the order of the run."""

    test: str
    title: str
    readings: tuple[Reading, ...]

    @property
    def methods(self) -> int:
        """How many methods gave a value."""
        return len({m.method for m, _ in with_value(self.readings)})

    @property
    def verdicts(self) -> set[Verdict]:
        """The verdicts on the values."""
        return {said.verdict for _, said in with_value(self.readings)}

    @property
    def directions(self) -> int:
        """On how many sides of the neutral value the values are."""
        return len({_side(m.headline) for m, _ in with_value(self.readings)})


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
        return [test for test in self.tests if test.methods > 1]

    @property
    def not_compared(self) -> list[Readings]:
        """The tests for which at most one method gave a value."""
        return [test for test in self.tests if test.methods < 2]

    @property
    def undecided(self) -> list[Readings]:
        """The compared tests that every method leaves inconclusive."""
        return [test for test in self.compared if test.verdicts == {Verdict.INCONCLUSIVE}]

    @property
    def other_verdicts(self) -> list[Readings]:
        """The compared tests whose verdicts differ."""
        return [test for test in self.compared if len(test.verdicts) > 1]

    @property
    def other_directions(self) -> list[Readings]:
        """The compared tests whose values lie on both sides of the neutral value."""
        return [test for test in self.compared if self.directed and test.directions > 1]


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
    found: list[Comparison] = []
    looks, domains = model_looks(run), domains_of(run)
    for (model, name, unit), by_test in families.items():
        tests = [some for some in by_test.values() if len({m.method for m, _ in some}) > 1]
        if not tests:
            continue
        readings = [reading for some in tests for reading in some]
        found.append(
            Comparison(
                model,
                with_unit(name, unit),
                _directed([m.headline for m, _ in readings]),
                tuple(
                    Readings(some[0].measurement.test, some[0].measurement.titled, tuple(some))
                    for some in tests
                ),
                _chart(len(found) + 1, readings, looks[model].colour, domains.get(unit)),
            )
        )
    return tuple(found)


def order_chart(run: Run) -> Chart | None:
    """Kendall's tau of every two rulers, over tests, models or groups; None where no order can be compared."""
    drawn = run.orders[:MOST_ORDERS]
    if not drawn:
        return None
    labels = unique([wrapped(f"{order.one} – {order.other}, {order.where}") for order in drawn])
    rows = [
        {
            "label": label,
            "series": f"order of {order.over}",
            "value": order.tau,
            "low": order.low,
            "high": order.high,
            "n": order.n,
            "interval": order.interval,
            "rulers": f"{order.one} – {order.other}",
        }
        for label, order in zip(labels, drawn, strict=True)
    ]
    told = tooltip(rulers="Rulers", value=("Kendall's tau", ".2f"), interval="Interval", n=("n", ""))
    looks = in_greys(f"order of {order.over}" for order in drawn)
    drawing = side_by_side(rows, "What is put in order", told, looks).with_neutral(0.0)
    caption = (
        f"Rank correlation (Kendall's tau) of {counted(len(drawn), 'pair')} of rulers: 1 for the same order, -1 for the "
        "opposite one, 0 for none. Lines are 95 % confidence intervals where there are 6 things to order or more."
    )
    more = len(run.orders) - len(drawn)
    note = f"{more} more pairs are in the table and not drawn." if more else ""
    plot = Plot(drawing, "Kendall's tau", caption, (note,), "Do the rulers agree?")
    return plot.chart("rulers-orders")


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
    drawn = with_value(readings)
    if not drawn:
        return None
    first, some = drawn[0].measurement, [m for m, _ in drawn]
    title = with_unit(first.headline.name, first.headline.unit)
    names, shared = _short_names(some)
    alike = f", all with {', '.join(shared)}" if shared else ""
    shapes = {name: replace(look, colour=colour) for name, look in in_greys(names.values()).items()}
    drawing, told = forest(drawn, [names[m.method] for m in some], "Method", shapes, domain)
    caption = f"{first.model}: {title}, by test and method ({', '.join(names.values())}{alike}). {told}"
    note = not_drawn(len(readings) - len(drawn))
    plot = Plot(drawing, title, caption, (note,), "Do the rulers agree?")
    return plot.chart(f"rulers-{number:02d}-{safe(first.model)}-{safe(first.headline.name)}")


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


def _side(headline: Estimate) -> int:
    value, neutral = headline.value, headline.neutral
    if value is None or neutral is None:
        return 0
    return (value > neutral) - (value < neutral)
