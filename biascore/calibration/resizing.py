"""A test with fewer items, or with more, and how many it has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from biascore.stimuli import Rows, Stimuli, Test
from biascore.stimuli.resizing import Resizing

_COUNTED: Final = ("words", "pairs", "samples", "persons", "questions")


def resized(test: Test, times: float, id: str) -> Test | None:
    """The test under another id with ``times`` as many items in each list, or None where its kind cannot be resized."""
    found = test.resized(Resizing(times))
    return found and replace(found, id=id)


def sizes(test: Test) -> Mapping[str, int]:
    """How many items each list of a test that can be resized holds, by role; duplicates count once."""
    found = {role: _items(one) for role, one in test.lists.items()}
    return {role: len(dict.fromkeys(items)) for role, items in found.items() if items is not None}


def _items(one: Stimuli) -> Sequence[Any] | None:
    if isinstance(one, Rows):
        return one.rows if one.key in _COUNTED else None
    return next((getattr(one, name) for name in _COUNTED if hasattr(one, name)), None)
