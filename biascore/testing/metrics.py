"""Checks that the author of a plugin runs in a test of one line: ``check_metric(Mac, "en/mac")``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from biascore.engine import Engine
from biascore.errors import BiascoreError
from biascore.metric import Metric
from biascore.models.model import Model
from biascore.plugins.registry import PluginRecord
from biascore.results.finding import wrong_result
from biascore.results.measurement import Measurement
from biascore.stimuli import Test

_ITEMS = ("words", "pairs", "samples", "persons", "questions")


def check_metric(
    metric: type[Metric],
    test: str | Test,
    *,
    model: str | Model | None = None,
    engine: Engine | None = None,
    **options: Any,
) -> Measurement:
    """Measure a test and check what every metric has to fulfil; returns the measurement.

    The metric need not be installed. ``model``: what it is measured on; by default two models made from the test itself,
    one with an effect of 1 and one without (``planted:TEST=1`` and ``=0``), which a test of a kind that nothing can be
    planted in has not. ``engine``: one that has the test among its stimuli. ``options`` are the metric's own.

    Raises AssertionError that begins with the name of the clause: ``declares`` (its class attributes), ``measures`` (no
    error, a result that can be, a verdict in accord with p-value and interval), ``items`` (finite, with the columns item,
    group and value), ``estimator`` (gives the headline from the items), ``order`` (the words of a list in another order
    give the same headline and exact p-values), ``seed`` (the same seed gives the same result), ``json`` (stored and read
    again it is the same), ``coverage`` (of each list, given = used + lost), ``keys`` (every model gives the same
    conventions and columns of items).
    """
    for name in ("name", "summary", "reference", "requires", "kinds"):
        _hold(hasattr(metric, name), "declares", f"{metric.__name__} has no {name}")
    engine = _with(engine or Engine(cache=None), metric, test)
    (chosen,) = (test,) if isinstance(test, Test) else engine.tests(metric.name, [test], options)
    refs = [model] if model is not None else [f"planted:{chosen.id}={effect}" for effect in (1, 0)]
    found = [_check_on(engine, metric, chosen, ref, options) for ref in refs]
    for other in found[1:]:
        for what, names in _keys(found[0]).items():
            here = _keys(other)[what]
            _hold(
                here == names,
                "keys",
                f"the {what} are {here} on {other.model}, and {names} on {found[0].model}",
            )
    return found[0]


def _with(engine: Engine, metric: type[Metric], test: str | Test) -> Engine:
    """The engine, with the metric and the test where it has not got them."""
    known = engine.plugins.metrics
    if metric.name not in known.names:
        record = PluginRecord("check_metric", metric.__module__, "0", metric.__module__, "loaded")
        known.add(metric.name, metric, record)
    _hold(known.get(metric.name) is metric, "declares", f"another installed metric is called {metric.name}")
    if isinstance(test, Test) and test.id not in {one.id for one in engine.catalogue.tests}:
        return engine.with_tests([test], engine.seed)
    return engine


def _check_on(
    engine: Engine, metric: type[Metric], test: Test, ref: str | Model, options: Mapping[str, Any]
) -> Measurement:
    opened = ref if isinstance(ref, Model) else engine.model(ref)

    def measured(test: Test) -> Measurement:
        try:
            return engine.measure(metric.name, opened, test, **options)[0]
        except BiascoreError as error:
            raise AssertionError(f"measures: {error}") from error

    found, again, permuted = measured(test), measured(test), measured(_permuted(test))
    head, items = found.headline, found.items
    _hold(not wrong_result(found), "items", wrong_result(found))
    if head.estimator is not None:
        value = head.estimator.value(items)
        _hold(
            _same(value, head.value), "estimator", f"the items give {value}, and the headline is {head.value}"
        )
    for before, after in zip(_fixed(found), _fixed(permuted), strict=True):
        _hold(_same(before, after), "order", f"{before} becomes {after} with the words in another order")
    _hold(
        again == found and again.items.equals(items),
        "seed",
        "a second measurement with the same seed differs",
    )
    read = Measurement.model_validate_json(found.model_dump_json())
    _hold(read.model_dump() == found.model_dump(), "json", "read from its JSON it is another result")
    for role, given in found.coverage.given.items():
        used, lost = found.coverage.used.get(role, 0), sum(word.role == role for word in found.coverage.lost)
        _hold(given == used + lost, "coverage", f"of {role}, {given} are given, {used} used and {lost} lost")
    return found


def _hold(true: bool, clause: str, broken: str) -> None:
    if not true:
        raise AssertionError(f"{clause}: {broken}")


def _same(one: float | None, other: float | None) -> bool:
    return (
        one is other if one is None or other is None else math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-9)
    )


def _fixed(found: Measurement) -> list[float | None]:
    """What no order of words may change: drawn p-values and intervals move with the draws."""
    return [found.headline.value, *(p.value for p in found.headline.p_values if p.kind == "exact")]


def _keys(found: Measurement) -> dict[str, list[str]]:
    return {
        "conventions": sorted(found.conventions),
        "columns": found.items.column_names,
    }


def _permuted(test: Test) -> Test:
    """The test with the items of each list in an order of their own; in reverse where lists declare counterparts."""
    rng = np.random.default_rng(0)
    paired = any(getattr(one, "counterparts", "") for one in test.lists.values())

    def moved(some: tuple[Any, ...]) -> tuple[Any, ...]:
        return some[::-1] if paired else tuple(some[place] for place in rng.permutation(len(some)))

    def other(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {name: other(one) for name, one in value.items()}
        if isinstance(value, tuple):
            return tuple(other(one) for one in value)
        if not is_dataclass(value) or isinstance(value, type):
            return value
        own = [one.name for one in fields(value) if one.init and one.name in _ITEMS]
        items = {name: some for name in own if isinstance(some := getattr(value, name), tuple)}
        if items:
            return replace(value, **{name: moved(some) for name, some in items.items()})
        parts = {one.name: other(getattr(value, one.name)) for one in fields(value) if one.init}
        return replace(value, **parts)

    found: Test = other(test)
    return found
