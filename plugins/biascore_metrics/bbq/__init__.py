"""BBQ (Parrish et al. 2022) and its kin: questions with options, of which one agrees with a stereotype."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from biascore.api.metrics import hookimpl

if TYPE_CHECKING:
    from biascore.api.metrics import Metric


@hookimpl
def register_metrics(register: Callable[[type[Metric]], None]) -> None:
    """Provide ``bbq``."""
    from biascore_metrics.bbq.metric import Bbq

    register(Bbq)
