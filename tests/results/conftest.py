"""A small run of WEAT, measured once, and the folder that it is stored in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from biascore import Engine, Run

TESTS = ["en/weat6", "en/weat7"]
QUICK = {"resamples": 200}


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    """Keeps nothing, with the seed 4."""
    engine = Engine(cache=None, seed=4)
    yield engine
    engine.close()


@pytest.fixture(scope="session")
def run(engine: Engine) -> Run:
    """TESTS with the options QUICK on a planted model, which is a control."""
    return engine.measure("weat", "planted:gender=0.8", TESTS, **QUICK)


@pytest.fixture
def folder(run: Run, tmp_path: Path) -> Path:
    """The run as it was saved."""
    return run.save(tmp_path / "run")
