"""The map: every test on every model, each cell with direction, size and sureness, and a link to its details."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from biascore.basics.wording import shown, true_minus
from biascore.report.parts.part import Part
from biascore.report.variants import method_names, repeated, variant_names
from biascore.results.estimates import Estimate
from biascore.results.measurement import Measurement
from biascore.results.run import Run
from biascore.results.verdicts import Role, RunVerdict, State, note_of
from biascore.results.words.effects import SIZES, Size, ends_of, side_of

PARTS: Final = (0.1, 0.25, 0.5)
TIMES: Final = (1.0, 2.0, 4.0)
RANGES: Final = {"share": (0.0, 1.0), "%": (0.0, 100.0), "score": (0.0, 1.0)}
"""The least and the greatest value of units that have such, for estimates that do not say theirs."""


class Scale(NamedTuple):
    """From which distance to what no bias gives each further shade begins, and the words for it."""

    steps: tuple[float, ...]
    told: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A measurement on the map: ``side`` is up, down or none, ``step`` its shade, from 1 to 4, or 0."""

    number: int
    value: str
    side: str
    step: int
    state: State
    told: str


@dataclass(frozen=True, slots=True)
class MapRow:
    """A test, with what lies on its positive side, and its cells, column by column.

    ``on``: of what the one cell is, where there is one column.
    """

    title: str
    test: str
    above: str
    on: str
    cells: tuple[list[Cell], ...]


@dataclass(frozen=True, slots=True)
class Group:
    """The tests of one concept."""

    name: str
    rows: tuple[MapRow, ...]


class Column(NamedTuple):
    """A method on a model."""

    model: str
    method: str


def every_test(run: Run) -> Part | None:
    """A row for each test and subject, grouped by concept, and a column for each model and method; no checks of the tests.

    Where each test has one cell, there is one column, and the row says of what it is.
    """
    mine = [
        (number, m, said)
        for number, (m, said) in enumerate(zip(run, run.verdicts, strict=True), start=1)
        if said.role not in (Role.CONTROL, Role.BASELINE)  # which have rows of their own
    ]
    if not mine:
        return None
    several = len({m.metric for _, m, _ in mine}) > 1
    names, same = (method_names if several else variant_names)(run), repeated(run)
    models = list(dict.fromkeys(m.model for _, m, _ in mine))
    columns = list(dict.fromkeys(Column(m.model, names[m.method]) for _, m, _ in mine))
    columns.sort(key=lambda column: models.index(column.model))
    groups: dict[str, dict[_Key, dict[Column, list[Cell]]]] = {}
    heads: dict[_Key, tuple[str, str]] = {}
    for number, measurement, said in mine:
        for estimate in filter(None, (measurement.first, measurement.headline)):
            key = _Key(measurement.test, measurement.subject, estimate.name if measurement.first else "")
            title = ": ".join(filter(None, [measurement.titled, key.estimate]))
            heads.setdefault(key, (title, _above(measurement, estimate)))
            row = groups.setdefault(measurement.concept, {}).setdefault(key, {})
            cells = row.setdefault(Column(measurement.model, names[measurement.method]), [])
            if not cells or measurement.method not in same:
                cells.append(_cell(number, measurement, said, estimate))
    single = len(columns) > 1 and all(len(row) == 1 for rows in groups.values() for row in rows.values())
    shown_groups = [
        Group(
            concept,
            tuple(
                MapRow(
                    heads[key][0],
                    key.test,
                    heads[key][1],
                    " · ".join(filter(None, next(iter(cells)))) if single else "",
                    tuple(cells.values()) if single else tuple(cells.get(c, []) for c in columns),
                )
                for key, cells in rows.items()
            ),
        )
        for concept, rows in groups.items()
    ]
    columns = [Column("Effect", "")] if single else columns
    estimates = [(m, one) for _, m, _ in mine for one in filter(None, (m.first, m.headline))]
    measured = [(m, one) for m, one in estimates if one.value is not None]
    values = {
        "groups": shown_groups,
        "columns": columns,
        "models": _spans(columns),
        "methods": len({column.method for column in columns}) > 1,
        "constant": "" if several else mine[0][1].method if len(names) == 1 else mine[0][1].metric,
        "scales": list(dict.fromkeys(scale.told for of in measured if (scale := scale_of(*of)))),
        "unscaled": list(dict.fromkeys(one.name for m, one in measured if not scale_of(m, one))),
        "wide": len(columns) > 6,
    }
    return Part("every-test", "Every test", "every_test", values)


