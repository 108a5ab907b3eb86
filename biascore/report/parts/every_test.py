"""The map: every test on every model, each cell with direction, size and sureness, and a link to its details."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from biascore.basics.wording import true_minus
from biascore.report.parts.part import Part
from biascore.report.texts import method_names
from biascore.results.effect_words import SIZES, Size, ends_of, side_of
from biascore.results.measurement import Measurement
from biascore.results.run import Run
from biascore.results.verdicts import BASELINE, RunVerdict, State, specificity_told

STEPS: Final = 4


@dataclass(frozen=True, slots=True)
class Cell:
    """A measurement on the map: ``side`` is up, down or none, ``step`` from 0 to STEPS how far it lies from neutral."""

    number: int
    value: str
    side: str
    step: int
    state: State
    told: str


@dataclass(frozen=True, slots=True)
class MapRow:
    """A test, with what lies on its positive side, and its cells, column by column."""

    title: str
    test: str
    above: str
    cells: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Group:
    """The tests of one concept."""

    name: str
    rows: tuple[MapRow, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A method on a model."""

    model: str
    method: str


def every_test(run: Run) -> Part | None:
    """A row for each test and subject, grouped by concept, and a column for each model and method."""
    if not len(run):
        return None
    names = method_names(run)
    columns = list(dict.fromkeys(Column(m.model, names[m.method]) for m in run))
    columns.sort(key=lambda column: list(dict.fromkeys(m.model for m in run)).index(column.model))
    reach = _reach(run)
    groups: dict[str, dict[tuple[str, str], dict[Column, list[Cell]]]] = {}
    first: dict[tuple[str, str], Measurement] = {}
    for number, (measurement, said) in enumerate(zip(run, run.verdicts, strict=True), start=1):
        key = (measurement.test, measurement.subject)
        first.setdefault(key, measurement)
        row = groups.setdefault(measurement.concept, {}).setdefault(key, {})
        column = Column(measurement.model, names[measurement.method])
        row.setdefault(column, []).append(_cell(number, measurement, said, reach))
    shown_groups = [
        Group(
            concept,
            tuple(
                MapRow(
                    first[key].titled,
                    key[0],
                    ends_of(first[key]).above,
                    tuple(tuple(cells.get(c, ())) for c in columns),
                )
                for key, cells in rows.items()
            ),
        )
        for concept, rows in groups.items()
    ]
    # What checks the ruler is no finding, and so stands last.
    shown_groups.sort(key=lambda group: group.name == BASELINE)
    units = {m.headline.unit for m in run if m.headline.value is not None}
    values = {
        "groups": shown_groups,
        "columns": columns,
        "models": _spans(columns),
        "methods": len({column.method for column in columns}) > 1,
        "constant": "; ".join(dict.fromkeys(m.method for m in run)) if len(names) == 1 else "",
        "scaled": sorted(unit for unit in units if unit not in SIZES),
        "worded": sorted(unit for unit in units if unit in SIZES),
        "wide": len(columns) > 6,
    }
    return Part("every-test", "Every test", "every_test", values)


def _cell(number: int, measurement: Measurement, said: RunVerdict, reach: dict[str, float]) -> Cell:
    headline, ends, state = measurement.headline, ends_of(measurement), State.of(measurement, said)
    where = f"{measurement.titled} on {measurement.model}, {measurement.method}"
    if headline.value is None:
        return Cell(number, "–", "none", 0, state, f"{where}: {state}")
    size = Size.of(headline, decided=state in (State.DETECTED, State.HINT))
    topics = specificity_told(measurement, said)
    side = side_of(headline) if ends.below else 0
    text = true_minus(headline.texts().value)
    if side > 0 and not headline.neutral:
        text = f"+{text}"
    return Cell(
        number,
        text,
        {1: "up", -1: "down", 0: "none"}[side],
        _step(measurement, reach),
        state,
        "; ".join(filter(None, [f"{where}: {size.text if size else ''}", state.value, topics])),
    )


def _away(measurement: Measurement) -> float:
    """How far the headline lies from what no bias gives."""
    headline = measurement.headline
    no_bias = headline.neutral if headline.chance is None else headline.chance
    return 0.0 if headline.value is None else abs(headline.value - (no_bias or 0.0))


def _reach(measurements: Iterable[Measurement]) -> dict[str, float]:
    """The farthest of each unit and name, for those that no convention has words for."""
    found: dict[str, float] = {}
    for measurement in measurements:
        key = f"{measurement.headline.unit} {measurement.headline.name}"
        found[key] = max(found.get(key, 0.0), _away(measurement))
    return found


def _step(measurement: Measurement, reach: dict[str, float]) -> int:
    """The shade: by the limits of the unit's convention, or in quarters of the farthest value of the run."""
    headline, away = measurement.headline, _away(measurement)
    limits = SIZES.get(headline.unit)
    if limits:
        return 1 + next(place for place, (limit, _) in enumerate(limits) if away < limit)
    most = reach[f"{headline.unit} {headline.name}"]
    return min(STEPS, 1 + int(STEPS * away / most)) if most else 1


def _spans(columns: Sequence[Column]) -> list[tuple[str, int]]:
    """The models with the number of their columns."""
    found: dict[str, int] = {}
    for column in columns:
        found[column.model] = found.get(column.model, 0) + 1
    return list(found.items())
