"""Transforms of vectors that come with biascore, one module a method."""

from __future__ import annotations

from collections.abc import Callable

from biascore.plugins_api import Transform, hookimpl


@hookimpl
def register_transforms(register: Callable[[type[Transform]], None]) -> None:
    """Provide the transforms of this package: none yet."""
