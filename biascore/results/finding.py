"""What a metric returns, made into a measurement, and compared with what a measurement can be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from biascore.basics.frozen import Scalar
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
_TESTS_NOTHING = Decision(Verdict.INCONCLUSIVE, "It tests nothing.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding(WithCaveats):
    """What a metric found for one test on one model; which these were, the engine knows.

    ``estimates``: the first is the headline; ``read_first`` names the one that a reader needs before it, if any.
    ``decision``: the verdict with its reason, None for a metric that tests nothing. ``needed``: the lists of
    which more than half has to be used (None: each; empty: of all together). ``language`` and ``positive_means`` are given
    where they are not the test's own. ``quote``: the result in a sentence that can be quoted alone. ``harmless``: what
    harmless groups give in the place of the test's own, of which a run makes harmless audits. All else is as in
    ``Measurement``, which the engine makes of it.
    """

    estimates: tuple[Estimate, ...]
    coverage: Coverage
    conventions: Mapping[str, Scalar]
    model_conventions: tuple[str, ...] = ()
    decision: Decision | None = None
    equivalence: Equivalence | None = None
    specificity: Specificity | None = None
    harmless: HarmlessPairs | None = None
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
    of_prompts: Mapping[str, str] = _NONE,
) -> Measurement:
    """The measurement that a finding is; ``alpha`` is the level at which the metric decides.

    ``of_model`` are the conventions that the model states of itself, ``of_prompts`` those of how it was given prompts.
    What is ``unreachable`` with this test is in the reason of an inconclusive verdict on what could be estimated.

    Raises ValidationError for values that cannot be.
    """
    found = _of_enough(_of_half(found), test)
    caveats = (*_in_other_case(found.coverage), *found.caveats)
    decision = found.decision or _TESTS_NOTHING
    if found.decision is not None and found.estimates[0].value is not None:
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
        quote=found.quote,
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
        caveats=caveats,
        conventions={**found.conventions, **test.conventions, **of_model, **of_prompts},
        model_conventions=(*found.model_conventions, *test.conventions, *of_model),
        seed=seed,
        item_value=found.item_value,
        item_neutral=found.item_neutral,
        figures=found.figures,
        items=found.items,
    )


def _of_enough(found: Finding, test: Test) -> Finding:
    """The finding; inconclusive where a list has fewer usable words than the share that the test states.

    The words that are left are no longer matched, so p-values and a bound say nothing of the test: they are kept with
    another estimate, of what is left.
    """
    short = [
        f"{role} has {found.coverage.used.get(role, 0)} usable words of {given}"
        for role, given in found.coverage.given.items()
        if found.coverage.used.get(role, 0) < test.least(given)
    ]
    if not short or found.decision is None or found.estimates[0].value is None:
        return found
    headline, *others = found.estimates
    rest = headline.model_copy(update={"name": f"{headline.name}, of what is left", "estimator": None})
    return replace(
        found,
        estimates=(headline.model_copy(update={"p_values": ()}), *others, rest),
        quote="",
        equivalence=None,
        decision=Decision(
            Verdict.INCONCLUSIVE,
            f"{'; '.join(short)}, and this test takes {test.min_used:.0%} of each list, as the words that are left are no "
            "longer matched. Check the language and the vocabulary of the model.",
        ),
    )


def _in_other_case(coverage: Coverage) -> tuple[Caveat, ...]:
    """That the model has most lost words, and a quarter of all, in upper or lower case: its vocabulary may have no other."""
    many, case, word = coverage.in_other_case
    if not many or 2 * many < len(coverage.missing) or 4 * many < sum(coverage.given.values()):
        return ()
    text = (
        f"{many} of the {len(coverage.missing)} lost words are in the vocabulary in {case}, such as {word!r}. Where all its "
        "words are, choose a model with both cases, or write the words of the test as it has them"
    )
    return (Caveat(text, short=f"lost words are in the vocabulary in {case}"),)


def _of_half(found: Finding) -> Finding:
    """The finding; not measured where a list lost half of its items or more, as the others are another test."""
    halved = found.coverage.halved(found.needed) if found.decision else ""
    if not halved or not found.estimates or found.estimates[0].value is None:
        return found
    headline, *others = found.estimates
    rest = headline.model_copy(update={"name": f"{headline.name}, of what is left", "estimator": None})
    update: dict[str, Any] = {"value": None, "interval": None, "p_values": (), "estimator": None}
    return replace(
        found,
        estimates=(headline.model_copy(update=update), *others, rest),
        read_first="",
        quote="",
        decision=Decision(
            Verdict.INCONCLUSIVE,
            f"It was not measured: {halved}, so what is left is another test; its numbers are in the details. Check the "
            "language, the spelling and the encoding of the test and the model.",
        ),
    )


def wrong_result(found: Measurement) -> str:
    """What is wrong with what a metric returned, as a clause; empty where nothing is."""
    columns = found.items.column_names[:3]
    if columns and columns != item_table().column_names:
        return f"returned items whose first columns are {', '.join(columns)}, and not item, group, value"
    for name, column in zip(found.items.column_names, found.items.columns, strict=True):
        if pa.types.is_floating(column.type) and not pc.all(pc.is_finite(column), min_count=0).as_py():
            return f"returned items with a {name} that is not finite (use None for a missing one)"
    contradicted = contradiction(found)
    return f"returned a verdict that does not follow: {contradicted}" if contradicted else ""
