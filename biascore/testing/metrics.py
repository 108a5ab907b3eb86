"""The contract of a metric, checked on models with and without a known bias: ``check_metric(Mac, "en/mac")``."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from biascore.audits.audit import Audit
from biascore.calibration.simulation import Simulation
from biascore.engine.engine import Engine
from biascore.errors import BiascoreError, CapabilityError, UnknownNameError
from biascore.metric import Metric
from biascore.models.model import Model
from biascore.plugins.registry import Plugin, PluginRecord
from biascore.results.finding import wrong_result
from biascore.results.measurement import Measurement
from biascore.results.run import Run
from biascore.stats import Verdict
from biascore.stimuli import Test
from biascore.testing.compared import alike, fixed, hold_keys, same
from biascore.testing.contract import Contract, NotAskedError, check_all, hold
from biascore.testing.permuted import permuted
from biascore.testing.unanswered import HOOKS, Unanswered

EFFECTS: Final = (-1.0, 0.0, 0.5, 1.0)
"""What is planted for `rises` and `sign`."""
MODELS: Final = 5
"""How many models of each effect: the mean of their headlines is looked at."""
NULLS: Final = 60
"""How many models without an effect are measured for `false positives`."""
CERTAINTY: Final = 0.999
"""A test that keeps its level passes `false positives` with at least this probability."""
LOST: Final = (0.15, 0.6, 1.0)
"""The shares of queries without an answer in `lost`: some are lost, too many to measure the test, and all."""


class NotAskedWarning(UserWarning):
    """``check_metric`` did not check a clause, because it says nothing of this metric or this test."""


@dataclass
class MetricContract(Contract):
    """What ``check_metric`` takes."""

    kind = "metric"
    metric: type[Metric]
    test: str | Test
    model: str | Model | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    engine: Engine = field(default_factory=lambda: Engine(cache=None))
    nulls: int = NULLS

    def close(self) -> None:
        for model in self.__dict__.pop("_models", ()):
            if model is not self.model:
                model.close()

    @property
    def found(self) -> Measurement:
        """The measurement of the first model."""
        return self._measured[0]

    def check_declares(self) -> None:
        """Class attributes, and a name that no other metric has."""
        for name in ("name", "summary", "reference", "requires", "kinds"):
            hold(hasattr(self.metric, name), f"{self.metric.__name__} has no {name}")
        hold(self._registered is self.metric, f"another installed metric is called {self.metric.name}")

    def check_measures(self) -> None:
        try:
            found = self._runs
        except BiascoreError as error:
            raise AssertionError(str(error)) from error
        hold(all(found), "nothing was measured")
        if not any(run[0].headline.value is not None for run in found):
            why = f"nothing was measured: {found[0][0].reason}"
            hold(self.model is not None, why)  # what is planted can be measured
            raise NotAskedError(f"no answer: {why}")

    def check_items(self) -> None:
        """Columns and values, which the engine looks at, too."""
        try:
            _ = self._runs
        except BiascoreError as error:
            hold("returned items" not in str(error), str(error))
        if not any(len(found.items) for found in self._measured):
            raise NotAskedError("no answer: it has no items")
        for found in self._measured:
            hold(not wrong_result(found), wrong_result(found))

    def check_estimator(self) -> None:
        heads = [(found.headline, found.items) for found in self._measured]
        for head, items in heads:
            if head.estimator is not None:
                value = head.estimator.value(items)
                hold(same(value, head.value), f"the items give {value}, and the headline is {head.value}")
        if all(head.estimator is None for head, _ in heads):
            raise NotAskedError("the headline has no estimator")

    def check_order(self) -> None:
        moved = permuted(self._chosen)
        if moved == self._chosen:
            raise NotAskedError(f"no answer: {self._chosen.id} has no lists whose order could be another")
        for model, found in zip(self._models, self._measured, strict=True):
            other = self._measure(self._engine_with_test, model, moved)
            for before, after in zip(fixed(found), fixed(other), strict=True):
                hold(same(before, after), f"{before} becomes {after} with the words in another order")

    def check_seed(self) -> None:
        for model, found in zip(self._models, self._measured, strict=True):
            again = self._measure(self._engine_with_test, model, self._chosen)
            hold(alike(again, found), "a second measurement with the same seed differs")

    def check_stored(self) -> None:
        for found, run in zip(self._measured, self._runs, strict=True):
            with tempfile.TemporaryDirectory() as folder:
                try:
                    run.save(Path(folder) / "run")
                    read = Run.load(Path(folder) / "run")[0]
                except Exception as error:
                    raise AssertionError(f"it cannot be stored and read: {error}") from error
            hold(alike(read, found), "stored and read again it is another result")

    def check_coverage(self) -> None:
        if not any(found.coverage.given for found in self._measured):
            raise NotAskedError("no answer: the coverage names no list")
        for found in self._measured:
            for role, given in found.coverage.given.items():
                used, lost = (
                    found.coverage.used.get(role, 0),
                    sum(word.role == role for word in found.coverage.lost),
                )
                hold(given == used + lost, f"of {role}, {given} are given, {used} used and {lost} lost")

    def check_keys(self) -> None:
        first, *others = self._measured
        if not others:
            raise NotAskedError("it is measured on one model only, the one that was given")
        for other in others:
            hold_keys(first, other, other.model)

    def check_cached(self) -> None:
        """On the first model, asked and asked again."""
        ref, found = self._refs[0], self.found
        with tempfile.TemporaryDirectory() as folder:
            engine = self._engine_with_test.with_tests([], self._engine_with_test.seed, cache=folder)
            try:
                for how in ("that are put into the cache", "from the cache"):
                    other = self._measure(engine, ref, self._chosen)
                    hold(alike(other, found), f"with answers {how} it is another result")
            finally:
                engine.close()

    def check_audited(self) -> None:
        refs, found = self._refs, self._measured
        measured = {"metric": self.metric.name, "tests": [self._chosen.id], "options": dict(self.options)}
        audit = Audit.from_parts(
            title="contract",
            models=[{"ref": ref} for ref in refs],
            measurements=[measured],
            seed=self._engine_with_test.seed,
        )
        try:
            run = self._engine_with_test.run(audit)
        except UnknownNameError as error:
            raise NotAskedError(f"{self._chosen.id} is in no file of stimuli") from error
        except BiascoreError as error:
            raise AssertionError(str(error)) from error
        for other, alone in zip(run, found, strict=True):
            hold(alike(other, alone), f"in an audit it is another result on {alone.model}")

    def check_lost(self) -> None:
        ref, found = self._refs[0], self.found
        made = self.metric(self.metric.option_type(**self.options)).chosen.fitting(self._models[0])
        if not made.requires & HOOKS:
            raise NotAskedError(f"every query of {', '.join(sorted(made.requires))} has an answer")
        for share in LOST:
            with (
                self._engine_with_test.model(ref) as whole,
                self._engine_with_test.model(Unanswered(whole, share)) as model,
            ):
                try:
                    other = self._run(self._engine_with_test, model, self._chosen)[0]
                except CapabilityError as error:
                    raise NotAskedError(str(error)) from error
                except BiascoreError as error:
                    raise AssertionError(f"a model without {share:.0%} of its answers: {error}") from error
            how = f"a model without {share:.0%} of its answers"
            hold_keys(found, other, how)
            hold(not wrong_result(other), f"on {how}, it {wrong_result(other)}")

    def check_rises(self) -> None:
        """The mean of models with the same seeds."""
        shown = {effect: float(np.mean(self._values(effect))) for effect in EFFECTS}
        told = ", ".join(f"{value:.3g} where {effect:g} is planted" for effect, value in shown.items())
        if not self.metric.directed:
            opposite = shown.pop(-1.0)
            hold(opposite > shown[0.0], f"of −1 the headline is not above that of 0: {told}")
        hold(all(np.diff(list(shown.values())) > 0), f"it does not rise: {told}")

    def check_sign(self) -> None:
        """The mean of models; on the other side of the neutral value by two standard errors is wrong."""
        if not self.metric.directed:
            raise NotAskedError(f"the headline of {self.metric.name} has no direction (directed = False)")
        if (neutral := self.found.headline.neutral) is None:
            raise NotAskedError("no value of the headline means no bias (neutral is None)")
        for effect in (1.0, -1.0):
            values = self._values(effect)
            mean, error = float(np.mean(values)), float(np.std(values, ddof=1)) / len(values) ** 0.5
            hold(
                (mean - neutral) * effect >= -2 * error,
                f"{effect:g} is planted, and the headline is {mean:.3g} ± {error:.2g}; no bias is {neutral:g}",
            )

    def check_false_positives(self) -> None:
        """The detections among models without an effect."""
        if not self.nulls:
            raise NotAskedError("no models without an effect are asked for (nulls=0)")
        if self.found.alpha is None:
            raise NotAskedError(f"{self.metric.name} decides nothing")
        from scipy.stats import binom

        detected = sum(self._planted(0.0, number).verdict is Verdict.DETECTED for number in range(self.nulls))
        most = int(binom.ppf(CERTAINTY, self.nulls, self.found.alpha))
        hold(
            detected <= most,
            f"it detects an effect on {detected} of {self.nulls} models without one; at alpha = {self.found.alpha:g} "
            f"there are at most {most} in {CERTAINTY:.1%} of cases",
        )

    @property
    def _registered(self) -> type[Metric]:
        """The metric of that name in the engine, which it is given where there is none."""
        known, module = self.engine.plugins.metrics, self.metric.__module__
        if self.metric.name not in known.names:
            kit = Plugin(PluginRecord("kit", module, "0", module, "loaded"))
            known.add(self.metric.name, self.metric, kit)
        return known.get(self.metric.name)

    @cached_property
    def _engine_with_test(self) -> Engine:
        """The engine, with the test where it has not got it."""
        if self._registered is not self.metric:
            raise NotAskedError(f"another metric is called {self.metric.name}")
        test = self.test
        if isinstance(test, Test) and test.id not in {one.id for one in self.engine.catalogue.index}:
            return self.engine.with_tests([test], self.engine.seed)
        return self.engine

    @cached_property
    def _chosen(self) -> Test:
        if isinstance(self.test, Test):
            return self.test
        (test,) = self._engine_with_test.tests(self.metric.name, [self.test], self.options)
        return test

    @property
    def _refs(self) -> list[str]:
        """The models by reference, NotAskedError for one that is given open."""
        if isinstance(self.model, Model):
            raise NotAskedError("the model is given open, and not by reference")
        return [f"planted:{self._chosen.id}={e}" for e in (1, 0)] if self.model is None else [self.model]

    @cached_property
    def _models(self) -> list[Model]:
        if isinstance(self.model, Model):
            return [self.model]
        return [self._engine_with_test.model(ref) for ref in self._refs]

    @cached_property
    def _runs(self) -> list[Run]:
        return [self._run(self._engine_with_test, model, self._chosen) for model in self._models]

    @property
    def _measured(self) -> list[Measurement]:
        """What was measured on each model; where nothing could be, that is for `measures` to say."""
        try:
            found = [run[0] for run in self._runs]
        except BiascoreError as error:
            raise NotAskedError("it could not be measured") from error
        if all(one.headline.value is None for one in found):
            raise NotAskedError(f"no answer: nothing was measured: {found[0].reason}")
        return found

    def _run(self, engine: Engine, model: Model | str, test: Test) -> Run:
        return engine.measure(self.metric.name, model, test, **self.options)

    def _measure(self, engine: Engine, model: Model | str, test: Test) -> Measurement:
        try:
            return self._run(engine, model, test)[0]
        except BiascoreError as error:
            raise AssertionError(str(error)) from error

    @cached_property
    def _measure_planted(self) -> Callable[[float, int], Measurement]:
        """Measures planted models as ``biascore calibrate`` does."""
        return Simulation(
            self._engine_with_test, self.metric.name, self._chosen, times=(1.0,), options=self.options
        ).drawn

    @cached_property
    def _planted_so_far(self) -> dict[tuple[float, int], Measurement]:
        return {}

    def _planted(self, effect: float, number: int) -> Measurement:
        """Measured on planted model ``number`` of an effect, NotAskedError where nothing can be planted."""
        _ = self._measured
        if (effect, number) not in self._planted_so_far:
            try:
                self._planted_so_far[effect, number] = self._measure_planted(effect, number)
            except CapabilityError as error:
                raise NotAskedError(str(error)) from error
            except BiascoreError as error:
                raise AssertionError(f"on a model with an effect of {effect:g}: {error}") from error
        return self._planted_so_far[effect, number]

    def _values(self, effect: float) -> list[float]:
        """The headlines of an effect, one for each model."""
        found = [self._planted(effect, number) for number in range(MODELS)]
        values = [one.headline.value for one in found]
        whole = [value for value in values if value is not None]
        if len(whole) < len(values):
            raise NotAskedError(f"where {effect:g} is planted, it measures nothing: {found[0].reason}")
        return whole


def check_metric(
    metric: type[Metric],
    test: str | Test,
    *,
    model: str | Model | None = None,
    engine: Engine | None = None,
    nulls: int = NULLS,
    **options: Any,
) -> Measurement:
    """Measure a test and check what every metric has to fulfil; returns the measurement.

    The metric need not be installed. ``model``: what it is measured on; by default two models made from the test itself,
    one with an effect of 1 and one without (``planted:TEST=1`` and ``=0``), which a test of a kind that nothing can be
    planted in has not. ``engine``: one that has the test among its stimuli. ``options`` are the metric's own.

    ``nulls``: how many models without an effect `false positives` measures, 0 for none. It fails where more are detected
    than a binomial distribution at the metric's alpha reaches in 99.9 %. With 60 models and alpha .05, 10 detections fail: a
    metric that detects something in 20 % of such models is noticed with a probability of .79, in 25 % with .95, in 15 %
    with .41, in 10 % with .07; with 200 models it is .96 for 15 % and .35 for 10 %. So the clause finds p-values that are
    far too small; ``biascore calibrate`` tells how well a level is kept.

    Raises AssertionError, which lists each clause that is broken. A clause that says nothing of this metric or test is
    named with the reason in a NotAskedWarning.
    """
    contract = MetricContract(metric, test, model, options, engine or Engine(cache=None), nulls)
    try:
        not_asked = check_all(contract.clauses())
        found = contract.found
    finally:
        contract.close()
    if not_asked:
        told = "; ".join(f"{name} ({why})" for name, why in not_asked.items())
        warnings.warn(f"not checked of {metric.name} on {found.test}: {told}", NotAskedWarning, stacklevel=2)
    return found
