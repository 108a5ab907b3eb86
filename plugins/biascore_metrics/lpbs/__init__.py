"""The log probability bias score (Kurita et al. 2019): WEAT over what a masked language model predicts."""

from __future__ import annotations

from collections.abc import Callable

from biascore.plugins_api import Metric, hookimpl
from biascore_metrics.lpbs.lpbs import Lpbs


@hookimpl
def register_metrics(register: Callable[[type[Metric]], None]) -> None:
    """Provide ``lpbs``."""
    register(Lpbs)
