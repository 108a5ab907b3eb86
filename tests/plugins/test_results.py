"""What a metric returns is held against what it was asked."""

from __future__ import annotations

from typing import Any

import pytest

from biascore.api.metrics import ConfidenceInterval, Coverage, Estimate, PValue, item_table
from biascore.errors import PluginFailedError
from biascore.stats import Decision, Verdict

from .conftest import EngineOf
from .trouble import finding, metric_that


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
