"""What a metric returns is held against what it was asked; an observer is held to its word."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from biascore.api.metrics import ConfidenceInterval, Coverage, Estimate, PValue, hookimpl, item_table
from biascore.api.transforms import ModelPlugin
from biascore.errors import PluginFailedError
from biascore.stats import Decision, Verdict

from .conftest import EngineOf
from .trouble import adapter_that, finding, metric_that


def interval(**changes: Any) -> ConfidenceInterval:
    return ConfidenceInterval(**{"low": -1.0, "high": 1.0, "level": 0.95, "method": "made", **changes})


def estimate(**changes: Any) -> Estimate:
    return Estimate(**{"name": "made", "value": 0.5, "unit": "none", "n": {"X": 8}, **changes})


def p(value: float) -> PValue:
    return PValue(name="made", value=value, kind="exact", alternative="two-sided")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (lambda: {"estimates": ()}, "made an impossible Measurement (estimates: "),
        (lambda: {"estimates": (estimate(value=float("nan")),)}, "made an impossible Estimate (value: "),
        (lambda: {"estimates": (estimate(interval=interval(low=2.0)),)}, "low must not be above high"),
        (lambda: {"estimates": (estimate(interval=interval(level=95)),)}, "level: Input should be less than 1"),
        (lambda: {"estimates": (estimate(p_values=(p(2),)),)}, "made an impossible PValue (value: "),
        (
            lambda: {"coverage": Coverage(given={"X": 8}, used={"X": 9})},
            "of X, 9 are used and 8 were given",
        ),
        (lambda: {"coverage": Coverage(given={"X": 8}, used={"Q": 1})}, "of Q, 1 are used and 0 were given"),
        (
            lambda: {"decision": Decision(Verdict.DETECTED, "So."), "estimates": (estimate(p_values=(p(0.9),)),)},
            "its p-value (0.9) is not at most alpha",
        ),
        (
            lambda: {"items": item_table(["a"], ["X"], [float("inf")])},
            "returned items with a value that is not finite",
        ),
        (
            lambda: {"items": item_table(["a"], ["X"], [1.0]).select([2, 1, 0])},
            "first columns are value, group, item",
        ),
    ],
)  # fmt: skip
def test_a_result_that_cannot_be_is_refused_and_named(engine_of: EngineOf, changes: Any, told: str) -> None:
    engine = engine_of(metric_that(lambda *_: finding(**changes())))
    with pytest.raises(PluginFailedError) as info:
        engine.measure("made-metric", "planted:gender=1", "en/weat7")
    assert told in str(info.value)
    assert str(info.value).startswith("plugin 'made' of unknown 0: ")
    assert "en/weat7" in str(info.value)


@pytest.mark.parametrize("found", [None, 0.5, "detected"])
def test_a_result_is_a_finding(engine_of: EngineOf, found: object) -> None:
    engine = engine_of(metric_that(lambda *_: found))
    with pytest.raises(PluginFailedError, match=f"returned a {type(found).__name__}, which is not"):
        engine.measure("made-metric", "planted:gender=1", "en/weat7")


class Turns(ModelPlugin):
    """Turns answers around, in place or not."""

    name = "turns"

    def __init__(self, role: Any, in_place: bool) -> None:
        self.role = role
        self.fingerprint = "1"
        self._in_place = in_place

    @hookimpl(wrapper=True)
    def embed(self) -> Any:
        answer = yield
        if self._in_place:
            answer *= -1
            return answer
        return -answer


class Raises(Turns):
    """Fails."""

    @hookimpl(wrapper=True)
    def embed(self) -> Any:
        yield
        raise KeyError("turns")


@pytest.mark.parametrize("in_place", [False, True])
def test_an_observer_that_changes_answers_is_found(engine_of: EngineOf, in_place: bool) -> None:
    engine = engine_of(adapter_that())
    plain = engine.model("made:x").embed(["word"])
    turned = engine.model("made:x", transforms=[Turns("transform", in_place)]).embed(["word"])
    np.testing.assert_array_equal(turned, -plain)
    with pytest.raises(PluginFailedError, match="observer turns changed the answers to embed of made:x"):
        engine.model("made:x", transforms=[Turns("observer", in_place)]).embed(["word"])


@pytest.mark.parametrize("role", ["observer", "transform"])
def test_what_is_around_a_model_is_named_where_it_raises(engine_of: EngineOf, role: str) -> None:
    engine = engine_of(adapter_that())
    with pytest.raises(PluginFailedError, match=rf"^{role} turns: embed of made:x raised KeyError"):
        engine.model("made:x", transforms=[Raises(role, False)]).embed(["word"])
