"""Grammatical gender separated from social gender (Omrani Sabbaghi & Caliskan 2022): its nouns and its measures."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from biascore.api.metrics import hookimpl

if TYPE_CHECKING:
    from biascore.api.formats import DataFormat
    from biascore.api.metrics import Metric


@hookimpl
def register_formats(register: Callable[[type[DataFormat]], None]) -> None:
    """Provide the data formats ``conllu``, ``nouns``, ``valence-norms``, ``analogies`` and ``noun-pairs``."""
    from biascore_metrics.grammatical_gender.conllu import ConlluFormat
    from biascore_metrics.grammatical_gender.formats import (
        AnalogiesFormat,
        NormsFormat,
        NounsFormat,
        PairsFormat,
    )

    for one in (ConlluFormat, NounsFormat, NormsFormat, AnalogiesFormat, PairsFormat):
        register(one)


@hookimpl
def register_metrics(register: Callable[[type[Metric]], None]) -> None:
    """Provide the measures of the paper, and of what a transform changes."""
    from biascore_metrics.grammatical_gender.analogy import Analogy
    from biascore_metrics.grammatical_gender.change import WeatChange
    from biascore_metrics.grammatical_gender.gg_weat import GgWeat
    from biascore_metrics.grammatical_gender.pairwise import PairwiseDistance
    from biascore_metrics.grammatical_gender.single import ScGgWeat
    from biascore_metrics.grammatical_gender.valnorm import ValNorm

    for one in (WeatChange, GgWeat, ScGgWeat, ValNorm, Analogy, PairwiseDistance):
        register(one)
