"""pairwise-distance: are words of one grammatical gender nearer to each other than words of two?

Gonen, Kementchedjhieva & Goldberg 2019 (CoNLL); equation 8 of Omrani Sabbaghi & Caliskan 2022 takes the gap of the English
translations, where there is no grammatical gender, as what would be left if all of it were removed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Final

import numpy as np
import pyarrow as pa
from pydantic import Field, model_validator

from biascore.api.figures import Figure, Histogram
from biascore.api.metrics import (
    Caveat,
    ConfidenceInterval,
    Context,
    Contrast,
    Coverage,
    Estimate,
    Model,
    Total,
    caveats_of,
    item_table,
)
from biascore.api.stimuli import Catalogue
from biascore.designs.before_after import BeforeAfterMetric, Compared, Line
from biascore.designs.same_words import ComparingOptions, Floats, embed_on
from biascore.designs.words import MAX_LOST_SHARE, composed_caveat, coverage_caveats
from biascore.errors import OptionsError
from biascore.stats import ZeroVarianceError, bootstrap_interval
from biascore.stats.bootstrap import Samples
from biascore_metrics.grammatical_gender.gaps import Gaps, NounGaps, PairGaps, unit_rows
from biascore_metrics.grammatical_gender.genders import FEMININE, MASCULINE, two_genders
from biascore_metrics.grammatical_gender.kind import GenderedNounsTest
from biascore_metrics.grammatical_gender.known_pairs import ITSELF, KnownPairs, known_pairs, translations
from biascore_metrics.grammatical_gender.pair_files import DIFFERENT, KIND, SAME, NounPairsTest

GAP: Final = "gap of mean cosines, one gender less two"
REDUCTION: Final = "reduction of the gap (equation 8)"
REFERENCE: Final = "gap of the translations"
UNIT: Final = "cosine"
SMALL: Final = 0.01
"""Where the gap before and that of the reference are nearer than this, their difference is no denominator."""


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


@dataclass(frozen=True, slots=True)
class _Measured:
    """What can be drawn again, the coverage, the items and why it could not be measured."""

    gaps: Gaps | None
    roles: tuple[str, str]
    coverage: Coverage
    items: pa.Table
    problem: str = ""


class PairwiseDistance(BeforeAfterMetric[PairwiseOptions, NounPairsTest | GenderedNounsTest]):
    """The gap in mean cosine between pairs of one gender and of two; its reduction where there is a transform."""

    name = "pairwise-distance"
    summary = "Mean cosine of pairs of one grammatical gender less that of pairs of two; its reduction by a transform"
    reference = "Gonen, Kementchedjhieva & Goldberg 2019, CoNLL; Omrani Sabbaghi & Caliskan 2022, equation 8"
    positive_means = (
        "words of the same grammatical gender are nearer to each other than words of different ones"
    )
    kinds = frozenset({KIND, "nouns"})
    model_options: ClassVar[Mapping[str, frozenset[str]]] = MappingProxyType(
        {"reference": frozenset({"embed"})}
    )

    def check(self, test: NounPairsTest | GenderedNounsTest, catalogue: Catalogue) -> None:
        """Raise OptionsError for nouns of one gender, and for a reference model where there is no translation."""
        if isinstance(test, GenderedNounsTest):
            two_genders(test, self.name)
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
        options = self.options
        second = None if options.reference is None else context.model(options.reference)
        found = (
            self._pairs(models, test, second)
            if isinstance(test, NounPairsTest)
            else self._nouns(models, test)
        )
        caveats = [*_caveats(found, test)]
        drawn = None
        if found.gaps is None:
            n = {role: found.coverage.used.get(role, 0) for role in found.roles}
            estimates: tuple[Estimate, ...] = (Estimate(name=GAP, value=None, unit=UNIT, neutral=None, n=n),)
            caveats.append(Caveat(f"it could not be measured: {found.problem}"))
        else:
            drawn = _Drawn(found.gaps, found.roles, options, context.rng)
            estimates = tuple(drawn.estimates(transformed=model.untransformed is not None))
            if not options.trace:
                declared = estimates[0].model_copy(update={"estimator": _from_items(found.gaps)})
                estimates = (declared, *estimates[1:])
            caveats += caveats_of(drawn.cautions)
        return Compared(
            estimates=estimates,
            coverage=found.coverage,
            caveats=(*caveats, *composed_caveat(found.coverage)),
            items=found.items,
            item_value=_value(test),
            figures=_figures(found, model),
            lines=(lambda: [drawn.line(len(models))]) if drawn else None,
            conventions=options.stated(
                model,
                {
                    "gap": "mean cosine of pairs of one gender less that of pairs of two",
                    "pairs": "those of the file, without a word and itself, each once in either order (duplicates=keep: all)"
                    if isinstance(test, NounPairsTest)
                    else "all pairs of two nouns of the test",
                    "reduction": "1 - (gap after - reference) / (gap before - reference)",
                    "reference": _reference(options),
                    "interval": f"bca, {'pairs' if isinstance(test, NounPairsTest) else 'nouns'} resampled within their "
                    "set, before, after and the reference together",
                },
            ),
        )

    def _pairs(self, models: Sequence[Model], test: NounPairsTest, second: Model | None) -> _Measured:
        known = known_pairs(models, test, self.options)
        if known.problem:
            return _Measured(None, known.roles, known.coverage, item_table(), known.problem)
        reference = None if second is None else translations(second, known, self.options)
        gaps = PairGaps(*known.cosines, reference)
        return _Measured(gaps, known.roles, known.coverage, _pair_items(known, reference))

    def _nouns(self, models: Sequence[Model], test: GenderedNounsTest) -> _Measured:
        lists = {
            one.name: (*one.train, *one.test) if test.is_split else one.words
            for one in two_genders(test, self.name)
        }
        words = embed_on(models, lists, self.options.level, self.options)
        roles = (MASCULINE, FEMININE)
        problem = words.problem({MASCULINE: 2, FEMININE: 2})
        if problem:
            return _Measured(None, roles, words.coverage, item_table(), problem)
        gaps = NounGaps(*([unit_rows(one[gender]) for one in words.vectors] for gender in roles))
        names = [name for gender in roles for name in words.words[gender]]
        groups = [gender for gender in roles for _ in words.words[gender]]
        every = [np.concatenate(gaps.of_each(place)).tolist() for place in (0, -1)]
        more = {"contribution": gaps.contributions(-1).tolist()}
        more |= {"before": every[0]} if len(models) > 1 else {}
        return _Measured(gaps, roles, words.coverage, item_table(names, groups, every[1], more))


@dataclass(frozen=True, slots=True)
class _Drawn:
    """Estimates of gaps with their intervals."""

    gaps: Gaps
    roles: tuple[str, str]
    options: PairwiseOptions
    rng: np.random.Generator

    def estimates(self, *, transformed: bool) -> list[Estimate]:
        """Those of the model as it is; with a transform also before it, the change and the reduction."""
        same, different = (("mean cosine, one gender", 0), ("mean cosine, two genders", 1))
        found = [self._estimate(GAP, self._gap(-1), UNIT, None)]
        found += [self._estimate(name, self._mean(-1, side), UNIT, None) for name, side in (same, different)]
        if transformed:
            found.append(self._estimate(f"{GAP}, before", self._gap(0), UNIT, None))
            found.append(
                self._estimate(f"change of the {GAP}", lambda b: self._gap(-1)(b) - self._gap(0)(b), UNIT)
            )
        reference = self._reference()
        if reference is not None:
            if self.options.reference_gap is None:
                found.append(self._estimate(REFERENCE, reference, UNIT, None))
            if transformed:
                found.append(self._estimate(REDUCTION, self._reduction(reference), "share", None))
        return found

    @property
    def cautions(self) -> list[str]:
        """That the reduction divides by next to nothing."""
        reference = self._reference()
        if reference is None:
            return []
        room = self._value(lambda b: self._gap(0)(b) - reference(b))
        if room is None:
            return ["no translation of the pairs is known, so that there is no reference"]
        if room >= SMALL:
            return []
        return [
            f"the gap before is {'only ' if room > 0 else ''}{abs(room):.3g} {'above' if room > 0 else 'below'} that of the "
            "reference, so that its reduction says nothing"
        ]

    def line(self, count: int) -> Line:
        """The gap after every step."""
        every = [self._estimate(GAP, self._gap(place), UNIT) for place in range(count)]
        ends = tuple((one.interval.low, one.interval.high) if one.interval else None for one in every)
        return Line(GAP, UNIT, tuple(one.value for one in every), ends)

    def _mean(self, place: int, side: int) -> Callable[[Samples], Floats]:
        return lambda batch: self.gaps.means(place, batch)[side]

    def _gap(self, place: int) -> Callable[[Samples], Floats]:
        def gap(batch: Samples) -> Floats:
            same, different = self.gaps.means(place, batch)
            return same - different

        return gap

    def _reference(self) -> Callable[[Samples], Floats] | None:
        given = self.options.reference_gap
        if given is not None:
            return lambda batch: np.full(len(batch[0]), given)
        if isinstance(self.gaps, PairGaps) and self.gaps.reference is not None:
            return self.gaps.of_translations
        return None

    def _reduction(self, reference: Callable[[Samples], Floats]) -> Callable[[Samples], Floats]:
        def reduction(batch: Samples) -> Floats:
            floor = reference(batch)
            with np.errstate(divide="ignore", invalid="ignore"):
                return 1 - (self._gap(-1)(batch) - floor) / (self._gap(0)(batch) - floor)

        return reduction

    def _units(self) -> tuple[Floats, Floats]:
        first, second = self.gaps.sizes
        return np.arange(float(first)), np.arange(float(second))

    def _value(self, statistic: Callable[[Samples], Floats]) -> float | None:
        found = float(statistic(tuple(some[None] for some in self._units()))[0])
        return found if np.isfinite(found) else None

    def _estimate(
        self, name: str, statistic: Callable[[Samples], Floats], unit: str, neutral: float | None = 0.0
    ) -> Estimate:
        options = self.options
        value, interval = self._value(statistic), None
        try:
            found = bootstrap_interval(
                statistic, self._units(), level=options.confidence, resamples=options.resamples, rng=self.rng
            )
            interval = ConfidenceInterval.of(found)
        except ZeroVarianceError:
            pass  # an interval of no width would claim certainty
        n = dict(zip(self.roles, self.gaps.sizes, strict=True))
        return Estimate(name=name, value=value, unit=unit, neutral=neutral, n=n, interval=interval)


def _reference(options: PairwiseOptions) -> str:
    if options.reference_gap is not None:
        return f"{options.reference_gap:g}, as stated"
    return (
        "none" if options.reference is None else f"translations of the pairs measured, in {options.reference}"
    )


def _value(test: NounPairsTest | GenderedNounsTest) -> str:
    return (
        "cosine of the pair"
        if isinstance(test, NounPairsTest)
        else "mean cosine with own gender less with the other"
    )


def _figures(found: _Measured, model: Model) -> tuple[Figure, ...]:
    if found.gaps is None or model.untransformed is None:
        return ()
    return (
        Histogram(title="Before the transform", column="before"),
        Histogram(title="After it", column="value"),
    )


def _caveats(found: _Measured, test: NounPairsTest | GenderedNounsTest) -> tuple[Caveat, ...]:
    if isinstance(test, GenderedNounsTest):
        return coverage_caveats(found.coverage, brief=False)
    unknown = Counter(one.role for one in found.coverage.missing if one.reason != ITSELF)
    return caveats_of(
        f"{unknown[role]} of {given} {role} have a word that cannot be used"
        for role, given in found.coverage.given.items()
        if unknown[role] > MAX_LOST_SHARE * given
    )


def _from_items(gaps: Gaps) -> Contrast | Total:
    """How the gap follows from the items: pairs of the file by their means, nouns by what each adds."""
    if isinstance(gaps, NounGaps):
        return Total(cluster=("item", "group"))
    return Contrast(groups={f"{SAME} gender": 1.0, f"{DIFFERENT} gender": -1.0})


def _pair_items(known: KnownPairs, reference: tuple[Floats, Floats] | None) -> pa.Table:
    cosines = [np.concatenate([side[place] for side in known.cosines]).tolist() for place in (0, -1)]
    more = {"before": cosines[0]} if len(known.cosines[0]) > 1 else {}
    if reference is not None:
        more["translation"] = [None if np.isnan(one) else float(one) for one in np.concatenate(reference)]
    names = [pair.text for pair in known.pairs]
    return item_table(names, [f"{pair.relation} gender" for pair in known.pairs], cosines[1], more)
