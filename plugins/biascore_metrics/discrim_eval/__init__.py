"""Discrim-Eval (Tamkin et al. 2023): decisions about persons who differ in age, gender and race alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from biascore.api.metrics import hookimpl

if TYPE_CHECKING:
    from biascore.api.formats import DataFormat
    from biascore.api.metrics import Metric


@hookimpl
def register_formats(register: Callable[[type[DataFormat]], None]) -> None:
    """Provide the data format ``discrim-eval``."""
    from biascore_metrics.discrim_eval.format import DiscrimEvalFormat

    register(DiscrimEvalFormat)


@hookimpl
def register_metrics(register: Callable[[type[Metric]], None]) -> None:
    """Provide the metric ``discrim-eval``."""
    from biascore_metrics.discrim_eval.metric import DiscrimEval

    register(DiscrimEval)
