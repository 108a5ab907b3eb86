"""The Sentence Encoder Association Test (May et al. 2019): WEAT over sentence templates."""

from __future__ import annotations

from collections.abc import Callable

from biascore.plugins_api import Metric, hookimpl
from biascore_metrics.seat.seat import Seat


@hookimpl
def register_metrics(register: Callable[[type[Metric]], None]) -> None:
    """Provide ``seat``."""
    register(Seat)
