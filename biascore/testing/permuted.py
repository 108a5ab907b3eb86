"""A test with its words in another order, which is the same test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from biascore.stimuli import Test

_ITEMS = ("words", "pairs", "samples", "persons", "questions")


def permuted(test: Test) -> Test:
    """The test with the items of each list in an order of their own; in reverse where lists declare counterparts."""
    rng = np.random.default_rng(0)
    paired = any(getattr(one, "counterparts", "") for one in test.lists.values())

    def moved(some: tuple[Any, ...]) -> tuple[Any, ...]:
        return some[::-1] if paired else tuple(some[place] for place in rng.permutation(len(some)))

    def other(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {name: other(one) for name, one in value.items()}
        if isinstance(value, tuple):
            return tuple(other(one) for one in value)
        if not is_dataclass(value) or isinstance(value, type):
            return value
        own = [one.name for one in fields(value) if one.init and one.name in _ITEMS]
        items = {name: some for name in own if isinstance(some := getattr(value, name), tuple)}
        if items:
            return replace(value, **{name: moved(some) for name, some in items.items()})
        parts = {one.name: other(getattr(value, one.name)) for one in fields(value) if one.init}
        return replace(value, **parts)

    found: Test = other(test)
    return found
