"""The log probability bias score (Kurita et al. 2019): WEAT over what a masked language model predicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from biascore.api.metrics import hookimpl

if TYPE_CHECKING:
    from biascore.api.metrics import Metric


@hookimpl
def register_metrics(register: Callable[[type[Metric]], None]) -> None:
    """Provide ``lpbs``."""
    from biascore_metrics.lpbs.metric import Lpbs

    register(Lpbs)
