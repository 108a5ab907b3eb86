"""pairwise-distance: are words of one grammatical gender nearer to each other than words of two?

Gonen, Kementchedjhieva & Goldberg 2019 (CoNLL); equation 8 of Omrani Sabbaghi & Caliskan 2022 takes the gap of the English
translations, where there is no grammatical gender, as what would be left if all of it were removed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import ClassVar, Final

import numpy as np
from pydantic import Field, model_validator

from biascore.api.figures import Histogram
from biascore.api.metrics import Caveat, Context, Estimate, Model, caveats_of
from biascore.api.stimuli import Catalogue
from biascore.designs.before_after import BeforeAfterMetric, Compared, Line, Places, resampled
from biascore.designs.same_words import ComparingOptions, Floats
from biascore.designs.words import MAX_LOST_SHARE, composed_caveat, coverage_caveats, too_few
from biascore.errors import OptionsError
from biascore_metrics.grammatical_gender.formats import NOUN_PAIRS, NounPairsTest
from biascore_metrics.grammatical_gender.gaps import ITSELF, Gaps, NounGaps, PairGaps
from biascore_metrics.grammatical_gender.kind import GenderedNounsTest

GAP: Final = "gap of mean cosines, one gender less two"
REDUCTION: Final = "reduction of the gap (equation 8)"
REFERENCE: Final = "gap of the translations"
UNIT: Final = "cosine"
SMALL: Final = 0.01
"""Where the gap before and that of the reference are nearer than this, their difference is no denominator."""
Statistic = Callable[[Places], Floats]


class PairwiseOptions(ComparingOptions):
    """``reference``: the model of the language of the translations, which has no grammatical gender: a reference, or a
    model's name in an audit. ``reference_gap``: its gap, where it is known, in place of it.
    """

    reference: str | None = None
    reference_gap: float | None = Field(default=None, ge=-2, le=2)

    @model_validator(mode="after")
    def _one_reference(self) -> PairwiseOptions:
        if self.reference is not None and self.reference_gap is not None:
            raise ValueError(
                "reference and reference_gap both say what the gap would be without gender; give one"
            )
        return self

    @property
    def told(self) -> str:
        """What the gap would be without gender, as a convention."""
        if self.reference_gap is not None:
            return f"{self.reference_gap:g}, as stated"
        return f"translations of the pairs measured, in {self.reference}" if self.reference else "none"


class PairwiseDistance(BeforeAfterMetric[PairwiseOptions, NounPairsTest | GenderedNounsTest]):
    """The gap in mean cosine between pairs of one gender and of two; its reduction where there is a transform."""

    name = "pairwise-distance"
    summary = "Mean cosine of pairs of one grammatical gender less that of pairs of two; its reduction by a transform"
    use = "associates"
    reference = "Gonen, Kementchedjhieva & Goldberg 2019, CoNLL; Omrani Sabbaghi & Caliskan 2022, equation 8"
    positive_means = (
        "words of the same grammatical gender are nearer to each other than words of different ones"
    )
    kinds = frozenset({NOUN_PAIRS, "nouns"})
    model_options: ClassVar[Mapping[str, frozenset[str]]] = MappingProxyType(
        {"reference": frozenset({"embed"})}
    )

    def check(self, test: NounPairsTest | GenderedNounsTest, catalogue: Catalogue) -> None:
        """Raise OptionsError for nouns of one gender, and for a reference model where there is no translation."""
        if isinstance(test, GenderedNounsTest):
            test.two_genders(self.name)
        if self.options.reference is None:
            return
        if isinstance(test, GenderedNounsTest) or not any(pair.reference for pair in test.pairs):
            raise OptionsError(
                f"{self.name}: reference={self.options.reference} has nothing to measure, for {test.id} ({test.file}) has "
                "no translations. Give pairs with the columns reference_first and reference_second, or the gap itself: "
                "-o reference_gap=0.03"
            )

    def compare(
        self,
        models: Sequence[Model],
        model: Model,
        test: NounPairsTest | GenderedNounsTest,
        context: Context,
    ) -> Compared:
        """The gap with its interval; before a transform, its change and its reduction, where there is one."""
        options, transformed = self.options, model.untransformed is not None
        gaps: Gaps
        if isinstance(test, NounPairsTest):
            second = None if options.reference is None else context.model(options.reference)
            gaps = PairGaps.of(models, test.pairs, options, second)
            unknown = Counter(one.role for one in gaps.coverage.missing if one.reason != ITSELF)
            caveats = caveats_of(
                f"{unknown[role]} of {given} {role} have a word that cannot be used"
                for role, given in gaps.coverage.given.items()
                if unknown[role] > MAX_LOST_SHARE * given
            )
            pairs = "those of the file, without a word and itself, each once in either order (duplicates=keep: all)"
        else:
            gaps = NounGaps.of(models, test.two_genders(self.name), options)
            caveats = coverage_caveats(gaps.coverage, brief=False)
            pairs = "all pairs of two nouns of the test"
        n, units = gaps.coverage.used, "pairs" if isinstance(gaps, PairGaps) else "nouns"
        unmeasured = Compared(
            problem=too_few(
                {role: [""] * count for role, count in n.items()}, gaps.coverage, dict.fromkeys(n, 2)
            ),
            estimates=(Estimate(name=GAP, value=None, unit=UNIT, neutral=None, n=n),),
            coverage=gaps.coverage,
            caveats=(*caveats, *composed_caveat(gaps.coverage)),
            item_value=gaps.item_value,
            conventions=options.stated(
                model,
                {
                    "gap": "mean cosine of pairs of one gender less that of pairs of two",
                    "pairs": pairs,
                    "reduction": "1 - (gap after - reference) / (gap before - reference)",
                    "reference": options.told,
                    "interval": f"bca, {units} resampled within their set, before, after and the reference together",
                },
            ),
        )
        if unmeasured.problem:
            return unmeasured

        def estimate(
            name: str, statistic: Statistic, unit: str = UNIT, neutral: float | None = None
        ) -> Estimate:
            return resampled(name, unit, n, statistic, options, context.rng, neutral)

        before, after = partial(_gap, gaps, 0), partial(_gap, gaps, -1)
        estimates = [estimate(GAP, after)]
        if not options.trace:
            estimates = [estimates[0].model_copy(update={"estimator": gaps.estimator})]
        estimates.append(estimate("mean cosine, one gender", lambda drawn: gaps.means(-1, drawn)[0]))
        estimates.append(estimate("mean cosine, two genders", lambda drawn: gaps.means(-1, drawn)[1]))
        if transformed:
            estimates.append(estimate(f"{GAP}, before", before))
            change = estimate(f"change of the {GAP}", lambda drawn: after(drawn) - before(drawn), neutral=0.0)
            estimates.append(change)
        reference = _reference(gaps, options.reference_gap)
        cautions: tuple[Caveat, ...] = ()
        if reference is not None:
            if options.reference_gap is None:
                estimates.append(estimate(REFERENCE, reference))
            if transformed:
                reduction = partial(_reduction, before, after, reference)
                estimates.append(estimate(REDUCTION, reduction, "share"))
            whole = tuple(np.arange(count)[None] for count in n.values())
            cautions = caveats_of(_little_room(float((before(whole) - reference(whole))[0])))
        steps = (estimate(GAP, partial(_gap, gaps, place), neutral=0.0) for place in range(len(models)))
        return replace(
            unmeasured,
            estimates=tuple(estimates),
            caveats=(*caveats, *cautions, *composed_caveat(gaps.coverage)),
            items=gaps.items(),
            figures=(
                Histogram(title="Before the transform", column="before"),
                Histogram(title="After it", column="value"),
            )
            if transformed
            else (),
            lines=lambda: [Line.of(GAP, UNIT, steps)],
        )


def _gap(gaps: Gaps, place: int, drawn: Places) -> Floats:
    same, different = gaps.means(place, drawn)
    return same - different


def _reduction(before: Statistic, after: Statistic, reference: Statistic, drawn: Places) -> Floats:
    floor = reference(drawn)
    return 1 - (after(drawn) - floor) / (before(drawn) - floor)


def _reference(gaps: Gaps, stated: float | None) -> Statistic | None:
    if stated is not None:
        return lambda drawn: np.full(len(drawn[0]), stated)
    return gaps.of_translations if isinstance(gaps, PairGaps) and gaps.reference is not None else None


def _little_room(room: float) -> list[str]:
    """That the reduction divides by next to nothing."""
    if np.isnan(room):
        return ["no translation of the pairs is known, so that there is no reference"]
    if room >= SMALL:
        return []
    return [
        f"the gap before is {'only ' if room > 0 else ''}{abs(room):z.3g} {'above' if room > 0 else 'below'} that of the "
        "reference, so that its reduction says nothing"
    ]
