"""sc-gg-weat: what a transform does to the association of each noun with words for men and women.

Omrani Sabbaghi & Caliskan 2022, section 4: SC-WEAT of single nouns, before and after. They count a noun as weakened
wherever its association with its own gender became smaller, also where it went past 0 to the other gender, or was with
the other gender before.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Final, Literal

import numpy as np
import pyarrow as pa

from biascore.api.figures import Figure, Histogram, Plane
from biascore.api.metrics import ConfidenceInterval, Context, Estimate, Model, item_table
from biascore.api.stimuli import Catalogue, Origin
from biascore.designs.before_after import BeforeAfterMetric, Compared, Line, varied
from biascore.designs.effect import DEVIATIONS
from biascore.designs.same_words import EffectOptions, Floats, SameWords, embed_on, single_effects
from biascore.designs.words import composed_caveat, coverage_caveats
from biascore.errors import OptionsError
from biascore.stats.paired import bootstrap_mean
from biascore.stats.proportions import wilson_interval
from biascore_metrics.grammatical_gender.gaps import unit_rows
from biascore_metrics.grammatical_gender.kind import FEMININE, MASCULINE, GenderedNounsTest, Poles

PAPER: Final = "share of nouns weakened, direction only (the paper's)"
WEAKENED: Final = "share of nouns weakened, still with their own gender"
OVERSHOT: Final = "share of nouns overshot, from their own gender to the other"
AWAY: Final = "share of nouns moved further to the other gender, where they were before"
STRONGER: Final = "share of nouns not weakened"
PAPERS: Final = frozenset({WEAKENED, OVERSHOT, AWAY})
SHARES: Final = {PAPER: PAPERS} | {name: {name} for name in (WEAKENED, OVERSHOT, AWAY, STRONGER)}
"""Which categories each share counts."""
MEAN: Final = "mean d"
FIGURES: Final[tuple[Figure, ...]] = (
    *(
        Plane(
            title=f"The nouns on their two main components, {when} the transform",
            x=f"component 1 {when}",
            y=f"component 2 {when}",
            x_ends=("negative", "positive"),
            y_ends=("negative", "positive"),
        )
        for when in ("before", "after")
    ),
    Histogram(title="How far the nouns of each gender moved", column="value"),
)
GENDERS: Final = (MASCULINE, FEMININE)
POLES: Final = Poles(
    "sc-gg-weat",
    "attributes",
    "gg-weat",
    "words for men and women",
    "whose A are words for men and B for women: -o attributes={language}/GenS (biascore list tests --metric weat)",
)
LEAST: Final = {MASCULINE: 2, FEMININE: 2, "A": 2, "B": 2}
"""Cosines with fewer attributes have no deviation, and fewer nouns no interval."""


class ScGgWeatOptions(EffectOptions):
    """``attributes``: the test of kind weat whose A are words for men and B for women, by default ``LANGUAGE/gg-weat``.

    ``part``: all nouns of the test (of both parts, where it is split), or those of one part.
    """

    attributes: str | None = None
    part: Literal["all", "train", "test"] = "all"


class ScGgWeat(BeforeAfterMetric[ScGgWeatOptions, GenderedNounsTest]):
    """SC-WEAT of every noun before and after a transform; the headline is the paper's share of weakened nouns."""

    name = "sc-gg-weat"
    summary = "Single nouns: how many lose association with the words of their gender, and how many overshoot"
    use = "associates"
    reference = "Omrani Sabbaghi & Caliskan 2022, AIES, section 4"
    kinds = frozenset({"nouns"})
    needs_transform = True
    positive_means = "nouns lose association with the words of their own gender"

    def check(self, test: GenderedNounsTest, catalogue: Catalogue) -> None:
        """Raise OptionsError for nouns of one gender, a part that the test has not, and attributes that are none."""
        self._nouns(test)
        POLES.of(self.options.attributes, test, catalogue)

    def extra_stimuli(self, test: GenderedNounsTest, catalogue: Catalogue) -> tuple[Origin, ...]:
        """The test whose words for men and women are the attributes."""
        return (POLES.of(self.options.attributes, test, catalogue),)

    def compare(
        self, models: Sequence[Model], model: Model, test: GenderedNounsTest, context: Context
    ) -> Compared:
        """Shares of nouns by what became of their association, and its mean for each gender, before and after."""
        options = self.options
        attributes = POLES.of(options.attributes, test, context.catalogue)
        lists = {**self._nouns(test), **{side: attributes.roles[side].words for side in "AB"}}
        words = embed_on(models, lists, options.level, options)
        n = {gender: len(words.words[gender]) for gender in GENDERS}
        unmeasured = Compared(
            problem=words.problem(LEAST),
            estimates=(Estimate(name=PAPER, value=None, unit="share", neutral=None, n=n),),
            coverage=words.coverage,
            caveats=(*coverage_caveats(words.coverage, brief=False), *composed_caveat(words.coverage)),
            item_value="change of d of the noun",
            conventions=options.stated(
                model,
                {
                    "d of a noun": "(mean cosine with A - mean cosine with B) / sd of all of these cosines",
                    "ddof of the sd": options.ddof,
                    "A and B": f"{attributes.id}: {attributes.roles['A'].name} and {attributes.roles['B'].name}",
                    "own gender": "d for masculine nouns, -d for feminine ones",
                    "weakened": "smaller after than before (the paper's: direction only); apart from it, what passes 0 has "
                    "overshot, and what was below 0 before has moved away",
                    "0": "no neutral point of a language: words for men may be nearer to all nouns than words for women",
                    "nouns": options.part,
                    "intervals": "of other nouns, with these words for men and women: Wilson, and bootstrap-t of means",
                    "components": "principal components of the nouns' unit vectors before; after on the same axes about the "
                    "same mean",
                },
            ),
        )
        if unmeasured.problem:
            return unmeasured
        found = _Effects(words, options, context.rng)
        if any(np.isnan(some).any() for each in found.d for some in each):
            return replace(
                unmeasured, problem="the cosines of a noun with the words for men and women do not vary"
            )
        return replace(
            unmeasured,
            estimates=tuple(found.estimates()),
            items=found.items(),
            figures=FIGURES,
            lines=found.lines,
        )

    def _nouns(self, test: GenderedNounsTest) -> dict[str, tuple[str, ...]]:
        part = self.options.part
        both = test.two_genders(self.name)
        if part != "all" and not test.is_split:
            raise OptionsError(
                f"{test.id} ({test.file}) does not say which nouns are for {part}. Leave the option part out, or split "
                "them as docs/stimuli.md shows"
            )
        return {one.name: one.scored if part == "all" else getattr(one, part) for one in both}


