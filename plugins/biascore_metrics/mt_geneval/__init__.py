"""MT-GenEval (Currey et al. 2022): does a translation keep the gender that the English sentence states?"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from biascore.api.metrics import hookimpl

if TYPE_CHECKING:
    from biascore.api.formats import DataFormat
    from biascore.api.metrics import Metric


@hookimpl
def register_metrics(register: Callable[[type[Metric]], None]) -> None:
    """Provide ``mt-geneval``."""
    from biascore_metrics.mt_geneval.metric import MtGeneval

    register(MtGeneval)


@hookimpl
def register_formats(register: Callable[[type[DataFormat]], None]) -> None:
    """Provide the data format ``mt-geneval``."""
    from biascore_metrics.mt_geneval.items import MtGenevalFormat

    register(MtGenevalFormat)
