"""``check_metric`` passes every metric that ships, and names the clause that another one breaks."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from biascore import Engine
from biascore.results.estimators import Contrast
from biascore.results.measurement import item_table
from biascore.stats import Decision, Verdict
from biascore.testing import check_metric

from .trouble import Coverage, Estimate, Finding, finding, metric_that

QUICK = {"draws": 199, "resamples": 100}
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "crows-pairs": ("en/crows_own", {}),
    "crows-pairs, causal": ("en/crows_own", {"model_kind": "causal"}),
    "crows-pairs-mixed": ("en/crows_own", {}),
    "discrim-eval": ("en/decisions_own", {}),
    "eec": ("ar/eec", {}),
    "fise": ("en/fise_gender_race_occupations", {}),
    "gest-lm, causal": ("en/gest_own", {"model_kind": "causal"}),
    "gest-lm": ("en/gest_own", {}),
    "gest-mt": ("en/gest_own", {"target": "it"}),
    "gg-weat": ("de/GER1", {}),
    "lpbs": ("de/GER1", {}),
    "pairwise-distance": ("es/nouns", {"model": "planted:"}),
    "robust-association": ("it/professioni_donne", {}),
    "sc-weat": ("de/GER1", {}),
    "seat": ("de/GER1", {}),
    "weat": ("de/GER1", {}),
}


@pytest.mark.parametrize(
    "name", [*(name for name in CASES if name != "eec"), pytest.param("eec", marks=pytest.mark.slow)]
)
def test_a_metric_that_ships_fulfils_every_clause(engine: Engine, name: str) -> None:
    metric, (test, options) = engine.plugins.metrics.get(name.partition(",")[0]), CASES[name]
    quick = {**QUICK, **metric.calibrated_with}
    taken = {option: value for option, value in quick.items() if option in metric.option_type.model_fields}
    assert check_metric(metric, test, engine=engine, **taken, **options).metric == name.partition(",")[0]


def detected() -> Finding:
    """A verdict without a p-value."""
    return sound(decision=Decision(Verdict.DETECTED, "So."))


def sound(value: float = 0.5, **changes: Any) -> Finding:
    """A finding whose headline is the mean of its items."""
    head = Estimate(name="mean", value=value, unit="none", n={"X": 2}, estimator=Contrast(groups={"": 1.0}))
    counts = {"X": 2}
    items = item_table(["a", "b"], ["X", "X"], [0.4, 0.6])
    parts = {"estimates": (head,), "coverage": Coverage(given=counts, used=counts), "items": items}
    return finding(**{**parts, **changes})


def first_word(_metric: object, model: Any, test: Any, _context: object) -> Finding:
    value = float(model.embed(test.roles["X"].words)[0, 0])
    return sound(estimates=(replace_estimator(sound(), value),))


def replace_estimator(one: Finding, value: float) -> Estimate:
    return one.estimates[0].model_copy(update={"value": value, "estimator": None})


BROKEN: dict[str, Callable[..., Finding]] = {
    "measures: .*not finite": lambda *_: sound(items=item_table(["a"], ["X"], [float("inf")])),
    "measures: .*does not follow": lambda *_: detected(),
    "estimator: the items give 0.5, and the headline is 0.7": lambda *_: sound(0.7),
    "order: ": first_word,
    "seed: ": lambda *_: sound(conventions={"draw": random.random()}),
    "coverage: of X, 3 are given, 2 used and 0 lost": lambda *_: sound(
        coverage=Coverage(given={"X": 3}, used={"X": 2})
    ),
    "keys: the conventions are ": lambda _m, model, *_: sound(conventions={model.name: 1}),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_the_clause_that_a_metric_breaks_is_named(broken: str) -> None:
    with pytest.raises(AssertionError, match=rf"^{broken}"):
        check_metric(metric_that(BROKEN[broken]), "en/weat7", engine=Engine(cache=None))


def test_a_metric_need_not_be_installed_nor_its_test_be_a_stimulus(engine: Engine) -> None:
    own = replace(engine.tests("weat", ["en/weat7"], {})[0], id="en/own", file="own.toml")
    found = check_metric(metric_that(lambda *_: sound(), "uninstalled"), own)
    assert (found.metric, found.test) == ("uninstalled", "en/own")


def test_two_metrics_of_one_name_are_refused(engine: Engine) -> None:
    with pytest.raises(AssertionError, match=r"^declares: another installed metric is called weat"):
        check_metric(metric_that(lambda *_: sound(), "weat"), "en/weat7", engine=engine)
