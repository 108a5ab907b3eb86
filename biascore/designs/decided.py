"""From what a metric measured to a finding: the verdict, the equivalence bound and the diagnostics, in one place."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

from typing_extensions import TypeVar

from biascore.designs.bounds import NO_BOUND
from biascore.metric import Context, Diagnostic, Metric, MetricOptions
from biascore.models.model import Model
from biascore.results.estimates import Equivalence, Estimate
from biascore.results.finding import Finding, Result
from biascore.stats import Attainable, Decision, Interval, Verdict, decide
from biascore.stimuli import Test


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided(Result):
    """A result, and the test of its headline, from which the verdict follows.

    ``p_value`` and ``interval`` are around ``neutral``; ``problem`` says as a clause why there is no test. ``bound`` is that
    of equivalence, in the unit of the estimate ``bound_of`` (the headline, where it is empty), whose interval it is; the
    reason names it so, or as it is ``called``. ``bounded`` is False where the bound says nothing of this result. ``more``:
    sentences that follow the reason. ``decision`` takes the place of the rule where a metric has one of its own. ``scores``
    are what diagnostics look at, ``few``: whether they are too few to be measured.
    """

    p_value: float | None = None
    interval: Interval | None = None
    neutral: float = 0.0
    problem: str = ""
    bound: float | None = None
    bound_of: str = ""
    called: str = ""
    bounded: bool = True
    more: str = ""
    decision: Decision | None = None
    scores: Sequence[Any] = ()
    few: bool = False


class NamesOptions(MetricOptions):
    """Options of which some have several names as their value: in the variant these are joined by plus signs."""

    def written(self, value: Any) -> str:
        """Names in short; a bound of "none" as it is given."""
        if isinstance(value, Mapping):
            return "+".join(f"{key}:{one}" for key, one in value.items())
        if isinstance(value, tuple | list):
            return "+".join(map(str, value))
        return NO_BOUND if value is None else str(value)


OptionsT = TypeVar("OptionsT", bound=MetricOptions, default=Any)
TestT = TypeVar("TestT", bound=Test, default=Any)


class DecidedMetric(Metric[OptionsT, TestT]):
    """A metric that gives a result with its test; what follows from the two is the same for all.

    ``diagnostics`` look at the scores, before those that plugins register.
    """

    diagnostics: ClassVar[tuple[Diagnostic, ...]] = ()

    @abstractmethod
    def result(self, model: Model, test: TestT, context: Context) -> Decided:
        """The method, from the model's answers to estimates, items, and the test of the headline."""

    def measure(self, model: Model, test: TestT, context: Context) -> Finding:
        """The result with its verdict, its bound, and what diagnostics say of its scores."""
        found, alpha = self.result(model, test, context), self.options.alpha
        diagnosed = [
            context.diagnose(self.diagnostics, model, test, one, few=found.few) for one in found.scores
        ]
        stated = {name: value for one in diagnosed for name, value in one.stated.items()}
        bound = found.bound if found.bounded else None
        own = {one.name: getattr(found, one.name) for one in fields(Result)}
        own["estimates"] += tuple(estimate for one in diagnosed for estimate in one.estimates)
        own["caveats"] = (*(caveat for one in diagnosed for caveat in one.caveats), *found.caveats)
        own["model_conventions"] += tuple(stated)
        own["conventions"] = {
            "equivalence bound": found.bound,
            "alpha": alpha,
            **found.conventions,
            **stated,
        }
        decision = found.decision or _decision(found, alpha, bound)
        if found.estimates[0].value is None:
            decision = replace(decision, verdict=Verdict.NOT_MEASURED)
        return Finding(
            **own,
            decision=decision,
            equivalence=Equivalence.within(bound, found.bound_of or found.estimates[0].name),
        )


def by_test(
    estimate: Estimate,
    interval: Interval | None,
    options: MetricOptions,
    bound: float | None,
    *,
    problem: str,
    attainable: Attainable | None = None,
    told: str = "",
) -> Decision:
    """The decision by the deciding p-value of an estimate and its interval; not measured without one.

    ``told`` is said after the reason, and then an effect the other way, for which a one-sided test does not look.
    """
    if estimate.value is None:
        return Decision(Verdict.NOT_MEASURED, f"It could not be measured: {problem}.")
    p_value, alpha = estimate.p_values[0].value, options.alpha
    found = decide(p_value, interval, alpha=alpha, bound=bound, attainable=attainable)
    reason = f"{found.reason} {told}".rstrip()
    opposite = estimate.opposite(alpha)
    if opposite and found.verdict is Verdict.INCONCLUSIVE:
        reason += f" But {opposite}."
    return Decision(found.verdict, reason)


def _decision(found: Decided, alpha: float, bound: float | None) -> Decision:
    if found.problem:
        decision = Decision(Verdict.INCONCLUSIVE, f"It could not be tested: {found.problem}.")
    else:
        of = found.called or found.bound_of
        decision = decide(
            found.p_value, found.interval, alpha=alpha, bound=bound, neutral=found.neutral, of=of
        )
    return Decision(decision.verdict, f"{decision.reason} {found.more}".strip())
