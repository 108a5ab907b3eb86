"""A metric whose result is a mean of scores of items: from scores with their clusters to a finding, in one place."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from typing_extensions import TypeVar

from biascore.basics.frozen import Scalar
from biascore.designs.clustered import ClusteredOptions
from biascore.designs.decided import Decided, DecidedMetric
from biascore.designs.mean import Mean, least_p
from biascore.designs.words import covered
from biascore.metric import Context
from biascore.models.model import Model
from biascore.results.caveat import Caveat
from biascore.results.estimates import Estimate
from biascore.results.estimators import Total
from biascore.results.figures import Figure
from biascore.results.measurement import item_table
from biascore.stats import Unreachable
from biascore.stimuli import Rows, Test

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scored:
    """What a metric gives: a score of each item, by which the items are alike, and its own words.

    ``values`` (n,) with ``weights`` (n,), equal if None; ``clusters`` as `Mean.of` takes them. ``item`` and ``group`` (n,)
    name the items, ``columns`` (n,) are further ones of the item table. ``lost`` are items without a score, with the reason.
    ``problem``: why there is no mean although there are scores. ``estimates`` follow the headline, in their order.
    """

    values: Floats
    item: Sequence[str]
    group: Sequence[str]
    clusters: Mapping[str, Sequence[str]] = field(default_factory=dict)
    weights: Floats | None = None
    columns: Mapping[str, Any] = field(default_factory=dict)
    lost: Sequence[tuple[str, str]] = ()
    problem: str = ""
    estimates: Sequence[Estimate] = ()
    caveats: Sequence[Caveat] = ()
    conventions: Mapping[str, Scalar] = field(default_factory=dict)
    figures: tuple[Figure, ...] = ()

    def mean(self, level: float, **how: Any) -> Mean:
        """The mean of all; of none where there is a problem."""
        kept = slice(0) if self.problem else slice(None)
        clusters = {name: labels[kept] for name, labels in self.clusters.items()}
        weights = None if self.weights is None else self.weights[kept]
        return Mean.of(self.values[kept], clusters, level, weights=weights, **how)


OptionsT = TypeVar("OptionsT", bound=ClusteredOptions, default=ClusteredOptions)
TestT = TypeVar("TestT", bound=Test, default=Test)


class MeanMetric(DecidedMetric[OptionsT, TestT]):
    """A metric whose method is a score of each item; the headline is their mean by clusters (`Mean`).

    ``headline`` names it, ``unit`` is that of a score, ``items`` is what items are called and ``role`` the list of the test
    that they come from. ``cluster_columns`` are the columns of the item table that identify clusters where two models are
    compared. ``limits`` are those of a score, ``item_neutral`` is its value without a bias.
    """

    headline: ClassVar[str]
    unit: ClassVar[str]
    items: ClassVar[str] = "items"
    role: ClassVar[Literal["samples", "pairs"]] = "samples"
    item_value: ClassVar[str]
    item_neutral: ClassVar[float | None] = 0.0
    neutral: ClassVar[float] = 0.0
    limits: ClassVar[tuple[float, float] | None] = None
    negative_means: ClassVar[str] = ""
    cluster_columns: ClassVar[tuple[str, ...]] = ("item",)

    @abstractmethod
    def score(self, model: Model, test: TestT, context: Context) -> Scored:
        """The method: a score for each item, and what else is known of them."""

    def clusters_of(self, test: TestT) -> Mapping[str, Sequence[str]]:
        """The clusters of the items of a test by the factors of `Scored.clusters`, known before anything is asked."""
        return {}

    def cautions(self, scores: Scored, mean: Mean) -> Sequence[Caveat]:
        """Caveats that follow from the mean."""
        return ()

    def unreachable(self, test: TestT) -> tuple[Unreachable, ...]:
        """That few clusters can detect nothing."""
        by = self.clusters_of(test)
        if not by or not all(by.values()):
            return ()
        least = max((least_p(labels, what) for what, labels in by.items()), key=lambda one: one.p_value)
        return Unreachable.detected(least, self.options.alpha)

    def result(self, model: Model, test: TestT, context: Context) -> Decided:
        """The mean, then the estimates of the method; items are what is scored."""
        options = self.options
        scores = self.score(model, test, context)
        mean = scores.mean(options.confidence, neutral=self.neutral, limits=self.limits, items=self.items)
        headline = mean.estimate(self.headline, self.unit)
        added: list[float | None] = [None] * len(scores.values)
        if mean.value is not None:
            share = np.ones(len(scores.values)) if scores.weights is None else scores.weights
            added = (share / share.sum() * scores.values).tolist()
            headline = headline.model_copy(update={"estimator": Total(cluster=self.cluster_columns)})
        rows = test.lists[self.role]
        unread = rows.unread if isinstance(rows, Rows) else ()
        lost = ((item, self.role, why) for item, why in (*scores.lost, *unread))
        return Decided(
            variant=options.variant(model),
            negative_means=self.negative_means,
            estimates=(headline, *scores.estimates),
            p_value=mean.p_value,
            interval=mean.interval,
            neutral=self.neutral,
            problem="" if mean.p_value is not None else scores.problem or mean.problem,
            bound=options.bound,
            scores=(scores,),
            few=mean.p_value is None,
            coverage=covered({self.role: len(scores.values)}, lost),
            caveats=(*self.cautions(scores, mean), *scores.caveats),
            conventions=scores.conventions,
            item_value=self.item_value,
            item_neutral=self.item_neutral,
            figures=scores.figures,
            items=item_table(
                item=list(scores.item),
                group=list(scores.group),
                value=scores.values.tolist(),
                more={**scores.columns, "contribution": added},
            ),
        )
