"""Finds what a run will ask and cost by rehearsing it: every metric runs, and no model is asked."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
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
from biascore.models.questions.writing import Settings
from biascore.stimuli import Test

PROBE_QUESTIONS: Final = 256
PROBE_SECONDS: Final = 3.0
LONGEST: Final = 10.0
"""The probe asks more and more at once, up to so many or a sixteenth of all, while it expects less time than that; on a busy
machine less processor time, and less than the longest by the clock.

Small samples mislead: what a call takes whatever its size is spread over few questions there.
"""
_GROWTH: Final = 4
_SHARE: Final = 16
_FIRST: Final = 16
"""With so many a model is warmed up before a batch is timed."""
_OWN: Final = 0.05
"""Where this process has computed for more than that part of the time, its model is not elsewhere."""
_FALL: Final = 0.25
"""A further question of a batch takes that part of what one of the sample takes at least, whatever noise says."""
_TOKENS: Final = (1, 5)
"""So many tokens of a text that a model writes are asked, to time one."""


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
        took = None if groups or tally.beyond else _Took()
        probed = 0
        if probe and groups:
            try:
                times = [self._probe_of(rehearsal, group, batch=bool(tally.beyond)) for group in groups]
            except Exception as error:  # a model may fail in any way, and the counts stand all the same
                self._stopped.append(_stopped(name, f"the probe of {hook}", error))
            else:
                took = sum((time for time, _ in times), start=_Took()) * (1 + tally.beyond / put)
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
            seconds=None if took is None else took.clock,
            processor_seconds=None if took is None else took.processor,
            probed=probed,
            parts=parts_of(
                PlanPart(kind=g.kind, asked=len(g.questions), cost=g.cost)
                for g in groups
                if g.kind and not tally.beyond
            ),
            paid=rehearsal.source.paid,
        )

    def _probe_of(self, rehearsal: Rehearsal, group: Group, *, batch: bool) -> tuple[_Took, int]:
        """What all questions of the group take, from some of them, and how many were asked."""
        settings = group.hook.params.get("settings")
        if isinstance(settings, Settings) and settings.max_tokens > _TOKENS[1]:
            return self._probe_texts(rehearsal, group, settings)
        return (self._probe_batch if batch else self._probe)(rehearsal, group)

    def _probe_texts(self, rehearsal: Rehearsal, group: Group, settings: Settings) -> tuple[_Took, int]:
        """From the first tokens of a text of middle length, as if each were as long as it may be.

        Where its tokens are known, a step of many texts is one of one text, which reads all weights, and for each
        further text what a token of the prompt takes, which is read with others. Else texts are written one by one.
        """
        few, more = _TOKENS
        count = len(group.questions)
        sample = _spread(group.questions, 1)

        def begun(tokens: int) -> _Took:
            params = {**group.hook.params, "settings": replace(settings, max_tokens=tokens)}
            return self._ask(rehearsal, replace(group, hook=replace(group.hook, params=params)), sample)

        begun(few)  # warms the model up
        short, longer = begun(few), begun(more)
        step = (longer - short) * (1 / (more - few))
        reading = short - step * few
        part, whole = rehearsal.cost(group.hook, sample).tokens, group.cost.tokens
        if not part or not whole:
            return (reading + step * settings.max_tokens) * count, 3
        token, together = reading * (1 / part), min(count, rehearsal.batch)
        steps = settings.max_tokens * count / together
        return token * whole + (step + token * (together - 1)) * steps, 3

    def _probe_batch(self, rehearsal: Rehearsal, group: Group) -> tuple[_Took, int]:
        """From a batch as a run has it: from the middle, in its order, for what begins alike takes less together.

        What a process does once comes before, and is not timed. Where time allows less than a batch, the rest of one takes
        what the last ones in the sample took more than those before.
        """
        every = group.questions
        most = min(len(every), rehearsal.batch)
        size = asked = min(most, _FIRST)
        self._ask(rehearsal, group, every[:size])
        before: tuple[int, _Took] | None = None
        while True:
            start = (len(every) - size) // 2
            sample = every[start : start + size]
            took = self._ask(rehearsal, group, sample)
            asked += size
            seconds = max(took.clock, 1e-6)
            times = max(PROBE_SECONDS / seconds, min(PROBE_SECONDS / max(took.own, 1e-6), LONGEST / seconds))
            larger = min(most, int(size * times))
            if larger < 2 * size:
                break
            before, size = (size, took), larger
        scale = self._scale(rehearsal, group, sample)
        if before is not None and size < most:
            fewer, earlier = before
            last = took.own
            first = earlier.processor if last == took.processor else earlier.clock
            each = max(_FALL * last / size, (last - first) / (size - fewer))
            scale *= min(1.0, (last + each * (most - size)) / most / (last / size))
        return took * scale, asked

    def _scale(self, rehearsal: Rehearsal, group: Group, sample: Sequence[Any]) -> float:
        """How much more the whole group takes than the sample: by tokens, where they are known."""
        part, whole = rehearsal.cost(group.hook, sample).tokens, group.cost.tokens
        return whole / part if part and whole else len(group.questions) / len(sample)

    def _probe(self, rehearsal: Rehearsal, group: Group) -> tuple[_Took, int]:
        """From questions of every length."""
        most = max(1, min(len(group.questions) // _SHARE, rehearsal.batch, PROBE_QUESTIONS))
        sample: list[Any] = []
        took, slope = _Took(), _Took()
        asked = 0
        while len(sample) < most:
            size = min(most, max(1, _GROWTH * len(sample)))
            next_one = took + slope * (size - len(sample))
            if min(next_one.own, next_one.clock) > PROBE_SECONDS or next_one.clock > LONGEST:
                break
            larger = _spread(group.questions, size)
            # The first call of a size may be much slower than those after it.
            both = self._ask(rehearsal, group, larger), self._ask(rehearsal, group, larger)
            faster = min(both, key=lambda one: one.clock)
            slope = (faster - took) * (1 / (size - len(sample)))
            sample, took, asked = larger, faster, asked + 2 * size
        return took * self._scale(rehearsal, group, sample), asked

    def _ask(self, rehearsal: Rehearsal, group: Group, sample: Sequence[Any]) -> _Took:
        """What the model takes for the sample."""
        took = _Took()
        with self._timed(took):
            rehearsal.ask(group.hook, sample)
        return took


@dataclass(slots=True)
class _Took:
    """Seconds by the clock, and of the processor in this process."""

    clock: float = 0.0
    processor: float = 0.0

    def __add__(self, other: _Took) -> _Took:
        return _Took(self.clock + other.clock, self.processor + other.processor)

    def __mul__(self, times: float) -> _Took:
        return _Took(self.clock * times, self.processor * times)

    def __sub__(self, other: _Took) -> _Took:
        return _Took(max(0.0, self.clock - other.clock), max(0.0, self.processor - other.processor))

    @property
    def own(self) -> float:
        """By the processor, which others do not slow down, unless what takes the time is elsewhere."""
        return self.processor if self.processor > _OWN * self.clock else self.clock


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
