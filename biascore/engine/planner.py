"""Finds what a run will ask and cost by rehearsing it: every metric runs, and no model is asked."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from biascore.basics.progress import Progress, Silent
from biascore.engine.out_of_reach import OutOfReach
from biascore.engine.plan import Plan, PlanPart, QuestionPlan, Stopped, parts_of, total_of
from biascore.engine.rehearsal import DIMENSIONS, Group, Rehearsal, Scratch, Tally, rehearsed
from biascore.metric import Metric
from biascore.models.model import Model
from biascore.models.pipeline.cache import Cache, CacheWarning
from biascore.models.questions.cost import Cost, characters
from biascore.stimuli import Test

PROBE_QUESTIONS: Final = 256
PROBE_SECONDS: Final = 3.0
"""The probe asks more and more at once, up to so many or a sixteenth of all, while it expects less time than that.

Small samples mislead: what a call takes whatever its size is spread over few questions there.
"""
_GROWTH: Final = 4
_SHARE: Final = 16
_FIRST: Final = 16
"""With so many a model is warmed up before a batch is timed."""


class Planner:
    """Rehearses an audit model by model; what one model would leave in the cache, the next one finds.

    Raises nothing that a metric or a model raises: that is noted as stopped.
    """

    def __init__(
        self,
        cache: Cache,
        progress: Progress | None = None,
        clock: Callable[[], float] = time.perf_counter,
        processor: Callable[[], float] = time.process_time,
    ) -> None:
        self._cache = cache
        self._progress = progress or Silent()
        self._clock = clock
        self._processor = processor
        self._placeholders: dict[bytes, bytes] = {}
        self._rows: list[QuestionPlan] = []
        self._stopped: list[Stopped] = []
        self._other = _Took()

    def rehearse(
        self,
        name: str,
        open_model: Callable[[str], Model],
        measurements: Sequence[tuple[Metric, Test]],
        measure: Callable[[Metric, Model, Test, Callable[[str], Model]], object],
        *,
        probe: Callable[[str], bool],
    ) -> None:
        """Add the questions that these measurements ask a model, and to second models that they open.

        ``probe`` says which models may be asked some of them.
        """
        with self._timed(self._other):
            open_model(name)
        done = self._perform(name, open_model, measurements, measure, {})
        real = {
            key: rehearsal.seen_dimensions
            for key, rehearsal in done.rehearsals.items()
            if rehearsal.seen_dimensions is not None
        }
        if done.scratch.given and real:
            # Vectors from the cache do not go with placeholders of another length; now that is known.
            done = self._perform(name, open_model, measurements, measure, real)
        self._placeholders = done.scratch.placeholders
        self._stopped += done.stopped
        self._other.clock += done.took.clock
        self._other.processor += done.took.processor
        for key, rehearsal in done.rehearsals.items():
            approximate = done.approximate if key == name else done.approximate & rehearsal.tallies.keys()
            for hook in sorted(rehearsal.tallies.keys() | approximate):
                tally = rehearsal.tallies.get(hook, Tally())
                row = self._row(key, rehearsal, hook, tally, exact=hook not in approximate, probe=probe(key))
                self._add(row)

    def plan(self, title: str, out_of_reach: tuple[OutOfReach, ...] = (), *, whole: bool = True) -> Plan:
        """What was rehearsed so far."""
        return Plan(
            title=title,
            rows=tuple(self._rows),
            stopped=tuple(self._stopped),
            other_seconds=self._other.clock,
            processor_seconds=self._other.processor,
            out_of_reach=out_of_reach,
            whole=whole,
        )

    def _add(self, row: QuestionPlan) -> None:
        """Add a row, or the numbers of it to the row of the same model and hook."""
        for position, other in enumerate(self._rows):
            if (other.model, other.hook) == (row.model, row.hook):
                self._rows[position] = total_of([other, row], row.model, row.hook)
                return
        self._rows.append(row)

    def _perform(
        self,
        name: str,
        open_model: Callable[[str], Model],
        measurements: Sequence[tuple[Metric, Test]],
        measure: Callable[[Metric, Model, Test, Callable[[str], Model]], object],
        dimensions: Mapping[str, int],
    ) -> _Performed:
        done = _Performed(Scratch(self._cache, self._placeholders))

        models: dict[str, Model] = {}

        def rehearsal_of(key: str) -> Model:
            if key not in models:
                length = dimensions.get(key, DIMENSIONS)
                models[key], done.rehearsals[key] = rehearsed(open_model(key), done.scratch, length)
            return models[key]

        model, counting = rehearsal_of(name), done.rehearsals[name]
        label = f"{model.name}: rehearsal"
        with (
            self._timed(done.took),
            self._progress.task(label, len(measurements)) as advance,
            warnings.catch_warnings(),
        ):
            # Of placeholders nobody wants to hear; of the cache they do.
            warnings.simplefilter("ignore")
            warnings.filterwarnings("default", category=CacheWarning)
            for metric, test in measurements:
                given, put = done.scratch.given, counting.put()
                stopped = False
                try:
                    most = measure(metric, model, test, rehearsal_of)
                    for hook, count in most.items() if isinstance(most, Mapping) else ():
                        tally = counting.tallies[hook]
                        tally.beyond += max(0, count - tally.put + put.get(hook, 0))
                except Exception as error:  # placeholders may lead a stranger's metric anywhere
                    stopped = True
                    done.stopped.append(_stopped(model.name, f"{metric.name} {test.id}", error))
                if stopped or (metric.adaptive and done.scratch.given > given):
                    used = {hook for hook, count in counting.put().items() if count > put.get(hook, 0)}
                    done.approximate |= metric.requires | used
                if counting.steps_unknown:
                    done.approximate.add("embed")
                advance(1)
        return done

    @contextmanager
    def _timed(self, took: _Took) -> Iterator[None]:
        """Add what is done within."""
        clock, processor = self._clock(), self._processor()
        try:
            yield
        finally:
            took.clock += self._clock() - clock
            took.processor += self._processor() - processor

    def _row(
        self, name: str, rehearsal: Rehearsal, hook: str, tally: Tally, *, exact: bool, probe: bool
    ) -> QuestionPlan:
        groups = tally.groups.values()
        put = sum(len(group.questions) for group in groups)
        seconds: float | None = None if groups or tally.beyond else 0.0
        probed = 0
        if probe and groups:
            try:
                asking = self._probe_batch if tally.beyond else self._probe
                times = [asking(rehearsal, group) for group in groups]
            except Exception as error:  # a model may fail in any way, and the counts stand all the same
                self._stopped.append(_stopped(name, f"the probe of {hook}", error))
            else:
                seconds = sum(time for time, _ in times) * (1 + tally.beyond / put)
                probed = sum(asked for _, asked in times)
        return QuestionPlan(
            model=name,
            hook=hook,
            counts=("at most" if tally.beyond else "exact") if exact else "approximate",
            put=tally.put + tally.beyond,
            unique=tally.unique + tally.beyond,
            cached=tally.cached,
            asked=put + tally.beyond,
            cost=Cost() if tally.beyond else sum((group.cost for group in groups), start=Cost.none()),
            seconds=seconds,
            probed=probed,
            parts=parts_of(
                PlanPart(kind=g.kind, asked=len(g.questions), cost=g.cost)
                for g in groups
                if g.kind and not tally.beyond
            ),
            paid=rehearsal.source.paid,
        )

    def _probe_batch(self, rehearsal: Rehearsal, group: Group) -> tuple[float, int]:
        """The same, from a batch as a run has it: from the middle, in its order, for what begins alike takes less together.

        What a process does once comes before, and is not timed.
        """
        every = group.questions
        most = min(len(every), rehearsal.batch)
        size = asked = min(most, _FIRST)
        self._ask(rehearsal, group, every[:size])
        while True:
            start = (len(every) - size) // 2
            sample = every[start : start + size]
            seconds = self._ask(rehearsal, group, sample)
            asked += size
            larger = min(most, int(size * PROBE_SECONDS / max(seconds, 1e-6)))
            if larger < 2 * size:
                return self._scaled(rehearsal, group, sample, seconds), asked
            size = larger

    def _scaled(self, rehearsal: Rehearsal, group: Group, sample: Sequence[Any], seconds: float) -> float:
        """What the whole group takes if the sample takes so many seconds: by tokens, where they are known."""
        part, whole = rehearsal.cost(group.hook, sample).tokens, group.cost.tokens
        return seconds * (whole / part if part and whole else len(group.questions) / len(sample))

    def _probe(self, rehearsal: Rehearsal, group: Group) -> tuple[float, int]:
        """Seconds that all questions of the group take, from some of them, and how many were asked."""
        most = max(1, min(len(group.questions) // _SHARE, rehearsal.batch, PROBE_QUESTIONS))
        sample: list[Any] = []
        seconds = slope = 0.0
        asked = 0
        while len(sample) < most:
            size = min(most, max(1, _GROWTH * len(sample)))
            if seconds + slope * (size - len(sample)) > PROBE_SECONDS:
                break
            larger = _spread(group.questions, size)
            # The first call of a size may be much slower than those after it.
            took = min(self._ask(rehearsal, group, larger), self._ask(rehearsal, group, larger))
            slope = max(0.0, took - seconds) / (size - len(sample))
            sample, seconds, asked = larger, took, asked + 2 * size
        return self._scaled(rehearsal, group, sample, seconds), asked

    def _ask(self, rehearsal: Rehearsal, group: Group, sample: Sequence[Any]) -> float:
        """Seconds that the model takes for the sample."""
        start = self._clock()
        rehearsal.ask(group.hook, sample)
        return self._clock() - start


@dataclass(slots=True)
class _Took:
    """Seconds by the clock, and of the processor in this process."""

    clock: float = 0.0
    processor: float = 0.0


@dataclass(slots=True)
class _Performed:
    """One rehearsal of all measurements on one model; ``approximate`` are hooks.

    ``rehearsals`` are of the model and of the second models that its measurements opened.
    """

    scratch: Scratch
    rehearsals: dict[str, Rehearsal] = field(default_factory=dict)
    stopped: list[Stopped] = field(default_factory=list)
    approximate: set[str] = field(default_factory=set)
    took: _Took = field(default_factory=_Took)


def _spread(questions: Sequence[Any], size: int) -> list[Any]:
    """So many of the questions, from the shortest text to the longest at even steps."""
    ordered = sorted(questions, key=characters)
    return [ordered[int(i)] for i in (np.arange(size) + 0.5) * len(ordered) / size]


def _stopped(model: str, what: str, error: Exception) -> Stopped:
    return Stopped(model=model, what=what, error=f"{type(error).__name__}: {error}")
