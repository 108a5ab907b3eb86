"""Robust bias detection (Shrestha, Tay & Srinivasan 2025): associations by a mixed model, weighted by perplexity."""

from biascore.api.hooks import provides

register_metrics = provides(
    "biascore_metrics.robust.metric:RobustAssociation",
)
