"""BBQ (Parrish et al. 2022) and its kin: questions with options, of which one agrees with a stereotype."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from biascore.api.metrics import hookimpl

if TYPE_CHECKING:
    from biascore.api.formats import DataFormat
    from biascore.api.metrics import Metric


@hookimpl
def register_formats(register: Callable[[type[DataFormat]], None]) -> None:
    """Provide the data formats ``bbq``, ``esbbq``, ``kobbq``, ``ggbbq`` and ``mbbq``."""
    from biascore_metrics.bbq.formats.bbq import Bbq, EsBbq, Mbbq
    from biascore_metrics.bbq.formats.kin import GgBbq, KoBbq

    for family in (Bbq, EsBbq, KoBbq, GgBbq, Mbbq):
        register(family)


@hookimpl
def register_metrics(register: Callable[[type[Metric]], None]) -> None:
    """Provide ``bbq``."""
    from biascore_metrics.bbq.metric import Bbq

    register(Bbq)
