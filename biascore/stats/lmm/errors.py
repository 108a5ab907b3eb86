"""What fitting a mixed model can fail for."""

from __future__ import annotations

from biascore.errors import BiascoreError


class MixedModelError(BiascoreError, ValueError):
    """Scores, weights, groups or a design from which the model asked for cannot be estimated."""
