"""The calibration itself: planted models of many seeds are opened and measured by the engine, as any model is."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import metadata
from types import MappingProxyType
from typing import Any, Final

from biascore.basics.frozen import Scalar
from biascore.basics.progress import Progress, Silent
from biascore.basics.surface import either
from biascore.calibration.calibration import Calibration, Cell, Size
from biascore.calibration.resizing import resized
from biascore.calibration.resizing import sizes as items_of
from biascore.engine.engine import Engine
from biascore.errors import BiascoreError, CapabilityError, OptionsError, PluginFailedError
from biascore.results.measurement import Measurement
from biascore.results.run import Run
from biascore.stats import Verdict
from biascore.stimuli import Test

LARGEST: Final = 1.9
"""The largest effect that can be planted."""
EFFECTS: Final = (0.2, 0.4, 0.8, 1.6)
"""What is planted first, in addition to nothing; then half way twice to where the power is reached."""
HALVINGS: Final = 2
TIMES: Final = (0.5, 1.0, 2.0)
MODELS: Final = 100
NULLS: Final = 400
POWER: Final = 0.8
MOST_MODELS: Final = 100_000
"""So many models of one size and effect are measured at most: a share of them is then known to .3 points."""
QUICK: Final[Mapping[str, int]] = {"draws": 1999, "resamples": 200}
"""Options of metrics that take time and hardly move a verdict, where the user gives none."""
_VERDICT_LETTERS: Final = {one: one.value[0] for one in Verdict} | {
    Verdict.NOT_MEASURED: Verdict.INCONCLUSIVE.value[0]
}
_SIMPLE_ID: Final = re.compile(r"[\w/.-]+")


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
    measured again; ``keep`` is called with what there is at first and after each cell. ``options`` are the metric's own.

    Model number i has a seed of its own, which is also that of its measurement. All that can be known to be wrong is
    raised before a model is made: OptionsError for numbers that cannot be and for a ``known`` one that was made
    otherwise, CapabilityError, and whatever the engine says of metric, options and test. OptionsError also where the
    metric turns out to decide nothing.
    """
    return Simulation(
        engine, metric, test, times, effects, models, nulls, power, progress or Silent(), known, options
    ).run(keep)


def seed_of(seed: int, number: int) -> int:
    """The seed of planted model ``number`` and of its measurement, under the seed of the engine."""
    return int.from_bytes(hashlib.blake2b(f"{seed}\0{number}".encode(), digest_size=4).digest())


@dataclass(frozen=True, slots=True)
class _SizedTest:
    """A test of one size, and an engine that has it."""

    test: Test
    times: float
    engine: Engine


