"""A cache that holds answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from biascore.models.pipeline.cache import FILE_NAME, DiskCache

ANSWERS = {bytes([i]) * 20: bytes([i]) * (i * 40) for i in range(60)}
"""By their keys: values of 0 to 2,360 bytes."""


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """A folder with a cache file that holds ANSWERS, and no other file."""
    cache = DiskCache(tmp_path)
    cache.put(ANSWERS)
    cache.close()
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]
    return tmp_path
