"""``scores:`` a file of given scores is a model like any other: published ones, or those of a system out of reach."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from biascore.api.adapters import hookimpl

if TYPE_CHECKING:
    from biascore.api.adapters import Adapter


@hookimpl
def register_adapters(register: Callable[[type[Adapter]], None]) -> None:
    """Provide ``scores``."""
    from biascore_adapters.scores.adapter import ScoresAdapter

    register(ScoresAdapter)
