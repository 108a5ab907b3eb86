"""Scores with their design: from what a method gives to effect, interval, p, decision and caveats."""

from typing import TYPE_CHECKING

from biascore.basics.lazy import lazily

if TYPE_CHECKING:
    from biascore.designs.association import AssociationMetric as AssociationMetric
    from biascore.designs.clustered import Clustered as Clustered
    from biascore.designs.clustered import ClusteredMetric as ClusteredMetric
    from biascore.designs.clustered import ClusteredOptions as ClusteredOptions
    from biascore.designs.crossed import Crossed as Crossed
    from biascore.designs.decided import Decided as Decided
    from biascore.designs.decided import DecidedMetric as DecidedMetric
    from biascore.designs.diagnostics import NearDuplicates as NearDuplicates
    from biascore.designs.harmless import OfGroups as OfGroups
    from biascore.designs.mean import Mean as Mean
    from biascore.designs.mean import equal_weights as equal_weights
    from biascore.designs.mean_metric import MeanMetric as MeanMetric
    from biascore.designs.mean_metric import Scored as Scored
    from biascore.designs.options import AssociationOptions as AssociationOptions
    from biascore.designs.options import ReferenceOptions as ReferenceOptions
    from biascore.designs.options import VectorOptions as VectorOptions
    from biascore.designs.pairs.metric import PairMetric as PairMetric
    from biascore.designs.pairs.options import PairOptions as PairOptions
    from biascore.designs.pairs.scores import Paired as Paired
    from biascore.designs.pairs.scores import ScoredPair as ScoredPair
    from biascore.designs.perturbed import Shift as Shift
    from biascore.designs.words import RoleVectors as RoleVectors
    from biascore.designs.words import WordOptions as WordOptions
    from biascore.designs.words import coverage_caveats as coverage_caveats
    from biascore.designs.words import embed_words as embed_words
else:
    __getattr__, __dir__ = lazily(__name__)
