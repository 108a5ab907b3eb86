"""biascore-plugin-slavic, a distribution of its own, imported from its source folder."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

SLAVIC = Path(__file__).resolve().parents[2] / "plugins" / "biascore-plugin-slavic"


@contextmanager
def slavic_importable() -> Iterator[None]:
    """Whether it is installed or not; what was imported of it is forgotten afterwards."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SLAVIC))
        yield
    for name in [name for name in sys.modules if name.split(".")[0] == "biascore_plugin_slavic"]:
        del sys.modules[name]
