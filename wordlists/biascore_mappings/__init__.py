"""The mappings that ship with biascore: which articles of a text name which ground of discrimination."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from biascore.api.stimuli import hookimpl

MAPPINGS: Final = Path(__file__).parent


@hookimpl
def register_mappings(register: Callable[[Path], None]) -> None:
    """Register the EU Charter."""
    register(MAPPINGS / "eu_charter.toml")
