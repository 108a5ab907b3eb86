"""One metric on one test, without an engine: what the engine makes of the metric's finding."""

from collections.abc import Callable

import numpy as np

from biascore.api.exporters import Measurement
from biascore.api.metrics import Context, Metric, Model, Test
from biascore.api.stimuli import Catalogue
from biascore.results.finding import measurement_of


def no_second(name: str) -> Model:
    raise AssertionError(f"asked for {name}")


NOTHING = Catalogue(())


def measured(
    metric: Metric,
    model: Model,
    test: Test,
    second: Callable[[str], Model] = no_second,
    seed: int = 1,
    catalogue: Catalogue = NOTHING,
) -> Measurement:
    metric.check_kind(test)
    metric.check(test, catalogue)
    found = metric.measure(model, test, Context(np.random.default_rng(seed), seed, catalogue, second))
    return measurement_of(
        found, metric=metric.name, alpha=metric.options.alpha, test=test, model=model.name, seed=seed
    )
