"""How a metric is written: its options, what the engine passes to it, and the finding it returns."""

from typing import TYPE_CHECKING

from biascore.basics.lazy import lazily

if TYPE_CHECKING:
    from biascore.basics.frozen import Scalar as Scalar
    from biascore.hookspecs import hookimpl as hookimpl
    from biascore.metric import Context as Context
    from biascore.metric import Diagnosis as Diagnosis
    from biascore.metric import Diagnostic as Diagnostic
    from biascore.metric import Draws as Draws
    from biascore.metric import Metric as Metric
    from biascore.metric import MetricOptions as MetricOptions
    from biascore.metric import Resamples as Resamples
    from biascore.models.model import Model as Model
    from biascore.results.caveat import Caveat as Caveat
    from biascore.results.caveat import caveats_of as caveats_of
    from biascore.results.coverage import Coverage as Coverage
    from biascore.results.coverage import LostWord as LostWord
    from biascore.results.estimates import ConfidenceInterval as ConfidenceInterval
    from biascore.results.estimates import Equivalence as Equivalence
    from biascore.results.estimates import Estimate as Estimate
    from biascore.results.estimates import PValue as PValue
    from biascore.results.estimators import EVERY_ITEM as EVERY_ITEM
    from biascore.results.estimators import ClusterContrast as ClusterContrast
    from biascore.results.estimators import Contrast as Contrast
    from biascore.results.estimators import Total as Total
    from biascore.results.finding import Finding as Finding
    from biascore.results.measurement import item_table as item_table
    from biascore.stimuli import Test as Test
else:
    __getattr__, __dir__ = lazily(__name__)
