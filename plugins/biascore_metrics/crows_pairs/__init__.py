"""CrowS-Pairs (Nangia et al. 2020) for masked and for causal language models, and the data format of its file."""

from __future__ import annotations

from collections.abc import Callable

from biascore.plugins_api import DataFormat, Metric, hookimpl
from biascore_metrics.crows_pairs.format import CrowsPairsFormat
from biascore_metrics.crows_pairs.metrics import CrowsPairs, CrowsPairsCausal
from biascore_metrics.crows_pairs.mixed import CrowsPairsMixed


@hookimpl
def register_metrics(register: Callable[[type[Metric]], None]) -> None:
    """Provide ``crows-pairs``, ``crows-pairs-causal`` and ``crows-pairs-mixed``."""
    register(CrowsPairs)
    register(CrowsPairsCausal)
    register(CrowsPairsMixed)


@hookimpl
def register_formats(register: Callable[[type[DataFormat]], None]) -> None:
    """Provide the data format ``crows-pairs``."""
    register(CrowsPairsFormat)