class _Key(NamedTuple):
    """A row: a test on a subject, and the estimate where a measurement has two rows."""

    test: str
    subject: str
    estimate: str


def _above(measurement: Measurement, estimate: Estimate) -> str:
    """What lies above the neutral value of the headline, or of the estimate to read before it."""
    if estimate is measurement.headline:
        return ends_of(measurement).above
    return estimate.sides[0] if estimate.sides else ""


def _cell(number: int, measurement: Measurement, said: RunVerdict, estimate: Estimate) -> Cell:
    decides = estimate is measurement.headline
    state = State.of(measurement, said) if decides else State.DESCRIBED
    where = f"{measurement.titled} on {measurement.model}, {measurement.method}"
    if estimate.value is None:
        return Cell(number, "–", "none", 0, State.NOT_MEASURED, f"{where}: {State.NOT_MEASURED}")
    size = Size.of(estimate, decided=state in (State.DETECTED, State.HINT))
    note = note_of(measurement, said) if decides else ""
    below = ends_of(measurement).below if decides else estimate.sides
    side = side_of(estimate) if below else 0
    text = true_minus(estimate.texts().value)
    if side > 0 and not estimate.neutral:
        text = f"+{text}"
    return Cell(
        number,
        text,
        {1: "up", -1: "down", 0: "none"}[side],
        _step(measurement, estimate),
        state,
        "; ".join(filter(None, [f"{where}: {size.text if size else ''}", state.value, note])),
    )


def scale_of(measurement: Measurement, headline: Estimate) -> Scale | None:
    """What is large: by the convention of the unit, by what is possible or by the stated bound; None where none is known."""
    stated = measurement.equivalence
    if headline.unit in SIZES:
        steps = tuple(limit for limit, _ in SIZES[headline.unit][:-1])
        return Scale(steps, f"from {_listed(steps)} {headline.unit} (Cohen)")
    low, high = headline.limits or RANGES.get(headline.unit, (0.0, 0.0))
    most = max(high - _no_bias(headline), _no_bias(headline) - low)
    if high > low and most > 0:
        told = f"from a tenth, a quarter and a half of the largest effect possible ({most:g})"
        return Scale(tuple(part * most for part in PARTS), f"{headline.name}: {told}")
    if stated is not None and stated.of == headline.name and stated.bound > 0:
        steps = tuple(times * stated.bound for times in TIMES)
        return Scale(steps, f"{headline.name}: darker is further beyond the bound ({shown(stated.bound)})")
    return None


def _no_bias(headline: Estimate) -> float:
    return (headline.neutral if headline.chance is None else headline.chance) or 0.0


def _step(measurement: Measurement, estimate: Estimate) -> int:
    """The shade, or 0 where nothing says what is large."""
    scale, value = scale_of(measurement, estimate), estimate.value
    if scale is None or value is None:
        return 0
    return 1 + sum(abs(value - _no_bias(estimate)) >= step for step in scale.steps)


def _listed(steps: Sequence[float]) -> str:
    return f"{', '.join(f'{step:g}' for step in steps[:-1])} and {steps[-1]:g}"


def _spans(columns: Sequence[Column]) -> list[tuple[str, int]]:
    """The models with the number of their columns."""
    found: dict[str, int] = {}
    for column in columns:
        found[column.model] = found.get(column.model, 0) + 1
    return list(found.items())
