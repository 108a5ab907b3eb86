"""Equity Evaluation Corpora (Kiritchenko & Mohammad 2018; Câmara et al. 2022): the metric, and the format of their parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from biascore.api.metrics import hookimpl

if TYPE_CHECKING:
    from biascore.api.formats import DataFormat
    from biascore.api.metrics import Metric


@hookimpl
def register_formats(register: Callable[[type[DataFormat]], None]) -> None:
    """Provide the data format ``eec-parts``."""
    from biascore_metrics.eec.format import EecPartsFormat

    register(EecPartsFormat)


@hookimpl
def register_metrics(register: Callable[[type[Metric]], None]) -> None:
    """Provide the metric ``eec``."""
    from biascore_metrics.eec.metric import Eec

    register(Eec)
