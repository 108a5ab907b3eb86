"""Base of every stored value: a frozen, strict pydantic model whose mappings cannot be changed either."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, PlainSerializer

V = TypeVar("V")


def _freeze(mapping: Mapping[str, Any]) -> Mapping[str, Any]:
    return MappingProxyType(dict(mapping))


FrozenMap = Annotated[Mapping[str, V], AfterValidator(_freeze), PlainSerializer(dict)]
"""A mapping by name that raises TypeError on assignment."""

Scalar = str | int | float | bool | None


class Frozen(BaseModel):
    """A value that cannot change after it was made; unknown keys and NaN are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, arbitrary_types_allowed=True)
