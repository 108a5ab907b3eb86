"""The Word Embedding Association Test and its single-category form (Caliskan et al. 2017)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from biascore.api.metrics import hookimpl

if TYPE_CHECKING:
    from biascore.api.formats import DataFormat
    from biascore.api.metrics import Metric


@hookimpl
def register_metrics(register: Callable[[type[Metric]], None]) -> None:
    """Provide ``weat`` and ``sc-weat``."""
    from biascore_metrics.weat.single import ScWeat
    from biascore_metrics.weat.weat import Weat

    register(Weat)
    register(ScWeat)


@hookimpl
def register_formats(register: Callable[[type[DataFormat]], None]) -> None:
    """Provide ``words``."""
    from biascore_metrics.weat.words import WordsFormat

    register(WordsFormat)
