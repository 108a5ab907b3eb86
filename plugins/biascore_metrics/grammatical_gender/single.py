"""sc-gg-weat: what a transform does to the association of each noun with words for men and women.

Omrani Sabbaghi & Caliskan 2022, section 4: SC-WEAT of single nouns, before and after. They count a noun as weakened
wherever its association with its own gender became smaller, also where it went past 0 to the other gender, or was with
the other gender before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Final, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from biascore.api.figures import Figure, Histogram, Plane
from biascore.api.metrics import (
    ConfidenceInterval,
    Context,
    Estimate,
    Model,
    caveats_of,
    item_table,
)
from biascore.api.stimuli import Catalogue, Origin
from biascore.designs.before_after import BeforeAfterMetric, Compared, Ends, Line
from biascore.designs.effect import DEVIATIONS
from biascore.designs.same_words import (
    EffectOptions,
    Floats,
    SameWords,
    embed_on,
    single_effects,
)
from biascore.designs.words import composed_caveat, coverage_caveats
from biascore.errors import OptionsError
from biascore.stats import ZeroVarianceError
from biascore.stats.paired import bootstrap_mean
from biascore.stats.proportions import wilson_interval
from biascore_metrics.grammatical_gender.gaps import unit_rows
from biascore_metrics.grammatical_gender.genders import FEMININE, MASCULINE, attributes_of, two_genders
from biascore_metrics.grammatical_gender.kind import GenderedNounsTest

PAPER: Final = "share of nouns weakened, direction only (the paper's)"
WEAKENED: Final = "share of nouns weakened, still with their own gender"
OVERSHOT: Final = "share of nouns overshot, from their own gender to the other"
AWAY: Final = "share of nouns moved further to the other gender, where they were before"
STRONGER: Final = "share of nouns not weakened"
CATEGORIES: Final = (WEAKENED, OVERSHOT, AWAY, STRONGER)
PAPERS: Final = frozenset({WEAKENED, OVERSHOT, AWAY})
MEAN: Final = "mean d"
COMPONENTS: Final = ("component 1 before", "component 2 before", "component 1 after", "component 2 after")
COMPONENT_CONVENTION: Final = (
    "principal components of the nouns' unit vectors before; after on the same axes about the same mean"
)
_ENDS: Final = ("negative", "positive")
COMPONENT_FIGURES: Final[tuple[Figure, ...]] = tuple(
    Plane(
        title=f"The nouns on their two main components, {when} the transform",
        x=COMPONENTS[place],
        y=COMPONENTS[place + 1],
        x_ends=_ENDS,
        y_ends=_ENDS,
    )
    for place, when in ((0, "before"), (2, "after"))
)
FIGURES: Final[tuple[Figure, ...]] = (
    *COMPONENT_FIGURES,
    Histogram(title="How far the nouns of each gender moved", column="value"),
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
    reference = "Omrani Sabbaghi & Caliskan 2022, AIES, section 4"
    kinds = frozenset({"nouns"})
    needs_transform = True
    positive_means = "nouns lose association with the words of their own gender"

    def check(self, test: GenderedNounsTest, catalogue: Catalogue) -> None:
        """Raise OptionsError for nouns of one gender, a part that the test has not, and attributes that are none."""
        self._nouns(test)
        attributes_of(self.options.attributes, test, catalogue, self.name)

    def extra_stimuli(self, test: GenderedNounsTest, catalogue: Catalogue) -> tuple[Origin, ...]:
        """The test whose words for men and women are the attributes."""
        return (attributes_of(self.options.attributes, test, catalogue, self.name),)

    def compare(
        self, models: Sequence[Model], model: Model, test: GenderedNounsTest, context: Context
    ) -> Compared:
        """Shares of nouns by what became of their association, and its mean for each gender, before and after."""
        options = self.options
        attributes = attributes_of(options.attributes, test, context.catalogue, self.name)
        lists = {**self._nouns(test), "A": attributes.roles["A"].words, "B": attributes.roles["B"].words}
        words = embed_on(models, lists, options.level, options)
        problem = words.problem(LEAST)
        effects = [] if problem else [_effects(words, place, options.ddof) for place in range(len(models))]
        flat = any(np.isnan(some).any() for both in effects for some in both)
        if flat:
            problem = "the cosines of a noun with the words for men and women do not vary"
        estimates = _estimates(effects[0], effects[-1], options, context.rng) if not problem else _none(words)
        unmeasured = [f"it could not be measured: {problem}"] if problem else []
        return Compared(
            estimates=estimates,
            coverage=words.coverage,
            caveats=(
                *coverage_caveats(words.coverage, brief=False),
                *composed_caveat(words.coverage),
                *caveats_of(unmeasured, verdict=False),
            ),
            items=item_table() if problem else _items(words, effects[0], effects[-1]),
            item_value="change of d" if problem else "change of d of the noun",
            figures=() if problem else FIGURES,
            lines=None if problem else lambda: _lines(effects, options, context.rng),
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
                    "components": COMPONENT_CONVENTION,
                },
            ),
        )

    def _nouns(self, test: GenderedNounsTest) -> dict[str, tuple[str, ...]]:
        both = two_genders(test, self.name)
        part = self.options.part
        if part == "all":  # a noun that a split puts nowhere is not to be scored
            return {one.name: (*one.train, *one.test) if test.is_split else one.words for one in both}
        if not test.is_split:
            raise OptionsError(
                f"{test.id} ({test.file}) does not say which nouns are for {part}. Leave the option part out, or split "
                "them as docs/stimuli.md shows"
            )
        return {one.name: one.train if part == "train" else one.test for one in both}


def _effects(words: SameWords, place: int, ddof: Literal[0, 1]) -> tuple[Floats, Floats]:
    """d of each masculine and of each feminine noun (n,)."""
    return single_effects(words, place, MASCULINE, ddof), single_effects(words, place, FEMININE, ddof)


def _own(effects: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    return effects[0], -effects[1]


def _category(before: Floats, after: Floats) -> list[str]:
    """What became of the association of each noun with its own gender."""
    conditions = [after >= before, before <= 0, after < 0]
    return [str(one) for one in np.select(conditions, [STRONGER, AWAY, OVERSHOT], default=WEAKENED)]


def _estimates(
    before: tuple[Floats, Floats],
    after: tuple[Floats, Floats],
    options: ScGgWeatOptions,
    rng: np.random.Generator,
) -> tuple[Estimate, ...]:
    categories = [_category(*pair) for pair in zip(_own(before), _own(after), strict=True)]
    genders = (MASCULINE, FEMININE)
    every = {"nouns": [*categories[0], *categories[1]]}
    of_gender = dict(zip(genders, categories, strict=True))
    shares = [_share(PAPER, every, PAPERS, options)]
    shares += [_share(name, every, {name}, options) for name in CATEGORIES]
    for gender, some in of_gender.items():
        shares.append(_share(f"{PAPER}, {gender}", {gender: some}, PAPERS, options))
        shares += [_share(f"{name}, {gender}", {gender: some}, {name}, options) for name in CATEGORIES]
    means = [
        _mean(f"{name}, {gender}", gender, values, options, rng)
        for gender, old, new in zip(genders, before, after, strict=True)
        for name, values in (
            (f"{MEAN} before", old),
            (f"{MEAN} after", new),
            (f"change of {MEAN}", new - old),
        )
    ]
    return (*shares[:5], *means, *shares[5:])


def _share(
    name: str, found: Mapping[str, list[str]], counted: Set[str], options: ScGgWeatOptions
) -> Estimate:
    ((role, categories),) = found.items()
    count = sum(category in counted for category in categories)
    interval = wilson_interval(count, len(categories), level=options.confidence)
    return Estimate(
        name=name,
        value=count / len(categories),
        unit="share",
        neutral=None,
        n={role: len(categories)},
        interval=ConfidenceInterval.of(interval),
    )


def _mean(
    name: str, gender: str, values: Floats, options: ScGgWeatOptions, rng: np.random.Generator
) -> Estimate:
    try:
        interval = bootstrap_mean(values, level=options.confidence, resamples=options.resamples, rng=rng)
    except ZeroVarianceError:
        interval = None
    return Estimate(
        name=name,
        value=float(values.mean()),
        unit=DEVIATIONS,
        n={gender: len(values)},
        interval=ConfidenceInterval.of(interval) if interval else None,
    )


def _none(words: SameWords) -> tuple[Estimate, ...]:
    n = {gender: len(words.words[gender]) for gender in (MASCULINE, FEMININE)}
    return (Estimate(name=PAPER, value=None, unit="share", neutral=None, n=n),)


def _lines(
    effects: Sequence[tuple[Floats, Floats]], options: ScGgWeatOptions, rng: np.random.Generator
) -> list[Line]:
    found = []
    for place, gender in enumerate((MASCULINE, FEMININE)):
        means = [_mean("", gender, step[place], options, rng) for step in effects]
        own = [_own(step)[place] for step in effects]
        weakened = [
            _share("", {gender: _category(own[0], some)}, PAPERS, options) if number else None
            for number, some in enumerate(own)
        ]
        for name, unit, some in (
            (f"{MEAN}, {gender}", DEVIATIONS, means),
            (f"{PAPER}, {gender}", "share", weakened),
        ):
            values = tuple(one.value if one else None for one in some)
            ends: tuple[Ends | None, ...] = tuple(
                (one.interval.low, one.interval.high) if one and one.interval else None for one in some
            )
            found.append(Line(name, unit, values, ends, 0.0 if unit == DEVIATIONS else None))
    return found


def _items(words: SameWords, before: tuple[Floats, Floats], after: tuple[Floats, Floats]) -> pa.Table:
    names = [name for gender in (MASCULINE, FEMININE) for name in words.words[gender]]
    groups = [gender for gender in (MASCULINE, FEMININE) for _ in words.words[gender]]
    old, new = np.concatenate(before), np.concatenate(after)
    categories = [one for pair in zip(_own(before), _own(after), strict=True) for one in _category(*pair)]
    rows = [
        np.vstack([words.vectors[place][gender] for gender in (MASCULINE, FEMININE)]) for place in (0, -1)
    ]
    return item_table(
        item=names,
        group=groups,
        value=(new - old).tolist(),
        more={
            "before": old.tolist(),
            "after": new.tolist(),
            "became": [category.removeprefix("share of nouns ") for category in categories],
            **_two_components(rows[0], rows[1]),
        },
    )


def _two_components(
    before: npt.NDArray[np.float32], after: npt.NDArray[np.float32]
) -> dict[str, list[float]]:
    """The places (n,) of n >= 2 vectors (n, d), d >= 2, by column; the largest weight of a component is positive."""
    old, new = (unit_rows(rows) for rows in (before, after))
    centre = old.mean(axis=0)
    axes = np.linalg.svd(old - centre, full_matrices=False)[2][:2]
    axes *= np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])[:, None]
    places = np.hstack([(rows - centre) @ axes.T for rows in (old, new)])
    return {name: places[:, column].tolist() for column, name in enumerate(COMPONENTS)}
