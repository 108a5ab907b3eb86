"""What a reader is, and the engine that readers share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from .seeds import Seeds

KEY = "a-key-for-fuzzing"


@dataclass(frozen=True, slots=True)
class Reader:
    """``file``: the name of the one file that an input is, empty for several; ``read`` is given their folder.

    ``names``: whether a refusal has to name a file.
    """

    file: str
    read: Callable[[Path], object]
    seeds: Callable[[], Seeds]
    names: bool = True


@cache
def engine() -> Any:
    from biascore import Engine

    return Engine(cache=None)
