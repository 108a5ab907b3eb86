"""The Word Embedding Association Test and its single-category form (Caliskan et al. 2017)."""

from __future__ import annotations

from collections.abc import Callable

from biascore.plugins_api import Metric, hookimpl
from biascore_metrics.weat.single import ScWeat
from biascore_metrics.weat.weat import Weat


@hookimpl
def register_metrics(register: Callable[[type[Metric]], None]) -> None:
    """Provide ``weat`` and ``sc-weat``."""
    register(Weat)
    register(ScWeat)
