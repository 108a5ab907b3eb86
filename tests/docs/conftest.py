"""The stand-ins, written once for all tests of the pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from .sandbox import build


@pytest.fixture(scope="session")
def stand_ins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stand-ins")
    build(folder)
    return folder
