"""How much farther from no bias an effect may be, from the interval of its change."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from biascore.gates.evaluating import grown
from biascore.results.estimates import ConfidenceInterval


def ends(low: float, high: float) -> ConfidenceInterval:
    return ConfidenceInterval(low=low, high=high, level=0.95, method="made")


def difference(old: float, interval: ConfidenceInterval | None, neutral: float = 0.0) -> Any:
    side = SimpleNamespace(value=old, on_same_items=None, interval=interval)
    return SimpleNamespace(old=side, neutral=neutral)


@pytest.mark.parametrize("neutral", [0.0, 50.0])
@pytest.mark.parametrize(("low", "high"), [(-0.3, 0.2), (0.1, 0.4), (-2.0, -0.5), (-2.5, 0.1), (-1.2, -1.1)])
def test_where_the_side_is_sure_it_is_the_growth_of_the_distance(
    low: float, high: float, neutral: float
) -> None:
    for old in (0.8, -0.8):
        one = difference(neutral + old, ends(neutral + old - 0.1, neutral + old + 0.1), neutral)
        growths = np.abs(old + np.linspace(low, high, 20_001)) - abs(old)
        assert grown(one, ends(low, high)) == pytest.approx((growths.min(), growths.max()), abs=1e-3)


def test_where_the_side_is_not_sure_all_of_the_change_may_be_growth() -> None:
    for interval in (ends(-0.2, 0.4), None):
        assert grown(difference(0.1, interval), ends(-0.5, 0.2))[1] == 0.5
