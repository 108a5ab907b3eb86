"""Robust bias detection (Shrestha, Tay & Srinivasan 2025): associations by a mixed model, weighted by perplexity."""

from __future__ import annotations

from collections.abc import Callable

from biascore.plugins_api import Metric, hookimpl
from biascore_metrics.robust.metric import RobustAssociation, RobustAssociationCausal


@hookimpl
def register_metrics(register: Callable[[type[Metric]], None]) -> None:
    """Provide ``robust-association`` and ``robust-association-causal``."""
    register(RobustAssociation)
    register(RobustAssociationCausal)
