"""What a metric returns, made into a measurement, and compared with what a measurement can be."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final

import pyarrow as pa

from biascore.basics.frozen import Scalar
from biascore.basics.wording import true_minus
from biascore.models.questions.outcomes import Outcomes
from biascore.results.caveat import Caveat, WithCaveats
from biascore.results.coverage import Coverage
from biascore.results.estimates import Equivalence, Estimate
from biascore.results.figures import Figure
from biascore.results.measurement import Measurement, item_table
from biascore.results.specificity import Specificity
from biascore.results.verdicts import contradiction
from biascore.stats import Decision, Unreachable, Verdict, with_reach
from biascore.stats.harmless import HarmlessPairs
from biascore.stimuli import Test

_NONE: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Result(WithCaveats):
    """What a metric found for one test on one model, without the verdict; which these were, the engine knows.

    ``estimates``: the first is the headline; ``read_first`` names the one that a reader needs before it, if any.
    ``needed``: the lists of which more than half has to be used (None: each; empty: of all together). ``language`` and
    ``positive_means`` are given where they are not the test's own. ``quote``: the result in a sentence that can be quoted
    alone. ``harmless`` gives what harmless groups give in the place of the test's own, of which a run makes harmless audits.
    All else is as in ``Measurement``, which the engine makes of it.
    """

    estimates: tuple[Estimate, ...]
    coverage: Coverage
    conventions: Mapping[str, Scalar]
    model_conventions: tuple[str, ...] = ()
    specificity: Specificity | None = None
    harmless: Callable[[], HarmlessPairs] | None = None
    caveats: tuple[Caveat, ...] = ()
    needed: tuple[str, ...] | None = None
    read_first: str = ""
    dimensions: Mapping[str, bool] = field(default_factory=dict)
    variant: str = ""
    subject: str = ""
    change_from: str = ""
    joined: tuple[str, ...] = ()
    describes: bool = False
    language: str = ""
    positive_means: str = ""
    negative_means: str = ""
    quote: str = ""
    item_value: str = "value of the item"
    item_neutral: float | None = 0.0
    figures: tuple[Figure, ...] = ()
    items: pa.Table = field(default_factory=item_table)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding(Result):
    """A result with its verdict. ``decision``: the verdict with its reason, None for a metric that tests nothing."""

    decision: Decision | None = None
    equivalence: Equivalence | None = None


def measurement_of(
    found: Finding,
    *,
    metric: str,
    alpha: float,
    test: Test,
    model: str,
    seed: int,
    unreachable: Iterable[Unreachable] = (),
    of_model: Mapping[str, str] = _NONE,
    of_asking: Mapping[str, str] = _NONE,
    first_words: Callable[[], Sequence[str]] = tuple,
    outcomes: Outcomes | None = None,
) -> Measurement:
    """The measurement that a finding is; ``alpha`` is the level at which the metric decides.

    ``of_model`` are the conventions that the model states of itself, ``of_asking`` those of how it was asked, which two
    measurements have to share to be compared. ``first_words`` gives words of its vocabulary as examples;
    ``outcomes`` are what became of its choices and texts.
    What is ``unreachable`` with this test is in the reason of an inconclusive verdict on what could be estimated.

    Raises ValidationError for values that cannot be.
    """
    outcomes = outcomes or Outcomes()
    found = _of_unread(_of_lost(found, test, first_words), outcomes)
    short = outcomes.short
    unread = (Caveat(outcomes.told, bool(short), short),) if outcomes.unread else ()
    caveats = (*_in_other_case(found.coverage), *found.caveats, *unread)
    measured = bool(found.estimates) and found.estimates[0].value is not None
    decision = found.decision or Decision(
        Verdict.INCONCLUSIVE if measured else Verdict.NOT_MEASURED, "It tests nothing."
    )
    if found.decision is not None and measured:
        decision = with_reach(decision, unreachable)
    return Measurement(
        metric=metric,
        variant=found.variant,
        subject=found.subject,
        change_from=found.change_from,
        describes=found.describes,
        test=test.id,
        test_title=test.title,
        joined=found.joined,
        language=found.language or test.language,
        concept=test.concept,
        model=model,
        positive_means=found.positive_means or test.positive_means,
        negative_means=found.negative_means,
        quote=true_minus(found.quote),
        estimates=found.estimates,
        read_first=found.read_first,
        lead=test.lead,
        dimensions=found.dimensions,
        verdict=decision.verdict,
        reason=decision.reason,
        alpha=alpha if found.decision else None,
        equivalence=found.equivalence,
        specificity=found.specificity,
        coverage=found.coverage,
        answers=dict(outcomes.counts),
        caveats=caveats,
        conventions={**found.conventions, **test.conventions, **of_model, **of_asking},
        model_conventions=(*found.model_conventions, *test.conventions, *of_model),
        seed=seed,
        item_value=found.item_value,
        item_neutral=found.item_neutral,
        figures=found.figures,
        items=found.items,
    )


def _in_other_case(coverage: Coverage) -> tuple[Caveat, ...]:
    """That the model has most lost words, and a quarter of all, in upper or lower case: its vocabulary may have no other."""
    many, case, word = coverage.in_other_case
    if not many or 2 * many < len(coverage.missing) or 4 * many < sum(coverage.given.values()):
        return ()
    other = {"lower case": "ask in lower case (of word vectors: -o model.case=lower)"}
    text = (
        f"{many} of the {len(coverage.missing)} lost words are in the vocabulary in {case}, such as {word!r}. Where all its "
        f"words are, {other.get(case, 'choose a model with both cases')}, or write the words of the test as it has them"
    )
    return (Caveat(text, short=f"lost words are in the vocabulary in {case}"),)


def _of_unread(found: Finding, outcomes: Outcomes) -> Finding:
    """The finding; where it has no number because no answer says anything, that and some of the answers are its reason."""
    if not found.decision or found.estimates[0].value is not None or not outcomes.none_chosen:
        return found
    nothing = "No text was written" if outcomes.texts else "No answer chose an option"
    reason = f"{nothing}, so it was not measured: {outcomes.unread}. {outcomes.advice}."
    return replace(found, decision=Decision(Verdict.NOT_MEASURED, reason))


def _of_lost(found: Finding, test: Test, first_words: Callable[[], Sequence[str]]) -> Finding:
    """The finding; not measured where a list lost all, half or more of its items, or more than the test allows.

    What is left is another test, and its words are no longer matched: its number is kept as a further estimate.
    """
    if not found.decision or not found.estimates:
        return found
    headline, *others = found.estimates
    whole = found.coverage.wholly(found.needed) and found.coverage.wholly(found.needed, first_words())
    if headline.value is None:
        return replace(found, decision=_lost(whole, found.coverage)) if whole else found
    lost = whole or found.coverage.halved(found.needed) or _below_least(found.coverage, test)
    if not lost:
        return found
    rest = headline.model_copy(update={"name": f"{headline.name}, of what is left", "estimator": None})
    update: dict[str, Any] = {"value": None, "interval": None, "p_values": (), "estimator": None}
    return replace(
        found,
        estimates=(headline.model_copy(update=update), *others, rest),
        quote="",
        decision=_lost(whole, found.coverage)
        if whole
        else Decision(
            Verdict.NOT_MEASURED,
            f"It was not measured: {lost}, so what is left is another test; its numbers are in the details. "
            f"{_advice(found.coverage)}",
        ),
    )


def _lost(whole: str, coverage: Coverage) -> Decision:
    return Decision(
        Verdict.NOT_MEASURED, f"{whole[0].upper()}{whole[1:]}, so it was not measured. {_advice(coverage)}"
    )


def _below_least(coverage: Coverage, test: Test) -> str:
    """The lists that have fewer usable words than the share that the test states; an empty text without any."""
    short = [
        f"{role} has {coverage.used.get(role, 0)} usable words of {given}"
        for role, given in coverage.given.items()
        if coverage.used.get(role, 0) < test.least(given)
    ]
    return f"{'; '.join(short)}, and this test takes {test.min_used:z.0%} of each list" if short else ""


def _advice(coverage: Coverage) -> str:
    """What to do about lost words."""
    many, case, _ = coverage.in_other_case
    if 2 * many <= len(coverage.missing):
        return "Check the language, the spelling and the encoding of the test and the model."
    if case == "lower case":
        return "The vocabulary has them in lower case: of word vectors, ask so with -o model.case=lower."
    return f"The vocabulary has them in {case}: write the words of the test so."


def wrong_result(found: Measurement) -> str:
    """What is wrong with what a metric returned, as a clause; empty where nothing is."""
    columns = found.items.column_names[:3]
    if columns and columns != item_table().column_names:
        return f"returned items whose first columns are {', '.join(columns)}, and not item, group, value"
    for name, column in zip(found.items.column_names, found.items.columns, strict=True):
        # Not by pyarrow.compute, nor as an array, which imports pandas: both take longer than to measure most tests.
        if pa.types.is_floating(column.type) and not all(
            map(math.isfinite, filter(None, column.to_pylist()))
        ):
            return f"returned items with a {name} that is not finite (use None for a missing one)"
    contradicted = contradiction(found)
    return f"returned a verdict that does not follow: {contradicted}" if contradicted else ""
