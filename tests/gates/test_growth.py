"""How much farther from no bias an effect may be, from the interval of its change."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from biascore.audits.evaluating_gates import evaluate, growth, increase
from biascore.audits.gates import Gate
from biascore.errors import OptionsError
from biascore.results.estimates import ConfidenceInterval
from biascore.results.gates import GateOutcome

from ..builders.runs import decided, run_of


def ends(low: float, high: float) -> ConfidenceInterval:
    return ConfidenceInterval(low=low, high=high, level=0.95, method="made")


def difference(
    old: float, interval: ConfidenceInterval | None, neutral: float = 0.0, same_items: float | None = None
) -> Any:
    side = SimpleNamespace(value=old, on_same_items=same_items, interval=interval)
    return SimpleNamespace(old=side, neutral=neutral)


@pytest.mark.parametrize("neutral", [0.0, 50.0])
@pytest.mark.parametrize(("low", "high"), [(-0.3, 0.2), (0.1, 0.4), (-2.0, -0.5), (-2.5, 0.1), (-1.2, -1.1)])
def test_where_the_side_is_sure_it_is_the_growth_of_the_distance(
    low: float, high: float, neutral: float
) -> None:
    for old in (0.8, -0.8):
        one = difference(neutral + old, ends(neutral + old - 0.1, neutral + old + 0.1), neutral)
        growths = np.abs(old + np.linspace(low, high, 20_001)) - abs(old)
        assert increase(one, ends(low, high)) == pytest.approx((growths.min(), growths.max()), abs=1e-3)


def test_where_the_side_is_not_sure_all_of_the_change_may_be_growth() -> None:
    for interval in (ends(-0.2, 0.4), None):
        assert increase(difference(0.1, interval), ends(-0.5, 0.2))[1] == 0.5


def test_the_old_effect_is_that_on_the_items_that_both_have() -> None:
    one = difference(0.8, ends(0.1, 0.9), same_items=0.25)
    assert increase(one, ends(-0.625, -0.375)) == (-0.125, 0.125)


@pytest.mark.parametrize(
    ("margin", "held"),
    [(0.125, GateOutcome.FAILS), (0.25, GateOutcome.UNDECIDED), (0.5, GateOutcome.HOLDS)],
)
def test_an_increase_at_its_margin_is_not_beyond_it(margin: float, held: GateOutcome) -> None:
    one = difference(1.0, ends(0.9, 1.1))
    one.unmoved, one.reason, one.cautions = False, "made", ()
    one.change = SimpleNamespace(value=0.375, interval=ends(0.25, 0.5))
    assert growth(one, margin)[0] is held


def test_one_of_several_models_of_the_base_run_is_not_chosen_for_a_model_of_another_name(
    tmp_path: Path,
) -> None:
    run_of(decided(0.5, model="a"), decided(0.5, model="b")).save(tmp_path / "base")
    gate = Gate(measurements=("*",), no_worse_than="base")
    with pytest.raises(OptionsError, match="holds the models a, b, and none called 'c'"):
        evaluate([gate], run_of(decided(0.5, model="c")), tmp_path)
    (found,) = evaluate([gate], run_of(decided(0.5, model="b")), tmp_path)
    assert len(found.checks) == 1
