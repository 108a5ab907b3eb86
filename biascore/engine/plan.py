"""What a run will ask and cost, and its table as people read it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal, TypeAlias, get_args

from biascore.basics.frozen import Frozen
from biascore.basics.surface import either
from biascore.basics.wording import duration
from biascore.engine.out_of_reach import OutOfReach
from biascore.engine.prices import Price, Prices, price_of
from biascore.models.questions.cost import Cost

_HEADER: Final = (
    *("model", "hook", "counts", "questions", "unique", "cached", "to ask"),
    *("passes", "one by one", "tokens", "tokens out", "requests", "characters", "time"),
)
_OF_SERVICES: Final = ("tokens out", "requests")
"""Columns that tell nothing where nothing is written and no server is asked."""


Counts: TypeAlias = Literal["exact", "at most", "approximate"]
_BY_ACCURACY: Final[tuple[Counts, ...]] = get_args(Counts)


class PlanPart(Frozen):
    """What masked questions of one kind cost: hiding a token at a time, or words whole."""

    kind: str
    asked: int
    cost: Cost

    @property
    def told(self) -> str:
        """The kind with its passes."""
        passes = "" if self.cost.passes is None else f", {self.cost.passes:,} passes"
        naive = "" if self.cost.naive_passes is None else f" ({self.cost.naive_passes:,} one by one)"
        return f"{self.kind}: {self.asked:,} to ask{passes}{naive}"


class QuestionPlan(Frozen):
    """The questions for one hook of one model.

    ``put``: by the metrics; ``unique``: distinct ones; ``cached``: those that the cache answers, also
    because an earlier model of the audit is the same one; ``asked``: what is left for the model, at
    ``cost``. ``seconds`` is what asking takes by the clock, ``processor_seconds`` of this process's own,
    None where it was not probed, and ``probed`` how many questions were asked to find out. Counts are "approximate" where a
    metric is adaptive or stopped, and "at most" where it was asked for its number of queries and put only some,
    so that their ``cost`` is not known. ``parts`` are what each kind of masked question costs. ``paid``: whether the model
    may charge.
    """

    model: str
    hook: str
    counts: Counts
    put: int
    unique: int
    cached: int
    asked: int
    cost: Cost
    seconds: float | None
    processor_seconds: float | None = None
    probed: int = 0
    parts: tuple[PlanPart, ...] = ()
    paid: bool = False


class Stopped(Frozen):
    """What could not be rehearsed to its end: a measurement or a probe, on which model, and the error."""

    model: str
    what: str
    error: str


class Plan(Frozen):
    """What a run of an audit will ask: a row per model and hook, and what kept the plan from being exact.

    ``other_seconds`` is the time to open the models and to compute the metrics, by the clock of the
    rehearsal, which did just that; ``processor_seconds`` of these are this process's own, and the rest went to files,
    networks and other programs. ``out_of_reach``: verdicts that tests cannot come to, whatever the models answer.
    ``whole``: whether every metric was rehearsed whole, which that time needs.
    """

    title: str
    rows: tuple[QuestionPlan, ...]
    stopped: tuple[Stopped, ...]
    other_seconds: float
    processor_seconds: float
    out_of_reach: tuple[OutOfReach, ...] = ()
    whole: bool = True

    @property
    def total(self) -> QuestionPlan:
        """All rows together; a cost or time that one row does not know is not known."""
        return total_of(self.rows, "all", "all")

    def to_json(self) -> dict[str, Any]:
        """Rows, total and what stopped, as plain values."""
        return {**self.model_dump(mode="json"), "total": self.total.model_dump(mode="json")}

    @property
    def table(self) -> tuple[tuple[str, ...], ...]:
        """The cells that people read, a header first; "-" is not known.

        Columns in which nothing is known are left out, the one that says "exact" of all, and those of services where there
        is none.
        """
        return table_of([*self.rows, self.total] if len(self.rows) > 1 else self.rows)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the table does not say, a sentence each."""
        total = self.total
        found = [one.told for one in self.out_of_reach]
        found += [f"{stop.what} on {stop.model} stopped: {stop.error}" for stop in self.stopped]
        if total.counts == "approximate":
            found.append(
                "approximate: a metric stopped, or its queries depend on answers that only a run has"
            )
        found += [
            f"{row.hook} of {row.model}: {'; '.join(part.told for part in row.parts)}"
            for row in self.rows
            if len(row.parts) > 1
        ]
        found += total.cost.notes
        if any(row.cost.tokens_out for row in self.rows):
            found.append("tokens out: at most, answers as long as the options of the model allow")
        if total.probed:
            found.append(f"timed on {total.probed} queries, whose answers are not kept")
        if total.seconds is None:
            found.append("no time where nothing was timed")
        if not self.whole:
            found.append(
                f"computing the metrics is not in it; {either('--exact', 'whole=True')} rehearses it"
            )
            return tuple(found)
        own, clock = duration(self.processor_seconds), duration(self.other_seconds)
        took = own if own == clock else f"{own} of processor time ({clock} by the clock, now)"
        found.append(f"opening the models and computing the metrics takes {took} in a run")
        return tuple(found)

    def price(self, prices: Prices) -> Price:
        """What services with a key charge at most for what the cache does not answer, at these prices."""
        return price_of([(row.model, row.cost) for row in self.rows if row.paid and row.asked], prices)

    def readable(self) -> str:
        """Table and notes as text of fixed width."""
        widths = [max(map(len, column)) for column in zip(*self.table, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in self.table]
        return "\n".join([self.title, *lines, *self.notes])


def total_of(rows: Sequence[QuestionPlan], model: str, hook: str) -> QuestionPlan:
    """The rows as one; a cost or time that one of them does not know is not known."""

    def added(seconds: Sequence[float | None]) -> float | None:
        known = [value for value in seconds if value is not None]
        return sum(known) if len(known) == len(seconds) else None

    return QuestionPlan(
        model=model,
        hook=hook,
        counts=max((row.counts for row in rows), key=_BY_ACCURACY.index, default="exact"),
        put=sum(row.put for row in rows),
        unique=sum(row.unique for row in rows),
        cached=sum(row.cached for row in rows),
        asked=sum(row.asked for row in rows),
        cost=sum((row.cost for row in rows), start=Cost.none()),
        seconds=added([row.seconds for row in rows]),
        processor_seconds=added([row.processor_seconds for row in rows]),
        probed=sum(row.probed for row in rows),
        parts=parts_of(part for row in rows for part in row.parts),
        paid=any(row.paid for row in rows),
    )


def parts_of(found: Iterable[PlanPart]) -> tuple[PlanPart, ...]:
    """One part for each kind."""
    parts: dict[str, list[PlanPart]] = {}
    for part in found:
        parts.setdefault(part.kind, []).append(part)
    return tuple(
        PlanPart(
            kind=kind,
            asked=sum(part.asked for part in some),
            cost=sum((part.cost for part in some), start=Cost.none()),
        )
        for kind, some in parts.items()
    )


def table_of(rows: Sequence[QuestionPlan]) -> tuple[tuple[str, ...], ...]:
    """A header and the cells of each row, without columns that tell nothing: all "-", "exact" of all, or 0 of services."""
    whole = (_HEADER, *(_cells(row) for row in rows))
    nothing = {"counts": {"-", "exact"}} | {name: {"-", "0"} for name in _OF_SERVICES}
    columns = enumerate(zip(*whole, strict=True))
    kept = [i for i, (name, *cells) in columns if not {*cells} <= nothing.get(name, {"-"})]
    return tuple(tuple(row[i] for i in kept) for row in whole)


def _cells(row: QuestionPlan) -> tuple[str, ...]:
    cost = row.cost
    numbers = (
        *(row.put, row.unique, row.cached, row.asked),
        *(cost.passes, cost.naive_passes, cost.tokens, cost.tokens_out, cost.requests, cost.characters),
    )
    cells = ("-" if number is None else f"{number:,}" for number in numbers)
    return (row.model, row.hook, row.counts, *cells, "-" if row.seconds is None else duration(row.seconds))
