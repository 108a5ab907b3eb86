"""``scorer:`` a folder of ``biascore train-scorer``: regressors of emotions, on tf-idf or on the vectors of a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from biascore.api.adapters import hookimpl

if TYPE_CHECKING:
    from biascore.api.adapters import Adapter


@hookimpl
def register_adapters(register: Callable[[type[Adapter]], None]) -> None:
    """Provide ``scorer``."""
    from biascore_adapters.scorer.adapter import ScorerAdapter

    register(ScorerAdapter)