@dataclass
class Simulation:
    """A calibration to be done, with what ``calibrate`` takes: checked when it is made, without any model."""

    engine: Engine
    metric: str
    named: str | Test
    times: Sequence[float] = TIMES
    effects: Sequence[float] | None = None
    models: int = MODELS
    nulls: int = NULLS
    power: float = POWER
    progress: Progress = field(default_factory=Silent)
    known: Calibration | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    test: Test = field(init=False)
    _sized_tests: list[_SizedTest] = field(init=False, default_factory=list)
    _begun: Calibration | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        """Raise what is wrong with numbers, metric, options, the test in any of its sizes, or what is known."""
        _check(self.times, self.effects, self.models, self.nulls, self.power)
        self.test = self.engine.tests(self.metric, [self.named], self.options)[0]
        kind = self.engine.plugins.metrics.get(self.metric)
        if kind.needs_transform:
            raise CapabilityError(
                f"{self.metric} cannot be calibrated on {self.test.id}: it compares a model with what it was before a "
                "transform, and a planted model has none. Calibrate a metric that measures one model: biascore list metrics"
            )
        taken = kind.option_type.model_fields
        quick = {name: value for name, value in {**QUICK, **kind.calibrated_with}.items() if name in taken}
        self.options = {**quick, **self.options}
        if self.known is not None:
            self._check_same_settings(self.known)
        for times in sorted({1.0, *self.times}):
            test = self._test_of_size(times)
            if test is None:
                continue
            engine = self.engine.with_tests([] if test is self.test else [test], self.engine.seed)
            with self._capability_errors():
                engine.tests(self.metric, [test], self.options, on=f"planted:{self._declared(test, 1.0)}")
            self._sized_tests.append(_SizedTest(test, times, engine))

    def begin(self) -> Calibration:
        """Measure a model of each size, which shows what is estimated and whether anything is decided."""
        firsts = {}
        for one in list(self._sized_tests):
            with self._capability_errors():
                first = self._measure(one, 1.0, 0)[0]
            if first.alpha is None:
                raise OptionsError(
                    f"{self.metric} decides nothing on {self.test.id}, so there is no power to calibrate. See the metrics "
                    "that test with: biascore list metrics"
                )
            if first.p_value is not None:
                firsts[one.times] = first
                continue
            why = f"{self.metric} comes to no decision on {self.test.id} at {one.times:g} times its size: {first.reason}"
            if one.times == 1:
                raise OptionsError(
                    f"{why} Calibrate another test: biascore list tests --metric {self.metric}"
                )
            self.progress.note(f"{why} That size is left out.")
            self._sized_tests.remove(one)
        sizes = [
            Size(times=one.times, items=items_of(one.test), n=firsts[one.times].headline.n)
            for one in self._sized_tests
        ]
        known = self.known
        more = [size for size in known.sizes if size.times not in firsts] if known else []
        self._begun = self._empty(firsts[1.0]).model_copy(
            update={
                "sizes": tuple(sorted((*sizes, *more), key=lambda size: size.times)),
                "cells": known.cells if known else (),
            }
        )
        return self._begun

    def run(self, keep: Callable[[Calibration], None] = lambda _found: None) -> Calibration:
        """Measure all models that are not known yet; ``keep`` gets what there is, at first and after each effect."""
        found = self._begun or self.begin()
        keep(found)
        for one in self._sized_tests:
            wanted = sorted({0.0, *(EFFECTS if self.effects is None else self.effects)})
            # What is known next to them is not looked at, so that going on ends where it began.
            planted = set(wanted)
            halvings = HALVINGS if self.effects is None else 0
            while wanted:
                for effect in wanted:
                    count = max(self.nulls, self.models) if effect == 0 and one.times == 1 else self.models
                    found = self._with(found, one, effect, count, keep)
                more = (
                    None
                    if self.effects is not None or self._null_plants_nothing
                    else self._next(found, one.times, planted)
                )
                wanted = [more] if more is not None and (halvings > 0 or more == LARGEST) else []
                halvings -= bool(wanted) and more != LARGEST
                planted.update(wanted)
        return found

    def drawn(self, effect: float, number: int) -> Measurement:
        """The test at its own size on planted model ``number`` of an effect, which may be negative here.

        Raises CapabilityError for what a planted model cannot answer.
        """
        with self._capability_errors():
            return self._measure(next(one for one in self._sized_tests if one.times == 1), effect, number)[0]

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
        one: _SizedTest,
        effect: float,
        models: int,
        keep: Callable[[Calibration], None],
    ) -> Calibration:
        place = (one.times, effect)
        others = [cell for cell in found.cells if (cell.times, cell.effect) != place]
        there = next((cell for cell in found.cells if (cell.times, cell.effect) == place), None)
        if there is not None and len(there.found) >= models:
            return found
        cell = self._cell(one, effect, models, there)
        cells = sorted((*others, cell), key=lambda cell: (cell.times, cell.effect))
        found = found.model_copy(update={"cells": tuple(cells)})
        keep(found)
        return found

    def _cell(self, one: _SizedTest, effect: float, models: int, there: Cell | None) -> Cell:
        values = [] if there is None else list(there.found)
        verdicts = "" if there is None else there.verdicts
        label = f"{self.metric} {self.test.id}, {one.times:g} times its size, {effect:g} planted"
        with self.progress.task(label, models) as advance:
            advance(len(values))
            for number in range(len(values), models):
                run = self._measure(one, effect, number)
                values.append(run[0].headline.value)
                verdicts += _VERDICT_LETTERS[run.verdicts[0].verdict]
                advance(1)
        planted = None if effect == 0 and self._null_plants_nothing else effect
        return Cell(times=one.times, planted=planted, found=tuple(values), verdicts=verdicts)

    def _measure(self, one: _SizedTest, effect: float, number: int) -> Run:
        one.engine.seed = seed = seed_of(self.engine.seed, number)
        model = one.engine.model(f"planted:{self._declared(one.test, effect)}", seed=seed)
        try:
            return one.engine.measure(self.metric, model, one.test, **self.options)
        finally:
            model.close()

    def _declared(self, test: Test, effect: float) -> str:
        return "" if effect == 0 and self._null_plants_nothing else f"{test.id}={effect:g}"

    @property
    def _null_plants_nothing(self) -> bool:
        return self.engine.plugins.metrics.get(self.metric).null_requires_no_bias

    @contextmanager
    def _capability_errors(self) -> Iterator[None]:
        """What a planted model cannot answer, in words of the calibration."""
        try:
            yield
        except PluginFailedError:
            raise
        except BiascoreError as error:
            raise CapabilityError(
                f"{self.metric} cannot be calibrated on {self.test.id}, for planted models cannot answer it: "
                f"{str(error).rstrip('.')}. Calibrate another metric or test: docs/adapters/planted.md says what is planted"
            ) from error

    def _test_of_size(self, times: float) -> Test | None:
        """The test of this size under an id that a declaration can hold; None where it cannot be resized."""
        plain = bool(_SIMPLE_ID.fullmatch(self.test.id))
        in_catalogue = any(one is self.test for one in self.engine.catalogue.tests)
        if times == 1 and plain and in_catalogue:
            return self.test
        name = self.test.id if plain else f"{self.test.language}/test-{seed_of(0, len(self.test.id))}"
        return resized(self.test, times, f"{name}-times-{times:g}")

    def _versions(self) -> dict[str, str]:
        """The plugins of the metric and of planted models, with their versions."""
        plugins = self.engine.plugins
        owners = (plugins.metrics.owner(self.metric).owner, plugins.adapters.owner("planted").owner)
        return {owner.name: owner.shown for owner in owners}

    @property
    def _setup(self) -> dict[str, Scalar]:
        return {
            "biascore": metadata.version("biascore"),
            "seed": self.engine.seed,
            "sha256": self.test.sha256,
            **self._versions(),
            **{f"option {name}": repr(value) for name, value in sorted(self.options.items())},
        }

    def _check_same_settings(self, known: Calibration) -> None:
        """Raise OptionsError where what is known was made otherwise, so that it cannot be resumed."""
        setup = self._setup
        names = {*known.setup, *setup}
        other = sorted(name for name in names if known.setup.get(name) != setup.get(name))
        ours = {"metric": self.metric, "test": self.test.id}
        other += [name for name, value in ours.items() if getattr(known, name) != value]
        if other:
            raise OptionsError(
                f"the calibration that is there was made otherwise ({', '.join(other)}). Name another folder, or "
                f"replace it{either(': --force', '')}"
            )

    def _empty(self, first: Measurement) -> Calibration:
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
            setup=self._setup,
            changed=self._changed(),
            sizes=(),
            cells=(),
        )

    def _changed(self) -> dict[str, str]:
        """The options that are not as the metric has them by itself, each with what it is then."""
        kind = self.engine.plugins.metrics.get(self.metric).option_type
        made = kind(**self.options)
        usual = {
            name: field.get_default(call_default_factory=True, validated_data={})
            for name, field in kind.model_fields.items()
            if not field.is_required()
        }
        return {
            name: f"{_plain(getattr(made, name))} (else {_plain(value)})"
            for name, value in usual.items()
            if getattr(made, name) != value
        }


