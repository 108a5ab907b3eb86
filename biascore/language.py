"""A language that stimuli exist for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Language:
    """A language by its BCP 47 tag (``"it"``) and its English name (``"Italian"``)."""

    code: str
    name: str
