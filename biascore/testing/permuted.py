"""A test with its words in another order, which is the same test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from biascore.stimuli import Rows, Stimuli, Test

_ITEMS = ("words", "pairs", "samples", "persons", "questions", "cases")


def permuted(test: Test) -> Test:
    """The test with the items of each list in an order of their own; in reverse where lists declare counterparts.

    Numbers of the test, one for each item of its only list of that length, follow their items.
    """
    rng = np.random.default_rng(0)
    groups = getattr(test, "groups", ())  # those of the same pairs are its sides, row by row
    paired = any(getattr(one, "counterparts", "") for one in test.lists.values()) or any(
        getattr(one, "pairs", "") for one in groups
    )
    orders: dict[int, list[npt.NDArray[np.int_]]] = {}

    def moved(some: tuple[Any, ...]) -> tuple[Any, ...]:
        order = np.arange(len(some))[::-1] if paired else rng.permutation(len(some))
        orders.setdefault(len(some), []).append(order)
        return tuple(some[place] for place in order)

    def other(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {name: other(one) for name, one in value.items()}
        if isinstance(value, tuple):
            return tuple(other(one) for one in value)
        if not is_dataclass(value) or isinstance(value, type):
            return value
        own = [one.name for one in fields(value) if one.init and _key(value, one.name) in _ITEMS]
        items = {
            name: some for name in own if isinstance(some := getattr(value, name), tuple) and not _lists(some)
        }
        if items:
            return replace(value, **{name: moved(some) for name, some in items.items()})
        parts = {one.name: other(getattr(value, one.name)) for one in fields(value) if one.init}
        return replace(value, **parts)

    found: Test = other(test)
    numbers = {one.name: getattr(test, one.name) for one in fields(test) if one.init}
    follow: dict[str, Any] = {
        name: tuple(some[place] for place in orders[len(some)][0])
        for name, some in numbers.items()
        if isinstance(some, tuple)
        and some
        and len(orders.get(len(some), ())) == 1
        and isinstance(some[0], float)
    }
    return replace(found, **follow)


def _lists(some: tuple[Any, ...]) -> bool:
    """Whether these are lists themselves, each with items of its own."""
    return any(isinstance(one, Stimuli) for one in some)


def _key(value: Any, name: str) -> str:
    """What items are called. Rows of another key keep their order: sentences in two genders stand side by side."""
    return getattr(value, "key", name) if name == "rows" and isinstance(value, Rows) else name
