"""What an opened model has answered and several tests need, made once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

from biascore.models.model import Model

A = TypeVar("A")
_KEPT: Final[WeakKeyDictionary[Model, dict[Hashable, Any]]] = WeakKeyDictionary()


def made_once(model: Model, key: Hashable, make: Callable[[], A]) -> A:
    """What was made of an opened model under this key, or else is made now."""
    own = _KEPT.setdefault(model, {})
    if key not in own:
        own[key] = make()
    found: A = own[key]
    return found
