"""A test with fewer items, or with more, and how many it has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from biascore.stimuli import Test
from biascore.stimuli.resizing import Resizing


def resized(test: Test, times: float, id: str) -> Test | None:
    """The test under another id with ``times`` as many items in each list, or None where its kind cannot be resized."""
    found = test.resized(Resizing(times))
    return found and replace(found, id=id)


def sizes(test: Test) -> Mapping[str, int]:
    """How many items each list of a test that can be resized holds, by role; duplicates count once."""
    found: dict[str, int] = {}
    for role, one in test.lists.items():
        items = next(
            (
                getattr(one, name)
                for name in ("words", "pairs", "samples", "persons", "questions")
                if hasattr(one, name)
            ),
            None,
        )
        if items is not None:
            found[role] = len(dict.fromkeys(items))
    return found
