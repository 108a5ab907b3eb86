"""The measurements of a run, made one by one: one that fails is noted, and the next one is made."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Final

from biascore.basics.finishing import Waiting, finishing
from biascore.basics.progress import Progress
from biascore.basics.wording import duration
from biascore.engine.caveats import with_deviations
from biascore.engine.fitting import check_open
from biascore.engine.measuring import Measured, Measuring
from biascore.engine.steps import Checked
from biascore.errors import At, BiascoreError, NothingMeasuredError, Owner, PluginFailedError, TimeLimitError
from biascore.metric import Metric
from biascore.models.pool import Pool
from biascore.models.usage import ModelUsed
from biascore.results.failure import Failure
from biascore.results.measurement import Measurement
from biascore.results.run import Run
from biascore.stimuli import Test

LONG: Final = 15 * 60
"""Seconds of a run that is said to be long once its pace is known."""


@dataclass(frozen=True, slots=True)
class Done:
    """What was made, what failed, the record of every model that was asked, by name, and the time.

    ``started`` and ``finished`` are seconds since the epoch. ``interrupted``: by Ctrl-C, so that what was still to be made
    is among ``failed``. ``error``: why nothing at all was made. ``packages``: what computed on workers, with versions.
    """

    measured: tuple[Measured, ...]
    failed: tuple[Failure, ...]
    used: Mapping[str, ModelUsed]
    started: float
    finished: float
    interrupted: KeyboardInterrupt | None = None
    error: BiascoreError | None = None
    packages: Mapping[str, str] = field(default_factory=dict)

    @property
    def made(self) -> tuple[Measurement, ...]:
        """The measurements."""
        return tuple(one.measurement for one in self.measured)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C in a run; ``run`` has what was measured before, and under ``failed`` what was not."""

    saved_whole: bool = False
    """Whether all was measured, and has been saved, so that there is nothing to resume."""

    def __init__(self, run: Run, error: KeyboardInterrupt) -> None:
        super().__init__(*error.args)
        self.run = run
        for note in getattr(error, "__notes__", ()):
            self.add_note(note)


def concluded(run: Run, done: Done, waiting: Waiting) -> Run:
    """The run; raises Interrupted where it was interrupted, and the error of a run in which nothing was made: both hold
    it."""
    interrupt = done.interrupted or waiting.interrupt
    if interrupt is not None:
        raise Interrupted(run, interrupt) from interrupt
    if done.error is not None:
        done.error.run = run
        raise done.error
    return run


def perform(
    checked: Checked, pool: AbstractContextManager[Pool], measuring: Measuring, progress: Progress
) -> Done:
    """Make the measurements group by group; after each its models are closed, but for second models of metrics.

    A model or a plugin that fails loses its own measurements only. Where nothing at all was measured, ``error`` is why:
    NothingMeasuredError for several reasons. An interrupt ends it wherever it comes, and is raised where nothing was
    measured before.
    """
    done = None
    try:
        with pool as opened:
            done = _perform(checked, opened, measuring, progress)
    except KeyboardInterrupt as error:
        if done is None:
            raise
        return replace(done, interrupted=done.interrupted or error)  # while models were closed
    return done


def _perform(checked: Checked, pool: Pool, measuring: Measuring, progress: Progress) -> Done:
    started, since = time.time(), time.monotonic()  # the clock on the wall may be set back meanwhile
    groups = checked.groups
    total = sum(map(len, groups))
    made: list[tuple[Measured, tuple[str, ...]]] = []  # with the second models of its metric
    failed: list[Failure] = []
    errors: list[BiascoreError] = []
    used: dict[str, ModelUsed] = {}
    interrupted: KeyboardInterrupt | None = None
    told_long = False
    try:
        with progress.task("all measurements", total) as overall:
            for group in groups:
                _forget_frames(errors)
                for label, metric, test in group:
                    with progress.task(f"{metric.name} {test.id} on {label}", 1) as advance:
                        try:
                            model = pool.model(label)
                            # Now that it is open: of its kind, an adapter names all that any model can answer.
                            check_open(metric, model, measuring.checker.plugins)
                            one = measuring.measure(metric, model, test, pool.model)
                            made.append((one, checked.second_models(metric)))
                        except BiascoreError as error:
                            failed.append(_failure(error, metric, test, label))
                            errors.append(error)
                        advance(1)
                    overall(1)
                    expected = total * (time.monotonic() - since) / (len(made) + len(failed))
                    if expected > LONG and not told_long:
                        told_long = True
                        progress.note(
                            f"at this pace all {total:,} measurements take about {duration(expected)}; interrupted, the run "
                            "keeps what was measured, and the same command resumes it"
                        )
                for label in dict.fromkeys(label for label, _, _ in group):
                    if any(one.measurement.model == label for one, _ in made):
                        pool.model(label).ask_repeated()
                    if label in pool.opened and label not in checked.seconds:
                        used[label] = pool.release(label)
        for name in pool.opened if made else ():
            pool.model(name).ask_repeated()
    except KeyboardInterrupt as error:
        interrupted = error
        left = [one for group in groups for one in group][len(made) + len(failed) :]
        failed += [_not_made(metric, test, label) for label, metric, test in left]
    with finishing() as waiting:
        used |= {name: pool.release(name) for name in pool.opened} | pool.given_used
        told = tuple(
            replace(
                one, measurement=with_deviations(one.measurement, _asked(used, one.measurement.model, *also))
            )
            for one, also in made
        )
    interrupted = interrupted or waiting.interrupt
    if interrupted is not None and not made:
        raise interrupted
    why: BiascoreError | None = None
    if failed and not made:
        same = len({str(error) for error in errors}) == 1
        why = errors[0] if same else NothingMeasuredError(tuple(failed))
    return Done(told, tuple(failed), used, started, started + time.monotonic() - since, interrupted, why)


def _asked(used: Mapping[str, ModelUsed], *names: str) -> list[ModelUsed]:
    return [used[name] for name in dict.fromkeys(names) if name in used]


def _forget_frames(errors: Iterable[BiascoreError]) -> None:
    """Let go of what tracebacks hold in memory, such as the model that failed, before the next one is opened."""
    for error in errors:
        for one in _chain(error):
            one.__traceback__ = None


def _failure(error: BiascoreError, metric: Metric, test: Test, model: str) -> Failure:
    at = error.at or At(Owner(), "measuring", "")
    trace = error.trace if isinstance(error, PluginFailedError) else ""
    return Failure(
        metric=metric.name,
        test=test.id,
        model=model,
        kind="time limit" if isinstance(error, TimeLimitError) else at.doing,
        error=type(error.__cause__ if trace and error.__cause__ else error).__name__,
        message=str(error),
        may_pass=error.may_pass,
        plugin=at.owner.name,
        dist=at.owner.dist,
        culprit=at.model,
        traceback=trace or "".join(traceback.format_exception(error)),
    )


def _not_made(metric: Metric, test: Test, model: str) -> Failure:
    return Failure(
        metric=metric.name,
        test=test.id,
        model=model,
        kind="interrupted",
        error="KeyboardInterrupt",
        message="it was not measured before the run was interrupted. Run the same again: it resumes",
        may_pass=True,
    )


def _chain(error: BaseException) -> Iterable[BaseException]:
    """The error and those it was raised from or while."""
    found: list[BaseException] = []
    left: list[BaseException | None] = [error]
    while left:
        one = left.pop()
        if one is not None and one not in found:
            found.append(one)
            left += [one.__cause__, one.__context__]
    return found
