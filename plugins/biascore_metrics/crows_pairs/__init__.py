"""CrowS-Pairs (Nangia et al. 2020) for masked and for causal language models, and the data format of its file."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from biascore.api.metrics import hookimpl

if TYPE_CHECKING:
    from biascore.api.formats import DataFormat
    from biascore.api.metrics import Metric


@hookimpl
def register_metrics(register: Callable[[type[Metric]], None]) -> None:
    """Provide ``crows-pairs``, its old name on causal models, and ``crows-pairs-mixed``."""
    from biascore_metrics.crows_pairs.metrics import CrowsPairs, CrowsPairsCausal
    from biascore_metrics.crows_pairs.mixed import CrowsPairsMixed

    register(CrowsPairs)
    register(CrowsPairsCausal)
    register(CrowsPairsMixed)


@hookimpl
def register_formats(register: Callable[[type[DataFormat]], None]) -> None:
    """Provide the data format ``crows-pairs``."""
    from biascore_metrics.crows_pairs.items import CrowsPairsFormat

    register(CrowsPairsFormat)