class _Effects:
    """d of each noun, by gender, after each state of the model, and what is made of it."""

    def __init__(self, words: SameWords, options: ScGgWeatOptions, rng: np.random.Generator) -> None:
        self.words, self.options, self.rng = words, options, rng
        self.d: list[list[Floats]] = [
            [single_effects(words, place, gender, options.ddof) for gender in GENDERS]
            for place in range(len(words.vectors))
        ]

    def became(self, gender: int, place: int = -1) -> list[str]:
        """What became of the association of each noun with its own gender."""
        before, after = ((1, -1)[gender] * self.d[one][gender] for one in (0, place))
        conditions = [after >= before, before <= 0, after < 0]
        return [str(one) for one in np.select(conditions, [STRONGER, AWAY, OVERSHOT], default=WEAKENED)]

    def estimates(self) -> list[Estimate]:
        """Shares of all nouns, means before and after by gender with their change, and shares by gender."""
        categories = [self.became(gender) for gender in (0, 1)]
        every = [*categories[0], *categories[1]]
        found = [self._share(name, "nouns", every, counted) for name, counted in SHARES.items()]
        for gender, old, new in zip(GENDERS, self.d[0], self.d[-1], strict=True):
            found.append(self._mean(f"{MEAN} before, {gender}", gender, old))
            found.append(self._mean(f"{MEAN} after, {gender}", gender, new))
            found.append(self._mean(f"change of {MEAN}, {gender}", gender, new - old))
        return found + [
            self._share(f"{name}, {gender}", gender, some, counted)
            for gender, some in zip(GENDERS, categories, strict=True)
            for name, counted in SHARES.items()
        ]

    def lines(self) -> list[Line]:
        """The mean of each gender after every step, and the share weakened after all but the first."""
        found = []
        for place, gender in enumerate(GENDERS):
            means = [self._mean(MEAN, gender, step[place]) for step in self.d]
            found.append(Line.of(f"{MEAN}, {gender}", DEVIATIONS, means))
            steps = [self.became(place, step) for step in range(1, len(self.d))]
            shares = [None, *(self._share(PAPER, gender, some, PAPERS) for some in steps)]
            found.append(Line.of(f"{PAPER}, {gender}", "share", shares, None))
        return found

    def _share(self, name: str, role: str, categories: Sequence[str], counted: Set[str]) -> Estimate:
        count, n = sum(category in counted for category in categories), len(categories)
        interval = ConfidenceInterval.of(wilson_interval(count, n, level=self.options.confidence))
        return Estimate(
            name=name, value=count / n, unit="share", neutral=None, n={role: n}, interval=interval
        )

    def _mean(self, name: str, gender: str, values: Floats) -> Estimate:
        level, resamples = self.options.confidence, self.options.resamples
        interval = varied(lambda: bootstrap_mean(values, level=level, resamples=resamples, rng=self.rng))
        mean, n = float(values.mean()), {gender: len(values)}
        return Estimate(name=name, value=mean, unit=DEVIATIONS, n=n, interval=interval)

    def items(self) -> pa.Table:
        """The nouns with d before and after, and their places; the largest weight of a component is positive."""
        old, new = np.concatenate(self.d[0]), np.concatenate(self.d[-1])
        rows = [
            unit_rows(np.vstack([self.words.vectors[place][gender] for gender in GENDERS]))
            for place in (0, -1)
        ]
        centre = rows[0].mean(axis=0)
        axes = np.linalg.svd(rows[0] - centre, full_matrices=False)[2][:2]
        axes *= np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])[:, None]
        places = np.hstack([(unit - centre) @ axes.T for unit in rows]).T.tolist()
        names = [f"component {number} {when}" for when in ("before", "after") for number in (1, 2)]
        became = [category for gender in (0, 1) for category in self.became(gender)]
        return item_table(
            item=[name for gender in GENDERS for name in self.words.words[gender]],
            group=[gender for gender in GENDERS for _ in self.words.words[gender]],
            value=(new - old).tolist(),
            more={
                "before": old.tolist(),
                "after": new.tolist(),
                "became": [category.removeprefix("share of nouns ") for category in became],
                **dict(zip(names, places, strict=True)),
            },
        )
