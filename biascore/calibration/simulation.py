"""The calibration itself: planted models of many seeds are opened and measured by the engine, as any model is."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from types import MappingProxyType
from typing import Any, Final

from biascore.basics.progress import Progress, Silent
from biascore.calibration.calibration import Calibration, Cell, Size
from biascore.calibration.resizing import resized, sizes
from biascore.engine import Engine
from biascore.errors import BiascoreError, CapabilityError, OptionsError, PluginFailedError
from biascore.results.measurement import Measurement
from biascore.stimuli import Test

LARGEST: Final = 1.9
"""The largest effect that can be planted."""
EFFECTS: Final = (0.2, 0.4, 0.8, 1.6)
"""What is planted first, beside nothing; then half way twice to where the power is reached."""
HALVINGS: Final = 2
TIMES: Final = (0.5, 1.0, 2.0)
MODELS: Final = 100
NULLS: Final = 400
POWER: Final = 0.8
QUICK: Final[Mapping[str, int]] = {"draws": 1999, "resamples": 200}
"""Options of metrics that take time and hardly move a verdict, where the user gives none."""
_PLAIN: Final = re.compile(r"[\w/.-]+")


def calibrate(
    engine: Engine,
    metric: str,
    test: str | Test,
    *,
    times: Sequence[float] = TIMES,
    effects: Sequence[float] | None = None,
    models: int = MODELS,
    nulls: int = NULLS,
    power: float = POWER,
    progress: Progress | None = None,
    known: Calibration | None = None,
    keep: Callable[[Calibration], None] = lambda _found: None,
    options: Mapping[str, Any] = MappingProxyType({}),
) -> Calibration:
    """Measure a test on planted models: what is found of an effect, how often it is detected, and the smallest that is.

    ``times``: sizes of the test, as multiples of its own, which is always among them. ``effects``: what is planted; by
    default effects are chosen so that the one that is detected with ``power`` is found. ``models`` are measured for each
    of them, and ``nulls`` for no effect at the test's own size. ``known`` is an earlier calibration, whose cells are not
    measured again; ``keep`` is called with what there is after each cell. ``options`` are the metric's own.

    Model number i has a seed of its own, which is also that of its measurement. Raises OptionsError for numbers that
    cannot be, where the metric decides nothing, and for a ``known`` one that was made otherwise; whatever the engine
    raises where a planted model cannot answer it.
    """
    _check(times, effects, models, nulls, power)
    found = engine.tests(metric, [test], options)[0]
    owner = engine.plugins.metrics.get(metric)
    if owner.needs_transform:
        raise CapabilityError(
            f"{metric} cannot be calibrated on {found.id}: it compares a model with what it was before a transform, and a "
            "planted model has none. Calibrate a metric that measures one model: biascore list metrics"
        )
    quick = {
        name: value
        for name, value in {**QUICK, **owner.calibrated_with}.items()
        if name in owner.option_type.model_fields and name not in options
    }
    work = _Work(engine, metric, found, {**quick, **options}, power, progress or Silent())
    return work.run(sorted({1.0, *times}), effects, models, nulls, known, keep)


def seed_of(seed: int, number: int) -> int:
    """The seed of planted model ``number`` and of its measurement, under the seed of the engine."""
    return int.from_bytes(hashlib.blake2b(f"{seed}\0{number}".encode(), digest_size=4).digest())


@dataclass(slots=True)
class _Sized:
    """A test of one size, an engine that has it, and a first measurement, which tells what is estimated."""

    test: Test
    size: Size
    engine: Engine
    first: Measurement


@dataclass(slots=True)
class _Work:
    engine: Engine
    metric: str
    test: Test
    options: Mapping[str, Any]
    power: float
    progress: Progress

    def run(
        self,
        times: Sequence[float],
        effects: Sequence[float] | None,
        models: int,
        nulls: int,
        known: Calibration | None,
        keep: Callable[[Calibration], None],
    ) -> Calibration:
        sized = [one for one in map(self._sized, times) if one is not None]
        found = self._empty(sized)
        if known is not None:
            found = _gone_on_with(known, found)
        for one in sized:
            wanted = sorted({0.0, *(EFFECTS if effects is None else effects)})
            planted = set(
                wanted
            )  # what is known beside them is not looked at, so that going on ends where it began
            halvings = HALVINGS if effects is None else 0
            while wanted:
                for effect in wanted:
                    count = max(nulls, models) if effect == 0 and one.size.times == 1 else models
                    found = self._with(found, one, effect, count, keep)
                more = (
                    None
                    if effects is not None or self._nothing
                    else self._next(found, one.size.times, planted)
                )
                wanted = [more] if more is not None and (halvings > 0 or more == LARGEST) else []
                halvings -= bool(wanted) and more != LARGEST
                planted.update(wanted)
        return found

    def _next(self, found: Calibration, times: float, planted: Collection[float]) -> float | None:
        """The effect half way between the last that is not detected often enough and the first that is."""
        cells = [cell for cell in found.at(times) if cell.effect in planted]
        enough = [cell.effect for cell in cells if cell.effect > 0 and cell.rate.share >= self.power]
        if not enough:
            return None if cells[-1].effect == LARGEST else LARGEST
        below = [cell.effect for cell in cells if cell.effect < min(enough)]
        return round((min(enough) + max(below)) / 2, 3)

    def _with(
        self,
        found: Calibration,
        one: _Sized,
        effect: float,
        models: int,
        keep: Callable[[Calibration], None],
    ) -> Calibration:
        place = (one.size.times, effect)
        others = [cell for cell in found.cells if (cell.times, cell.effect) != place]
        there = next((cell for cell in found.cells if (cell.times, cell.effect) == place), None)
        if there is not None and len(there.found) >= models:
            cell = there.first(models)
        else:
            cell = self._cell(one, effect, models, there)
        cells = sorted((*others, cell), key=lambda cell: (cell.times, cell.effect))
        found = found.model_copy(update={"cells": tuple(cells)})
        keep(found)
        return found

    def _cell(self, one: _Sized, effect: float, models: int, there: Cell | None) -> Cell:
        values = [] if there is None else list(there.found)
        verdicts = "" if there is None else there.verdicts
        label = f"{self.metric} {self.test.id}, {one.size.times:g} times its size, {effect:g} planted"
        with self.progress.task(label, models) as advance:
            advance(len(values))
            for number in range(len(values), models):
                measured = self._measure(one.engine, one.test, effect, number)
                values.append(measured.headline.value)
                verdicts += measured.verdict.value[0]
                advance(1)
        planted = None if effect == 0 and self._nothing else effect
        return Cell(times=one.size.times, planted=planted, found=tuple(values), verdicts=verdicts)

    def _measure(self, engine: Engine, test: Test, effect: float, number: int) -> Measurement:
        engine.seed = seed = seed_of(self.engine.seed, number)
        declared = "" if effect == 0 and self._nothing else f"{test.id}={effect:g}"
        model = engine.model(f"planted:{declared}", seed=seed)
        try:
            return engine.measure(self.metric, model, test, **self.options)[0]
        finally:
            model.close()

    @property
    def _nothing(self) -> bool:
        return self.engine.plugins.metrics.get(self.metric).null_is_undeclared

    def _sized(self, times: float) -> _Sized | None:
        test = self._plain(times)
        if test is None:
            return None
        engine = self.engine.beside([] if test is self.test else [test], self.engine.seed)
        try:
            first = self._measure(engine, test, 1.0, 0)
        except PluginFailedError:
            raise
        except BiascoreError as error:
            raise CapabilityError(
                f"{self.metric} cannot be calibrated on {self.test.id}, for planted models cannot answer it: "
                f"{str(error).rstrip('.')}. Calibrate another metric or test: docs/adapters/planted.md says what is planted"
            ) from error
        if first.alpha is None or first.p_value is None:
            raise OptionsError(
                f"{self.metric} decides nothing on {self.test.id}, so there is no power to calibrate. See the metrics "
                "that test with: biascore list metrics"
            )
        return _Sized(test, Size(times=times, items=sizes(test), n=first.headline.n), engine, first)

    def _plain(self, times: float) -> Test | None:
        """The test of this size under an id that a declaration can hold; None where it cannot be resized."""
        plain = bool(_PLAIN.fullmatch(self.test.id))
        at_hand = any(one is self.test for one in self.engine.catalogue.tests)
        if times == 1 and plain and at_hand:
            return self.test
        name = self.test.id if plain else f"{self.test.language}/test-{seed_of(0, len(self.test.id))}"
        return resized(self.test, times, f"{name}-times-{times:g}")

    def _versions(self) -> dict[str, str]:
        """The plugins of the metric and of planted models, with their versions."""
        plugins = self.engine.plugins
        owners = (plugins.metrics.owner(self.metric).owner, plugins.adapters.owner("planted").owner)
        return {owner.name: owner.shown for owner in owners}

    def _empty(self, sized: Sequence[_Sized]) -> Calibration:
        first = next(one.first for one in sized if one.size.times == 1)
        assert first.alpha is not None
        return Calibration(
            metric=self.metric,
            variant=first.variant,
            test=self.test.id,
            test_title=self.test.title,
            kind=self.test.kind,
            concept=self.test.concept,
            estimate=first.headline.name,
            unit=first.headline.unit,
            neutral=first.headline.neutral,
            alpha=first.alpha,
            power=self.power,
            setup={
                "biascore": metadata.version("biascore"),
                "seed": self.engine.seed,
                "sha256": self.test.sha256,
                **self._versions(),
                **{f"option {name}": repr(value) for name, value in sorted(self.options.items())},
            },
            sizes=tuple(one.size for one in sized),
            cells=(),
        )


def _gone_on_with(known: Calibration, found: Calibration) -> Calibration:
    """What is to be found, with the sizes and cells that are known already."""
    names = {*known.setup, *found.setup}
    other = sorted(name for name in names if known.setup.get(name) != found.setup.get(name))
    other += [name for name in ("metric", "test", "alpha") if getattr(known, name) != getattr(found, name)]
    if other:
        raise OptionsError(
            f"the calibration that is there was made otherwise ({', '.join(other)}). Name another folder with --out, or "
            "replace it: --force"
        )
    more = [size for size in known.sizes if size.times not in [one.times for one in found.sizes]]
    return found.model_copy(
        update={
            "sizes": tuple(sorted((*found.sizes, *more), key=lambda one: one.times)),
            "cells": known.cells,
        }
    )


def _check(
    times: Sequence[float], effects: Sequence[float] | None, models: int, nulls: int, power: float
) -> None:
    if models < 10 or nulls < 0:
        raise OptionsError(
            f"models={models}, nulls={nulls}: fewer than 10 models tell nothing. Leave them out for {MODELS} and {NULLS}"
        )
    if not all(0 < one <= 64 for one in times):
        raise OptionsError(
            f"times={list(times)} holds a size that is not above 0 and at most 64. Try, for example, 0.5 and 2"
        )
    if effects is not None and not all(0 <= one <= LARGEST for one in effects):
        raise OptionsError(
            f"effects={list(effects)} holds one that is not from 0 to {LARGEST}, which is what can be planted"
        )
    if not 0 < power < 1:
        raise OptionsError(f"power={power} is not between 0 and 1. Usual is 0.8")
