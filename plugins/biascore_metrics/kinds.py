"""The kinds of test, each of which is with its method; one plugin, so that every file of tests can be read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from biascore.api.metrics import hookimpl

if TYPE_CHECKING:
    from biascore.api.kinds import TestEntry


@hookimpl
def register_kinds(register: Callable[[type[TestEntry]], None]) -> None:
    """Provide fise, sentence-pairs, samples, associations, nouns, equity, choices and decisions."""
    from biascore_metrics.bbq.items import ChoicesTestEntry
    from biascore_metrics.crows_pairs.items import SentencePairsTestEntry
    from biascore_metrics.discrim_eval.items import DecisionsTestEntry
    from biascore_metrics.eec.kind import EquityEntry
    from biascore_metrics.fise.items import FiseEntry
    from biascore_metrics.gest.kind import SamplesTestEntry
    from biascore_metrics.grammatical_gender.kind import NounsEntry
    from biascore_metrics.robust.items import AssociationsEntry

    for entry in (
        FiseEntry,
        SentencePairsTestEntry,
        SamplesTestEntry,
        AssociationsEntry,
        NounsEntry,
        EquityEntry,
        ChoicesTestEntry,
        DecisionsTestEntry,
    ):
        register(entry)
