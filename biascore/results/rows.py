"""The one row that every surface shows: a name, its estimates on an axis, a state and a link.

Report, terminal, notebook, comparison and board draw rows; only this file makes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, floor
from typing import Final

from biascore.basics.frozen import Frozen
from biascore.basics.wording import figures, shown, some_of, true_minus
from biascore.results.comparison import Difference, Outcome
from biascore.results.estimates import Estimate, format_p
from biascore.results.failure import Failure
from biascore.results.measurement import Measurement
from biascore.results.verdicts import RunVerdict, State, note_of
from biascore.results.words.answers import Answer
from biascore.results.words.effects import ends_of

FAILED: Final = "failed"
"""The state of a row whose measurements failed: there is nothing to draw."""
_EITHER: Final = (State.INCONCLUSIVE.value, State.NOT_MEASURED.value)
"""States that decide no direction."""


class Axis(Frozen):
    """What estimates can share a picture: their name and unit, the ``neutral`` value, and the ``bound`` around it.

    ``limits``: whole numbers that no value lies beyond. None where there is none.
    ``chance``: what chance alone gives on average, of distances and the like; their neutral value is no difference, which
    is not what a model without bias has. ``meant``: what the neutral value means.
    """

    name: str
    unit: str
    neutral: float | None
    bound: float | None = None
    limits: tuple[float, float] | None = None
    chance: float | None = None
    meant: str = "no bias"

    @classmethod
    def of(cls, measurement: Measurement) -> Axis:
        """The axis of a headline; its bound is drawn only where it is of the headline itself."""
        one, stated = measurement.headline, measurement.equivalence
        bound = stated.bound if stated is not None and stated.of == one.name else None
        # The most that d can be depends on how many words there are, and tests of one axis differ in that.
        limits = (float(floor(one.limits[0])), float(ceil(one.limits[1]))) if one.limits else None
        return cls(
            name=one.name,
            unit=one.unit,
            neutral=one.neutral,
            bound=bound,
            limits=limits,
            chance=one.chance,
            meant="no bias" if one.chance is None else "no difference",
        )


class Mark(Frozen):
    """A measurement on an axis: its value, and the ends of its interval where it has one.

    ``number`` is its place in the run, from 0.
    """

    number: int
    test: str
    state: str
    value: float
    low: float | None = None
    high: float | None = None

    @property
    def ends(self) -> tuple[float, float]:
        """From where to where it is drawn."""
        return (
            self.value if self.low is None else self.low,
            self.value if self.high is None else self.high,
        )


class Row(Frozen):
    """A ground, a test or a failure on one model.

    ``says``: the direction, where one is decided; else why there is none. ``value`` and ``interval`` are the
    texts of ``lead``, the measurement that represents the row; ``others`` are the rest on the same ``axis``, and ``apart``
    counts those of another. ``counts``: how many tests have its state, empty for a single one. ``note``: what belongs with
    the state, such as how many harmless pairs reach it, of ``lead`` alone; ``besides`` names tests of its state of which
    harmless pairs say otherwise. ``sets``: which tests have several option sets, and whether these disagree.
    ``link``: the number of the measurement to go to, from 0.
    """

    model: str
    name: str
    says: str
    state: str
    axis: Axis | None = None
    lead: Mark | None = None
    others: tuple[Mark, ...] = ()
    apart: int = 0
    value: str = ""
    interval: str = ""
    counts: str = ""
    note: str = ""
    besides: str = ""
    sets: str = ""
    link: int | None = None


def ground_rows(
    found: Sequence[Answer],
    measurements: Sequence[Measurement],
    verdicts: Sequence[RunVerdict],
    failed: Iterable[Failure] = (),
) -> tuple[Row, ...]:
    """A row for each answer, in its order, and one for each model and test that failed."""
    rows = []
    for answer in found:
        rest = [number for number in answer.numbers if number != answer.strongest]
        row = test_row(answer.strongest, measurements, verdicts)
        marks = [test_row(number, measurements, verdicts) for number in rest]
        alike = tuple(one.lead for one in marks if one.lead is not None and one.axis == row.axis)
        many = answer.counts.of_state(answer.state)
        rows.append(
            row.model_copy(
                update={
                    "name": answer.about,
                    "says": (answer.decided and answer.direction) or row.says,
                    "state": answer.state.value,
                    "others": alike,
                    "apart": sum(one.lead is not None for one in marks) - len(alike),
                    "counts": f"{many} of {every}" if (every := answer.counts.measurements) > 1 else "",
                    "besides": _besides(answer, measurements, verdicts),
                    "sets": answer.repeated,
                }
            )
        )
    return (*rows, *map(failed_row, failed))


def _besides(answer: Answer, measurements: Sequence[Measurement], verdicts: Sequence[RunVerdict]) -> str:
    """Tests with the state of the lead, of which few pairs of harmless groups reach the effect and of the lead many, or
    the other way round."""
    lead = measurements[answer.strongest].specificity
    if lead is None or answer.state not in (State.DETECTED, State.HINT):
        return ""
    others = [
        f"{one.test}: {one.specificity.told}"
        for number in answer.numbers
        if (one := measurements[number]).specificity is not None
        and State.of(one, verdicts[number]) is answer.state
        and one.specificity.specific is not lead.specific
    ]
    return some_of(others, 1)


def test_row(number: int, measurements: Sequence[Measurement], verdicts: Sequence[RunVerdict]) -> Row:
    """The row of one measurement."""
    one, said = measurements[number], verdicts[number]
    state = State.of(one, said).value
    estimate = one.headline
    mark = _mark(number, one, state)
    value, interval = _texts(estimate)
    return Row(
        model=one.model,
        name=one.titled,
        says=_says(one, state),
        state=state,
        axis=None if mark is None else Axis.of(one),
        lead=mark,
        value=value,
        interval=interval,
        note=note_of(one, said) if estimate.value is not None else one.reason,
        link=number,
    )


def failed_row(failure: Failure) -> Row:
    """The row of a measurement that was not made."""
    return Row(
        model=failure.model, name=failure.test, says=failure.metric, state=FAILED, note=failure.message
    )


def change_row(number: int, one: Difference) -> Row:
    """The row of a change, on an axis of changes; it says the old and the new value, with the decimals of the change."""
    change, ends = one.change, one.change.interval
    values = [one.old.value, one.new.value, change.value, *([ends.low, ends.high] if ends else [])]
    known = [value for value in values if value is not None]
    reach = (ends.low, ends.high) if ends else (0.0, change.value or 0.0)
    texts = iter(figures(*reach, *known)[2:])
    old, new, *moved = ["–" if value is None else true_minus(next(texts)) for value in values]
    signs = [text if text[0] in "−–" else f"+{text}" for text in moved]
    mark = None
    if change.value is not None:
        low, high = (ends.low, ends.high) if ends else (None, None)
        mark = Mark(
            number=number, test=one.test, state=one.outcome.value, value=change.value, low=low, high=high
        )
    flips = bool(one.flipped) and one.outcome is not Outcome.INCONCLUSIVE
    told = [
        "" if one.p_adjusted is None else f"p adj. {format_p(one.p_adjusted)}",
        true_minus(one.note),
        "" if one.paired else "unpaired",
        f"{one.flipped} of {change.n['items']} items flipped" if flips else "",
    ]
    axis = Axis(
        name=f"change of {one.estimate}", unit=change.unit, neutral=0.0, bound=one.bound, meant="no change"
    )
    return Row(
        model=one.models,
        name=" ".join(filter(None, [one.test, one.subject])),
        says=f"{old} → {new}",
        state=one.outcome.value,
        axis=None if mark is None else axis,
        lead=mark,
        value=signs[0],
        interval=" to ".join(signs[1:]),
        note="; ".join(filter(None, told)),
        link=number,
    )


def spans(rows: Iterable[Row]) -> Mapping[Axis, tuple[float, float]]:
    """From where to where each axis of some rows has to reach: all marks, the neutral value and the bound."""
    of: dict[Axis, list[float]] = {}
    for row in rows:
        if row.axis is None:
            continue
        ends = of.setdefault(row.axis, [])
        for mark in filter(None, (row.lead, *row.others)):
            ends.extend(mark.ends)
        if row.axis.chance is not None:
            ends.append(row.axis.chance)
        if row.axis.neutral is not None:
            bound = row.axis.bound or 0.0
            ends.extend((row.axis.neutral - bound, row.axis.neutral + bound))
    return {axis: (min(ends), max(ends)) for axis, ends in of.items()}


def _mark(number: int, one: Measurement, state: str) -> Mark | None:
    estimate = one.headline
    if estimate.value is None:
        return None
    ends = estimate.interval
    return Mark(
        number=number,
        test=one.test,
        state=state,
        value=estimate.value,
        low=ends.low if ends else None,
        high=ends.high if ends else None,
    )


def _says(one: Measurement, state: str) -> str:
    if state in _EITHER or state == State.NEGLIGIBLE.value:
        return {
            State.INCONCLUSIVE.value: "could go either way",
            State.NEGLIGIBLE.value: "no effect beyond the bound",
        }.get(state, "")
    if one.headline.chance is not None:
        return f"chance alone gives {shown(one.headline.chance)} on average"
    return ends_of(one).at(one.headline)


def _texts(estimate: Estimate) -> tuple[str, str]:
    """``+0.51`` and ``+0.05 to +0.83``: signed where no bias is 0."""
    if estimate.value is None:
        return "", ""
    plain = estimate.texts()
    unit = " %" if estimate.unit == "%" else ""
    sign = estimate.neutral == 0 and estimate.chance is None

    def written(text: str, value: float) -> str:
        return true_minus(f"+{text}" if sign and value > 0 and float(text.replace(",", "")) else text)

    ends = estimate.interval
    interval = f"{written(plain.low, ends.low)} to {written(plain.high, ends.high)}{unit}" if ends else ""
    return f"{written(plain.value, estimate.value)}{unit}", interval
