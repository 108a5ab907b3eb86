"""Draws and resamples have an upper bound that the error names: beyond it is hours of work, or all memory."""

from __future__ import annotations

import pytest

from biascore import Engine
from biascore.errors import OptionsError

TEST_OF = {"fise": "it/fise_it1_occupations"}


@pytest.mark.parametrize("metric", ["weat", "sc-weat", "seat", "lpbs"])
def test_resamples_beyond_memory_are_refused(engine: Engine, metric: str) -> None:
    with pytest.raises(OptionsError, match=r"resamples: is more than 1,000,000.* 5000 are enough"):
        engine.measure(metric, "planted:gender=1", TEST_OF.get(metric, "en/weat6"), resamples=10**12)


@pytest.mark.parametrize("metric", ["weat", "fise"])
def test_draws_without_end_are_refused(engine: Engine, metric: str) -> None:
    with pytest.raises(OptionsError, match=r"draws: is more than 10,000,000.* 100000 give a p"):
        engine.measure(metric, "planted:gender=1", TEST_OF.get(metric, "en/weat6"), draws=10**12)
