"""Impact ratios: how often people of each category are selected, over the category that is selected most often."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from biascore.api.metrics import hookimpl

if TYPE_CHECKING:
    from biascore.api.exporters import Exporter
    from biascore.api.formats import DataFormat
    from biascore.api.metrics import Metric


@hookimpl
def register_metrics(register: Callable[[type[Metric]], None]) -> None:
    """Provide ``impact-ratio``."""
    from biascore_metrics.impact_ratio.metric import ImpactRatio

    register(ImpactRatio)


@hookimpl
def register_formats(register: Callable[[type[DataFormat]], None]) -> None:
    """Provide the data format ``outcomes``."""
    from biascore_metrics.impact_ratio.items import OutcomesFormat

    register(OutcomesFormat)


@hookimpl
def register_exporters(register: Callable[[type[Exporter]], None]) -> None:
    """Provide the output format ``impact-tables``."""
    from biascore_metrics.impact_ratio.metric import ImpactTables

    register(ImpactTables)
