"""The map: every test on every model, each cell with direction, size and sureness, and a link to its details."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from biascore.basics.wording import true_minus
from biascore.report.parts.part import Part
from biascore.report.variants import method_names, repeated, variant_names
from biascore.results.effect_words import SIZES, Size, ends_of, side_of
from biascore.results.estimates import Estimate
from biascore.results.measurement import Measurement
from biascore.results.run import Run
from biascore.results.verdicts import BASELINE, Role, RunVerdict, State, specificity_told

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
    """A row for each test and subject, grouped by concept, and a column for each model and method.

    Where each test has one cell, there is one column, and the row says of what it is.
    """
    if not len(run):
        return None
    several = len({m.metric for m in run}) > 1
    names, same = (method_names if several else variant_names)(run), repeated(run)
    controls = {m.model for m, said in zip(run, run.verdicts, strict=True) if said.role is Role.CONTROL}
    models = sorted(dict.fromkeys(m.model for m in run), key=lambda model: model in controls)
    columns = list(dict.fromkeys(Column(m.model, names[m.method]) for m in run))
    columns.sort(key=lambda column: models.index(column.model))
    groups: dict[str, dict[tuple[str, str], dict[Column, list[Cell]]]] = {}
    first: dict[tuple[str, str], Measurement] = {}
    for number, (measurement, said) in enumerate(zip(run, run.verdicts, strict=True), start=1):
        key = (measurement.test, measurement.subject)
        first.setdefault(key, measurement)
        row = groups.setdefault(measurement.concept, {}).setdefault(key, {})
        cells = row.setdefault(Column(measurement.model, names[measurement.method]), [])
        if not cells or measurement.method not in same:
            cells.append(_cell(number, measurement, said))
    single = len(columns) > 1 and all(len(row) == 1 for rows in groups.values() for row in rows.values())
    shown_groups = [
        Group(
            concept,
            tuple(
                MapRow(
                    first[key].titled,
                    key[0],
                    ends_of(first[key]).above,
                    " · ".join(next(iter(cells))) if single else "",
                    tuple(cells.values()) if single else tuple(cells.get(c, []) for c in columns),
                )
                for key, cells in rows.items()
            ),
        )
        for concept, rows in groups.items()
    ]
    # A baseline is no finding, and so stands last.
    shown_groups.sort(key=lambda group: group.name == BASELINE)
    columns = [Column("Effect", "")] if single else columns
    measured = [m for m in run if m.headline.value is not None]
    values = {
        "groups": shown_groups,
        "columns": columns,
        "models": _spans(columns),
        "methods": len({column.method for column in columns}) > 1,
        "constant": "" if several else run[0].method if len(names) == 1 else run[0].metric,
        "scales": list(dict.fromkeys(scale.told for m in measured if (scale := scale_of(m)))),
        "unscaled": list(dict.fromkeys(m.headline.name for m in measured if not scale_of(m))),
        "wide": len(columns) > 6,
    }
    return Part("every-test", "Every test", "every_test", values)


def _cell(number: int, measurement: Measurement, said: RunVerdict) -> Cell:
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
        _step(measurement),
        state,
        "; ".join(filter(None, [f"{where}: {size.text if size else ''}", state.value, topics])),
    )


def scale_of(measurement: Measurement) -> Scale | None:
    """What is large: by the convention of the unit, by what is possible or by the stated bound; None where none is known."""
    headline, stated = measurement.headline, measurement.equivalence
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
        return Scale(steps, f"{headline.name}: from 1, 2 and 4 times the stated bound of {stated.bound:g}")
    return None


def _no_bias(headline: Estimate) -> float:
    return (headline.neutral if headline.chance is None else headline.chance) or 0.0


def _step(measurement: Measurement) -> int:
    """The shade, or 0 where nothing says what is large."""
    scale, value = scale_of(measurement), measurement.headline.value
    if scale is None or value is None:
        return 0
    return 1 + sum(abs(value - _no_bias(measurement.headline)) >= step for step in scale.steps)


def _listed(steps: Sequence[float]) -> str:
    return f"{', '.join(f'{step:g}' for step in steps[:-1])} and {steps[-1]:g}"


def _spans(columns: Sequence[Column]) -> list[tuple[str, int]]:
    """The models with the number of their columns."""
    found: dict[str, int] = {}
    for column in columns:
        found[column.model] = found.get(column.model, 0) + 1
    return list(found.items())
