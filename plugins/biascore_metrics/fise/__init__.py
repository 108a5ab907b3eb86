"""Flexible Intersectional Stereotype Extraction (Charlesworth et al. 2024) and its form for grammatical gender."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from biascore.api.metrics import hookimpl

if TYPE_CHECKING:
    from biascore.api.metrics import Metric


@hookimpl
def register_metrics(register: Callable[[type[Metric]], None]) -> None:
    """Provide ``fise`` and ``gg-fise``."""
    from biascore_metrics.fise.metric import Fise, GgFise

    register(Fise)
    register(GgFise)
