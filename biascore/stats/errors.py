"""What a regression can fail for."""

from __future__ import annotations

from biascore.errors import BiascoreError


class RegressionError(BiascoreError, ValueError):
    """Scores, weights, groups or a design from which the regression asked for cannot be estimated."""
