"""Whom does a pronoun mean? WinoBias (Zhao et al. 2018) and Winogender (Rudinger et al. 2018), with their data formats."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from biascore.api.metrics import hookimpl

if TYPE_CHECKING:
    from biascore.api.formats import DataFormat
    from biascore.api.metrics import Metric


@hookimpl
def register_metrics(register: Callable[[type[Metric]], None]) -> None:
    """Provide ``winobias`` and ``winogender``."""
    from biascore_metrics.coreference.winobias import WinoBias
    from biascore_metrics.coreference.winogender import Winogender

    register(WinoBias)
    register(Winogender)


@hookimpl
def register_formats(register: Callable[[type[DataFormat]], None]) -> None:
    """Provide the data formats ``winobias`` and ``winogender``."""
    from biascore_metrics.coreference.winobias_items import WinoBiasFormat
    from biascore_metrics.coreference.winogender_items import WinogenderFormat

    register(WinoBiasFormat)
    register(WinogenderFormat)