def _plain(value: object) -> str:
    return str(getattr(value, "value", value))


def _check(
    times: Sequence[float], effects: Sequence[float] | None, models: int, nulls: int, power: float
) -> None:
    if models < 10:
        raise OptionsError(f"models={models}: fewer than 10 models tell nothing. Leave it out for {MODELS}")
    if nulls < 0:
        raise OptionsError(f"nulls={nulls} is below 0. Leave it out for {NULLS}")
    for option, count in (("models", models), ("nulls", nulls)):
        if count > MOST_MODELS:
            raise OptionsError(
                f"{option}={count:,} is more than {MOST_MODELS:,}, the most that are measured. Usual are {MODELS} models "
                f"and {NULLS} nulls"
            )
    if not all(0 < one <= 64 for one in times):
        raise OptionsError(
            f"times={list(times)} holds a size that is not above 0 and at most 64. Try, for example, 0.5 and 2"
        )
    if effects is not None and not all(0 <= one <= LARGEST for one in effects):
        raise OptionsError(
            f"effects={list(effects)} holds one that is not from 0 to {LARGEST}, which is what can be planted. Leave them "
            "out, and effects are chosen"
        )
    if not 0 < power < 1:
        raise OptionsError(f"power={power} is not between 0 and 1. Usual is 0.8")
