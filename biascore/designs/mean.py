"""Metrics whose headline is the mean of one score for each target word, such as MAC."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Final

import numpy as np
from pydantic import Field
from typing_extensions import TypeVar

from biascore.designs.crossed import Crossed, Floats
from biascore.designs.diagnostics import NearDuplicates
from biascore.designs.words import WordOptions, composed_caveat, coverage_caveats
from biascore.metric import Context, Draws, Metric, MetricOptions
from biascore.models.model import Model
from biascore.results.estimates import ConfidenceInterval, Equivalence, Estimate, PValue
from biascore.results.estimators import EVERY_ITEM, Contrast
from biascore.results.finding import Finding
from biascore.results.measurement import item_table
from biascore.stats import Decision, RegressionError, Unreachable, Verdict, ZeroVarianceError, decide
from biascore.stats.attainable import of_signs
from biascore.stats.paired import sign_flip_test
from biascore.stats.robust_mean import robust_mean
from biascore.stimuli import Test

MEAN: Final = (NearDuplicates(),)


class MeanOptions(WordOptions):
    """``bound``: a mean whose whole interval is this near to the neutral value is negligible; ``draws`` of signs."""

    bound: float | None = Field(default=None, gt=0)
    draws: Draws = 100_000


OptionsT = TypeVar("OptionsT", bound=MeanOptions, default=MeanOptions)


class MeanMetric(Metric[OptionsT, Test]):
    """A metric whose method is a score of each word of one role; the headline is their mean.

    ``targets`` names the role, ``estimate``, ``unit`` and ``neutral`` the headline and its value where there is no bias. A
    sign-flip test of the scores around ``neutral`` decides (Fisher 1935), in which words of a family are one; the interval
    is of `robust_mean`.
    """

    rule = "Detected when a sign-flip test of the scores of the target words around the neutral value has p at most alpha."
    option_type: ClassVar[type[MetricOptions]] = MeanOptions
    targets: ClassVar[str] = "T"
    estimate: ClassVar[str]
    unit: ClassVar[str]
    neutral: ClassVar[float] = 0.0

    @abstractmethod
    def associate(self, model: Model, test: Test, context: Context) -> Crossed:
        """The associations (n, m) of the usable target words with those of the other roles."""

    @abstractmethod
    def scores(self, found: Crossed) -> Floats:
        """The score of each target word (n,), from a table that is not empty."""

    def unreachable(self, test: Test) -> tuple[Unreachable, ...]:
        """What so few words cannot show."""
        given = test.roles[self.targets]
        units = {given.family_of(word) for word in given.words}
        return Unreachable.detected(of_signs(len(units), "target words"), self.options.alpha)

    def measure(self, model: Model, test: Test, context: Context) -> Finding:
        """The mean score with its p-value and interval; items are the target words."""
        options = self.options
        found = self.associate(model, test, context)
        words = found.words[self.targets] if found.table.size else ()
        scores = self.scores(found) if words else np.empty(0)
        families = [test.roles[self.targets].family_of(word) for word in words]
        diagnosed = context.diagnose(MEAN, model, test, found, few=len(words) < 2)
        estimate, decision = self._estimate(scores, families, context)
        return Finding(
            estimates=(estimate, *diagnosed.estimates),
            decision=decision,
            equivalence=Equivalence.within(options.bound, self.estimate),
            coverage=found.coverage,
            caveats=(*diagnosed.caveats, *coverage_caveats(found.coverage), *composed_caveat(found.coverage)),
            conventions={
                "deciding p-value": "sign flips of the scores of target words",
                "draws where not exact": options.draws,
                "equivalence bound": options.bound,
                "alpha": options.alpha,
                **options.words_stated(),
                **diagnosed.stated,
            },
            item_value=self.unit,
            item_neutral=self.neutral,
            items=item_table(words, [self.targets] * len(words), scores.tolist()),
        )

    def _estimate(self, scores: Floats, families: list[str], context: Context) -> tuple[Estimate, Decision]:
        options = self.options
        if not scores.size:
            nothing = Estimate(
                name=self.estimate, value=None, unit=self.unit, neutral=self.neutral, n={self.targets: 0}
            )
            reason = "It could not be measured: no target word is usable, or none of the other words."
            return nothing, Decision(Verdict.INCONCLUSIVE, reason)
        _, unit = np.unique(families, return_inverse=True)
        sums = np.bincount(unit, weights=scores - self.neutral)
        test = sign_flip_test(sums, draws=options.draws, rng=context.rng)
        try:
            interval = robust_mean(scores, clusters=families, level=options.confidence).interval
        except (RegressionError, ZeroVarianceError):
            interval = None
        decision = decide(
            test.p_value,
            interval,
            alpha=options.alpha,
            bound=options.bound,
            neutral=self.neutral,
            attainable=of_signs(len(sums), "target words"),
        )
        p_value = PValue(
            name="sign flips",
            value=test.p_value,
            kind=test.method,
            alternative="two-sided",
            n=test.n_total,
            se=test.mc_se,
        )
        estimate = Estimate(
            name=self.estimate,
            value=float(scores.mean()),
            unit=self.unit,
            neutral=self.neutral,
            n={self.targets: len(scores)},
            interval=ConfidenceInterval.of(interval) if interval else None,
            p_values=(p_value,),
            estimator=Contrast(groups={EVERY_ITEM: 1.0}),
        )
        return estimate, decision
