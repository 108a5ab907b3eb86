"""Old names, which work until the next minor version: what is said where one is used."""

from __future__ import annotations

import sys
import warnings
from typing import Final

GOES: Final = "0.2"
"""The version of biascore without the names that are old now."""

_OWN: Final = {"biascore", "importlib"}


def told(old: str, new: str) -> str:
    """What to write instead, and until when that can wait."""
    return f"{old} is now {new}; the old name goes in biascore {GOES}"


def warn(old: str, new: str, category: type[Warning] = DeprecationWarning) -> None:
    """Warn of an old name, at the line outside biascore that led to its use.

    ``category``: DeprecationWarning for a name in code, which Python shows to the author of that code; FutureWarning for one
    that users write.
    """
    frame = sys._getframe(1)  # skip_file_prefixes of warnings.warn is new in Python 3.12
    while frame.f_back and frame.f_globals["__name__"].partition(".")[0] in _OWN:
        frame = frame.f_back
    where = frame.f_globals
    warnings.warn_explicit(
        told(old, new),
        category,
        frame.f_code.co_filename,
        frame.f_lineno,
        where["__name__"],
        where.setdefault("__warningregistry__", {}),
    )
