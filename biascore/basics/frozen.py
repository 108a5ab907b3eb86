"""Base of every stored value: a frozen, strict pydantic model whose mappings cannot be changed either."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Final, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, PlainSerializer

V = TypeVar("V")


def _freeze(value: Any) -> Any:
    if isinstance(value, Mapping):
        return MappingProxyType({name: _freeze(item) for name, item in value.items()})
    return tuple(_freeze(item) for item in value) if isinstance(value, list | tuple) else value


def _thaw(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _thaw(item) for name, item in value.items()}
    return [_thaw(item) for item in value] if isinstance(value, list | tuple) else value


FrozenMap = Annotated[Mapping[str, V], AfterValidator(_freeze), PlainSerializer(_thaw)]
"""A mapping by name that raises TypeError on assignment, as do those inside it; lists become tuples."""

Scalar = str | int | float | bool | None
"""One value, such as a convention or a fact."""


_PYDANTICS: Final = frozenset(dir(BaseModel)) - frozenset(dir(object))


def _inner(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name != "_repr_html_"


class Frozen(BaseModel):
    """A value that cannot change after it was made; unknown keys and NaN are refused."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, arbitrary_types_allowed=True, defer_build=True
    )

    def __dir__(self) -> list[str]:
        """What a value says itself: completing names in a notebook does not list what pydantic brings."""
        return [name for name in object.__dir__(self) if name not in _PYDANTICS and not _inner(name)]
