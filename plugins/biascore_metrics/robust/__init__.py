"""Robust bias detection (Shrestha, Tay & Srinivasan 2025): associations by a mixed model, weighted by perplexity."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from biascore.api.metrics import hookimpl

if TYPE_CHECKING:
    from biascore.api.metrics import Metric


@hookimpl
def register_metrics(register: Callable[[type[Metric]], None]) -> None:
    """Provide ``robust-association``, and its old name on causal models."""
    from biascore_metrics.robust.metric import RobustAssociation, RobustAssociationCausal

    register(RobustAssociation)
    register(RobustAssociationCausal)
