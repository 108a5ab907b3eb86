"""StereoSet (Nadeem, Bethke & Reddy 2021) for masked and for causal language models, and the data format of its file."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from biascore.api.metrics import hookimpl

if TYPE_CHECKING:
    from biascore.api.formats import DataFormat
    from biascore.api.metrics import Metric


@hookimpl
def register_metrics(register: Callable[[type[Metric]], None]) -> None:
    """Provide ``stereoset``."""
    from biascore_metrics.stereoset.metric import StereoSet

    register(StereoSet)


@hookimpl
def register_formats(register: Callable[[type[DataFormat]], None]) -> None:
    """Provide the data format ``stereoset``."""
    from biascore_metrics.stereoset.items import StereoSetFormat

    register(StereoSetFormat)
