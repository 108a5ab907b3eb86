"""GEST (Pikuliak et al. 2023): stereotypes in translation, in masked and in causal language models, and its data."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from biascore.api.metrics import hookimpl

if TYPE_CHECKING:
    from biascore.api.formats import DataFormat
    from biascore.api.metrics import Metric


@hookimpl
def register_metrics(register: Callable[[type[Metric]], None]) -> None:
    """Provide ``gest-mt`` and ``gest-lm``, and its old names."""
    from biascore_metrics.gest.lm import GestCausal, GestLm, GestMlm
    from biascore_metrics.gest.translation import GestMt

    register(GestMt)
    register(GestLm)
    register(GestMlm)
    register(GestCausal)


@hookimpl
def register_formats(register: Callable[[type[DataFormat]], None]) -> None:
    """Provide the data formats ``gest`` and ``gender-variants``."""
    from biascore_metrics.gest.formats import GenderVariantsFormat, GestFormat

    register(GestFormat)
    register(GenderVariantsFormat)
