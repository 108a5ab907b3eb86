"""What names and templates add by chance is found in about 5 %: drawn numbers, no model."""

from __future__ import annotations

import numpy as np
import pytest

from biascore_metrics.advice.effects import Difference

from .worlds import WORLDS, World

RUNS = 150


def found(world: World, runs: int) -> float:
    """The share of tables in which a difference is found."""
    rng = np.random.default_rng(5)
    p_values = [Difference.of(*world.drawn(rng), 0.95).p_value for _ in range(runs)]
    return sum(p is not None and p <= 0.05 for p in p_values) / runs


@pytest.mark.slow
@pytest.mark.parametrize("name", WORLDS)
def test_no_difference_is_found_in_about_5_percent(name: str) -> None:
    assert found(WORLDS[name], RUNS) <= 0.11


@pytest.mark.slow
def test_a_difference_is_found() -> None:
    assert found(World(names=0.05, ratio=0.1), 60) >= 0.5
