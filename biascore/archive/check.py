"""What became of one thing that a stored run says of itself."""

from __future__ import annotations

from typing import Literal

from biascore.basics.frozen import Frozen


class Check(Frozen):
    """One thing derived again: it matches, differs, or could not be derived because something is not here."""

    what: str
    outcome: Literal["matches", "differs", "not here"]
    detail: str = ""
