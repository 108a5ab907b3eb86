"""Which of a model's named outputs is meant by a name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_SAME: Final = ({"joy", "happiness"},)
"""Names of one emotion, of which a model may have either."""


def find_output(asked: str, names: Sequence[str]) -> str | None:
    """The output called so: exactly, or else without case, or else by another name of the same emotion; None without one.

    A name that fits two outputs equally well is none of them.
    """
    if asked in names:
        return asked
    folded = asked.casefold()
    same = next((group for group in _SAME if folded in group), {folded})
    for wanted in ({folded}, same - {folded}):
        found = [name for name in names if name.casefold() in wanted]
        if found:
            return found[0] if len(found) == 1 else None
    return None
