from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    folder = Path(__file__).resolve().parents[2].parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"reference data are not at {folder}")
    return folder


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20240501)
