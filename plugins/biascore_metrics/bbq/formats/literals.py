"""Lists and tables that stand as text in a cell, as JSON or as Python writes them; read, never evaluated."""

from __future__ import annotations

import ast
import warnings
from functools import lru_cache
from typing import Any, Final

from biascore.api.formats import parse_json

LONGEST: Final = 10_000


@lru_cache(maxsize=8192)
def literal(text: str) -> Any:
    """What a cell says; raises ValueError where it is neither JSON nor a Python literal, or longer than ``LONGEST``."""
    if len(text) > LONGEST:
        raise ValueError(f"has {len(text):,} characters, and at most {LONGEST:,} are read of a list")
    try:
        return parse_json(text)
    except ValueError:
        pass
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a backslash that stands for itself
            return ast.literal_eval(text.strip())
    except (MemoryError, RecursionError, SyntaxError, TypeError, ValueError) as problem:
        raise ValueError("is no list that JSON or Python would write") from problem
