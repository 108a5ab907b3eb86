"""What differs by the rounding of another order of sums has not changed: no p-value of noise, no direction."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from biascore import Engine, Run, compare
from biascore.comparing import Outcome
from biascore.comparing.words import answer

FAST = {"resamples": 200, "draws": 500, "reference": "none"}


@pytest.fixture(scope="module")
def run(engine: Engine) -> Run:
    return engine.measure("weat", "planted:gender=1", ("en/weat6", "en/weat7"), **FAST)


def moved(run: Run, by: Any) -> Run:
    """The run with each number of its items, and its headlines, moved by ``by(n)``."""
    made = []
    for m in run:
        column = m.headline.estimator.column  # type: ignore[union-attr]
        values = np.array(m.items[column].to_pylist(), dtype=np.float64)
        place = m.items.column_names.index(column)
        items = m.items.set_column(place, column, pa.array(values + by(len(values))))
        estimates = tuple(
            one if one.value is None else one.model_copy(update={"value": one.value + by(1)[0]})
            for one in m.estimates
        )
        made.append(m.model_copy(update={"items": items, "estimates": estimates}))
    return run.model_copy(update={"measurements": tuple(made)})


@pytest.mark.parametrize("noise", [-2.2e-16, 3e-15, -9e-13])
def test_noise_is_no_change(run: Run, noise: float) -> None:
    rng = np.random.default_rng(1)
    found = compare(run, moved(run, lambda n: noise * rng.uniform(0.9, 1, n)))
    assert len(found) == 2
    for one in found:
        assert one.outcome is Outcome.UNCHANGED
        assert (one.unmoved, one.flipped, one.change.value) == (True, 0, 0.0)
        assert not [p for p in one.change.p_values if p.value < 1]
        assert "stayed at" in one.reason
    assert "No change of bias" in answer(found) or "unchanged" in answer(found)


def test_what_moves_by_more_is_a_change(run: Run) -> None:
    found = compare(run, moved(run, lambda n: 1e-3 * np.linspace(-1, 1, n)))
    assert not any(one.unmoved for one in found)
