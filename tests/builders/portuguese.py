"""biascore-plugin-portuguese as if it were installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .plugin_dists import PLUGINS, installed

PORTUGUESE = PLUGINS / "biascore-plugin-portuguese"


@contextmanager
def portuguese_installed(folder: Path) -> Iterator[None]:
    """Its entry point is found as that of any distribution; what was imported of it is forgotten afterwards."""
    with installed(PORTUGUESE, folder):
        yield
