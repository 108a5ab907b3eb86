"""Flexible Intersectional Stereotype Extraction (Charlesworth et al. 2024) and its form for grammatical gender."""

from __future__ import annotations

from collections.abc import Callable

from biascore.plugins_api import Metric, hookimpl
from biascore_metrics.fise.metric import Fise, GgFise


@hookimpl
def register_metrics(register: Callable[[type[Metric]], None]) -> None:
    """Provide ``fise`` and ``gg-fise``."""
    register(Fise)
    register(GgFise)
