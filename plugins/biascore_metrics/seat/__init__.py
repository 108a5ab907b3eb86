"""The Sentence Encoder Association Test (May et al. 2019): WEAT over sentence templates."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from biascore.api.metrics import hookimpl

if TYPE_CHECKING:
    from biascore.api.metrics import Metric


@hookimpl
def register_metrics(register: Callable[[type[Metric]], None]) -> None:
    """Provide ``seat``."""
    from biascore_metrics.seat.metric import Seat

    register(Seat)
