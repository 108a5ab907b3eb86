"""Old names, which work until the next minor version: what is said where one is used."""

from __future__ import annotations

import warnings
from typing import Final

GOES: Final = "0.2"
"""The version of biascore without the names that are old now."""


def told(old: str, new: str) -> str:
    """What to write instead, and until when that can wait."""
    return f"{old} is now {new}; the old name goes in biascore {GOES}"


def warn(old: str, new: str, category: type[Warning] = DeprecationWarning, *, stacklevel: int = 2) -> None:
    """Warn of an old name, at the line that used it.

    ``category``: DeprecationWarning for a name in code, which Python shows to the author of that code; FutureWarning for one
    that users write. ``stacklevel``: as that of ``warnings.warn`` would be in the place of this call.
    """
    warnings.warn(told(old, new), category, stacklevel=stacklevel + 1)
