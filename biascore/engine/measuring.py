"""One measurement: a metric, guarded, on a test and an open model; what it returns is checked."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from biascore.basics.guard import failed, guarded, report_it
from biascore.basics.wording import some_of
from biascore.engine.caveats import with_script, with_taught
from biascore.engine.checking import Checker
from biascore.errors import At
from biascore.metric import Context, Metric
from biascore.models.model import Model
from biascore.results.finding import Finding, measurement_of, wrong_result
from biascore.results.measurement import Measurement
from biascore.stats import Verdict
from biascore.stats.harmless import HarmlessPairs
from biascore.stimuli import Catalogue, Test


@dataclass(frozen=True, slots=True)
class Measured:
    """A measurement, and what pairs of harmless groups gave in the place of ``groups``, the words of its own."""

    measurement: Measurement
    pairs: Callable[[], HarmlessPairs] | None = None
    groups: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Measuring:
    """Makes the measurements of a run with ``seed``; ``time_limit`` is in seconds, None for no limit."""

    checker: Checker
    seed: int
    time_limit: float | None = None

    def measure(self, metric: Metric, model: Model, test: Test, models: Callable[[str], Model]) -> Measured:
        """The measurement; ``models`` opens the second models that options of the metric name.

        Raises BiascoreError as model and metric do, PluginFailedError for what else the metric raises or for a result
        that cannot be, TimeLimitError.
        """
        plugins, catalogue = self.checker.plugins, self.checker.catalogue
        metric = metric.fitting(model)
        context = self._context(metric, test, models)
        owner = plugins.metrics.owner(metric.name).owner
        what = f"{metric.name} {test.id} on {model.name}"
        at = At(owner, "measuring", f"measuring {what}")
        for transform in model.transforms:
            transform.asked.clear()
        model.prompting.clear()
        model.outcomes.clear()
        found: object = guarded(at, lambda: metric.measure(model, test, context), self.time_limit)
        if not isinstance(found, Finding):
            wrong = f"returned a {type(found).__name__}, which is not a Finding"
        else:
            measured = guarded(
                at,
                lambda: measurement_of(
                    found,
                    metric=metric.name,
                    alpha=metric.options.alpha,
                    test=test,
                    model=model.name,
                    seed=context.seed,
                    unreachable=metric.unreachable(test),
                    of_model=model.identity.conventions,
                    of_asking={**model.identity.asking, **model.prompting},
                    first_words=model.first_words,
                    outcomes=model.outcomes,
                ),
            )
            wrong = wrong_result(measured)
        if wrong:
            raise failed(
                At(owner, "result", what),
                f"{owner.shown}: {metric.name} {wrong}, for {test.id} on {model.name}. {report_it(owner)}",
            )
        assert isinstance(found, Finding)
        measured = with_longer(measured, test, catalogue)
        measured = with_script(measured, test)
        measured = with_taught(measured, model, (test, *metric.extra_stimuli(test, catalogue)))
        if found.harmless is None or measured.headline.value is None:
            return Measured(measured)
        roles = test.of_people or "AB"
        return Measured(measured, found.harmless, tuple(test.roles[role].words for role in roles))

    def ask_some(self, metric: Metric, model: Model, test: Test, models: Callable[[str], Model]) -> object:
        """What the metric says of its number of queries, some of which it asks; where it does not, the measurement."""
        metric = metric.fitting(model)
        most = metric.ask_some(model, test, self._context(metric, test, models))
        return self.measure(metric, model, test, models) if most is None else most

    def _context(self, metric: Metric, test: Test, models: Callable[[str], Model]) -> Context:
        plugins = self.checker.plugins
        seed = measurement_seed(self.seed, metric.name, test.id)
        diagnostics = tuple(one() for one in plugins.diagnostics.items())
        return Context(
            np.random.default_rng(seed), seed, self.checker.catalogue, models, plugins.languages, diagnostics
        )


def with_longer(measured: Measurement, test: Test, catalogue: Catalogue) -> Measurement:
    """An inconclusive measurement, with the longer tests of its language, kind and ground that there are."""
    if measured.verdict is not Verdict.INCONCLUSIVE or measured.alpha is None:
        return measured
    alike = (
        one.build()
        for one in catalogue.index
        if (one.language, one.kind, one.concept) == (test.language, test.kind, test.concept)
    )
    longer = [one.id for one in alike if one.min_used and _targets(one) > _targets(test)]
    if not longer:
        return measured
    reason = (
        f"{measured.reason} Longer tests of {test.concept}, which see smaller effects: {some_of(longer)}."
    )
    return measured.model_copy(update={"longer": tuple(longer), "reason": reason})


def _targets(test: Test) -> int:
    return min((len(test.roles[role]) for role in ("X", "Y") if role in test.roles), default=0)


def measurement_seed(seed: int, metric: str, test: str) -> int:
    """The seed of one measurement: the same whatever else is in the run, in whatever order, for every model.

    A model is no part of it: neither its path nor its name moves an interval, and models that are compared
    are compared on the same draws.
    """
    text = "\0".join((str(seed), metric, test))
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=7).digest())
