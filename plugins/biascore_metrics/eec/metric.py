"""Equity Evaluation Corpora: does a regressor of emotions score sentences about some groups higher than about others?

Kiritchenko & Mohammad 2018 (the corpus); Câmara et al. 2022 (regressions with the intersection of groups).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from biascore.api.adapters import find_output
from biascore.api.metrics import Context, Coverage, LostWord, Model, Scalar, item_table
from biascore.api.stimuli import Catalogue
from biascore.api.support import listed, quoted
from biascore.designs import Decided, DecidedMetric
from biascore.designs.words import same_as
from biascore.errors import AnswerError, CapabilityError, OptionsError
from biascore.stats import Adjustment, Interval, RegressionError, Unreachable, ZeroVarianceError, adjust
from biascore_metrics.eec.cautions import agreeing_factors, caveats, wide_bound
from biascore_metrics.eec.corpora import CORPUS, Corpora, Rows
from biascore_metrics.eec.estimates import (
    BY_STRATUM,
    SCORED_FOR,
    by_template,
    coefficients,
    effect_estimate,
    figures,
    means,
    name_means,
)
from biascore_metrics.eec.fits import Effect, Fitted, Floats, unreachable
from biascore_metrics.eec.items import EquityTest
from biascore_metrics.eec.options import EecOptions


class Eec(DecidedMetric[EecOptions, EquityTest]):
    """On a regressor with an output for each emotion; the headline is the effect with the smallest adjusted p-value."""

    name = "eec"
    summary = "Equity Evaluation Corpora: intersectional bias of emotion regressors"
    use = "scores"
    rule = (
        "Detected when Welch's t over names by stratum gives p <= alpha after adjustment over all emotions and effects, in "
        "all templates and, where words agree with the person, in the templates without such words too."
    )
    reference = "Câmara, Taneja, Azad, Allaway & Zemel 2022, Mapping the Multilingual Margins, LTEDI"
    requires = frozenset({"score"})
    kinds = frozenset({"equity"})

    @classmethod
    def audited(cls, model: Model) -> tuple[str, ...]:
        """The corpus of the language, of a model with outputs for emotions."""
        return ("eec",) if {"anger", "fear", "joy", "sadness"} & {*model.identity.quantities} else ()

    def extra_stimuli(self, test: EquityTest, catalogue: Catalogue) -> tuple[EquityTest, ...]:
        """Those that the option ``joint`` names."""
        return Corpora.of(test, self.options, catalogue).tests[1:]

    def check(self, test: EquityTest, catalogue: Catalogue) -> None:
        """Raise OptionsError for an option that names what the test does not have, and where a cell is empty."""
        unknown = [emotion for emotion in self.options.quantities if emotion not in test.emotions]
        if unknown:
            raise OptionsError(
                f"quantities names an output for {quoted(unknown[0])}, and the emotions of {test.id} are: "
                f"{listed(test.emotions)}. Name one of these there"
            )
        corpora = Corpora.of(test, self.options, catalogue)
        for emotion in self.options.emotions or test.emotions:
            corpora.rows(emotion)

    def unreachable(self, test: EquityTest) -> tuple[Unreachable, ...]:
        """Effects that are not detected with so few names: each group needs two."""
        if self.options.joint:  # which has further names
            return ()
        emotion = (self.options.emotions or test.emotions)[0]
        return unreachable(Corpora((test,), self.options).rows(emotion))

    def result(self, model: Model, test: EquityTest, context: Context) -> Decided:
        """Effects of groups on each emotion; items are the sentences with their scores."""
        options, level = self.options, self.options.confidence
        corpora = Corpora.of(test, options, context.catalogue)
        quantities, agreeing = self._quantities(model, test), agreeing_factors(corpora.tests)
        fitted = [self._fit(model, corpora.rows(emotion), quantities, agreeing) for emotion in quantities]
        effects, how = [effect for one in fitted for effect in one.effects], Adjustment(options.adjustment)
        table = [
            replace(one, p_adjusted=None if np.isnan(p) else float(p))
            for one, p in zip(effects, adjust([one.p_value for one in effects], how), strict=True)
        ]
        first = min(table, key=_rank)
        count = sum(one.p_value is not None for one in table)
        adjusted = "" if count == 1 or how is Adjustment.NONE else f"{how.shown} over {count} effects"
        rows = {one.emotion: one.rows for one in fitted}
        farthest = max(table, key=_reach) if options.bound else first
        ends = farthest.test
        headline = next(one for one in fitted if one.emotion == first.emotion)
        templates, names = by_template(headline, first, level), [name_means(one) for one in fitted]
        ordered = sorted(table, key=lambda one: one is not first)
        # Titles of several would be cut where a picture has no room.
        subject = " + ".join(one.id for one in corpora.tests) if options.joint else test.title or test.id
        shown = [one for one in table if one.p_adjusted is not None and one.p_adjusted <= options.alpha]
        unset = (
            options.bound
            if "bound" not in options.model_fields_set and first.p_adjusted is not None
            else None
        )
        wide = wide_bound(fitted, unset) if unset and _reach(farthest) <= unset else ()
        return Decided(
            variant=options.variant(model),
            joined=tuple(one.id for one in corpora.tests if one.id != test.id),
            positive_means="the scores of an emotion are higher for the level named first",
            negative_means="the scores of an emotion are lower for the level named first",
            dimensions={" x ".join(one.change): False for one in table}
            | {" x ".join(one.change): True for one in shown},
            estimates=(
                *(effect_estimate(one, rows[one.emotion], adjusted) for one in ordered),
                *(effect_estimate(one.free) for one in table if one.free),
                *(estimate for _, estimate in templates),
                *(estimate for one in fitted for estimate in coefficients(one, level)),
                *(estimate for one in fitted for estimate in means(one)),
                *(estimate for some in names for _, estimate in some),
            ),
            p_value=first.p_adjusted,
            interval=Interval(ends.low, ends.high, ends.level, BY_STRATUM, 0) if ends else None,
            problem=first.untested.removesuffix("."),
            bound=options.bound,
            bound_of=farthest.name,
            bounded=first.p_adjusted is not None,
            more=self._verdict_sentence(table, first, shown) if first.p_adjusted is not None else "",
            scores=[one.clustered for one in fitted],
            coverage=_coverage(fitted),
            caveats=(*caveats(fitted, corpora.tests, first, self._lacking(model, test, quantities)), *wide),
            model_conventions=("outputs",),
            conventions=self._conventions(corpora, fitted, quantities),
            item_value="score of the sentence",
            item_neutral=None,
            figures=tuple(figures(fitted, first, templates, names, subject)),
            items=_items(fitted),
        )

    def _quantities(self, model: Model, test: EquityTest) -> dict[str, str]:
        """The output of the model for each emotion that is measured.

        Of a model that does not list its outputs every emotion of the test. Raises CapabilityError where the model lacks an
        emotion that the options name, or has none of the test.
        """
        options, held = self.options, model.identity.quantities
        wanted = options.emotions or test.emotions
        found = {emotion: self._output(emotion, held) for emotion in wanted}
        known = {emotion: output for emotion, output in found.items() if output}
        if not known or (options.emotions and len(known) < len(wanted)):
            lacking = [emotion for emotion in wanted if emotion not in known]
            meant = f'quantities={{"{lacking[0]}" = "{held[0]}"}}'
            raise CapabilityError(
                f"{model.name} has no output for {listed(lacking)}; its outputs are: {listed(list(held))}. Say which one is "
                f"meant, as in -o '{meant}'{_without(lacking, wanted) if known else ''}"
            )
        return known

    def _output(self, emotion: str, held: Sequence[str]) -> str | None:
        meant = self.options.quantities.get(emotion)
        if meant is not None:
            return meant if not held or meant in held else None
        return find_output(emotion, held) if held else emotion

    def _fit(
        self, model: Model, rows: Rows, quantities: Mapping[str, str], agreeing: Sequence[str]
    ) -> Fitted:
        scores, others = self._scores(model, rows, quantities), _without([rows.emotion], quantities)
        try:
            return Fitted.of(rows, scores, self.options, agreeing)
        except (RegressionError, ZeroVarianceError) as error:
            raise AnswerError(
                f"{model.name}: the scores of {rows.emotion} cannot be compared: {error}. Check that it distinguishes "
                f"names{others}"
            ) from error

    def _scores(self, model: Model, rows: Rows, quantities: Mapping[str, str]) -> Floats:
        """The scores (n,) of an emotion; raises AnswerError where the regressions asked for have no place for them."""
        emotion = rows.emotion
        scores = model.score(rows["sentence"].tolist(), quantities[emotion])
        if float(np.ptp(scores)) == 0.0:
            raise AnswerError(
                f"{model.name} gives all {scores.size} sentences the score {scores[0]:g} for {emotion}, so there is nothing "
                f"to compare. Check that it reads its input{_without([emotion], quantities)}"
            )
        if self.options.link == "identity":
            return scores
        outside = (scores < 0.0) | (scores > 1.0)
        if outside.any():
            worst = scores[int(np.argmax(np.abs(scores - 0.5)))]
            raise AnswerError(
                f"{model.name}: {np.count_nonzero(outside)} of {scores.size} scores for {emotion} are outside [0, 1], the "
                f"farthest {worst:g}, and a Beta regression has no place for them. Leave it out (least squares and "
                "Welch's t, which decides, are the same without it): -o link=identity"
            )
        ends = [int(np.count_nonzero(scores == end)) for end in (0.0, 1.0)]
        if any(ends) and not self.options.squeeze:
            raise AnswerError(
                f"{model.name}: {ends[0]} of {scores.size} scores for {emotion} are exactly 0 and {ends[1]} exactly 1, "
                "where a Beta regression has no likelihood. Move all scores to (y (n - 1) + 1/2) / n with -o squeeze=true, "
                "or fit least squares alone: -o link=identity"
            )
        return scores

    def _verdict_sentence(self, table: Sequence[Effect], first: Effect, shown: Sequence[Effect]) -> str:
        """The headline, what else is significant, and what only templates with agreeing words show."""
        alpha = self.options.alpha
        found = [f"The smallest p-value is that of {first.name}."]
        if shown:
            count, told = sum(one.p_value is not None for one in table), "; ".join(one.told for one in shown)
            found.append(f"At most {alpha:g}, {len(shown)} of {count}: {told}.")
        by_words = [
            f"{one.name} has p = {one.own_p:z.3g} in all templates, but "
            + ("names make no difference" if one.free.own_p is None else f"p = {one.free.own_p:z.3g}")
            + " in those without words that agree with the person"
            for one in table
            if one.p_adjusted is not None and one.own_p is not None and one.own_p <= alpha
            if one.free is not None and (one.free.own_p or 1.0) > alpha
        ]
        if by_words:
            found.append(f"Grammar may be the reason: {'; '.join(by_words)}.")
        return " ".join(found)

    def _lacking(self, model: Model, test: EquityTest, quantities: Mapping[str, str]) -> str:
        lacking = [emotion for emotion in test.emotions if emotion not in quantities]
        return "" if self.options.emotions or not lacking else (
            f"{model.name} has no output for {', '.join(lacking)}, which the test has too; its outputs are: "
            f"{', '.join(model.identity.quantities)}"
        )  # fmt: skip

    def _conventions(
        self, corpora: Corpora, fitted: Sequence[Fitted], quantities: dict[str, str]
    ) -> dict[str, Scalar]:
        options = self.options
        both = options.link == "both"
        templates = options.templates if isinstance(options.templates, str) else ", ".join(options.templates)
        return {
            "headline": "the effect with the smallest adjusted p-value",
            "effect": "difference of mean scores from the reference level, averaged over the levels of the other factors; "
            "of several factors the difference of differences",
            "reference levels": ", ".join(f"{name}: {of[0]}" for name, of in fitted[0].rows.levels.items()),
            "OLS coefficient": "least squares with an intercept, all interactions: effects at the reference levels of the "
            "other factors; p takes the sentences of one name for independent; stars *** p <= .01, ** <= .05, * <= .10",
            **({"Beta regression": "logit link, one precision, observed information"} if both else {}),
            "p-value that decides": "two-sided; Welch's t over names by stratum (the levels of the other factors); where "
            "words agree with the person, the larger of all templates and those without such words; adjusted over emotions "
            f"and effects: {options.adjustment}",
            "interval": f"{100 * options.confidence:g} %, that of the t test; fixed effects of frames (template and word)",
            "persons": options.persons,
            "sentences": options.sentences,
            "templates": templates,
            "squeezed": "yes, where some scores are exactly 0 or 1" if options.squeeze else "no",
            "outputs": ", ".join(f"{emotion} = {output}" for emotion, output in quantities.items()),
            "sentences asked": ", ".join(f"{one.emotion} {one.scores.size}" for one in fitted),
            "negligible": f"all intervals within {options.bound:g}" if options.bound else "none stated",
            **{f"factor {name}": ", ".join(of) for name, of in corpora.shared.items()},
            **corpora.facts(),
        }


def _without(left: Sequence[str], emotions: Iterable[str]) -> str:
    """How some emotions are left out, as the end of a sentence; "" where there are no others."""
    others = ", ".join(f'"{other}"' for other in emotions if other not in left)
    return f", or measure the others: -o 'emotions=[{others}]'" if others else ""


def _rank(one: Effect) -> tuple[float, float, float]:
    """By the adjusted p, then p, then size; those without a test last."""
    if one.p_value is None or one.p_adjusted is None:
        return (math.inf, math.inf, 0.0)
    return (one.p_adjusted, one.p_value, -abs(one.value))


def _reach(one: Effect) -> float:
    """How far the interval of an effect goes from 0; without one, beyond all bounds."""
    return max(abs(one.test.low), abs(one.test.high)) if one.test else math.inf


def _coverage(fitted: Sequence[Fitted]) -> Coverage:
    """Persons by cell; a person without sentences was chosen out by an option, and is none that is lost."""
    cells = {cell: set[str]() for cell in fitted[0].rows.cells}
    for one in fitted:
        for cell, person in zip(one.rows.cell.tolist(), one.rows["person"].tolist(), strict=True):
            cells[cell].add(person)
    used = {cell: len(persons) for cell, persons in cells.items()}
    cell_of = {person: cell for cell, persons in cells.items() for person in persons}
    repeats = {person: other for one in fitted for person, other in one.rows.repeats.items()}
    lost = tuple(
        LostWord(word=person, role=cell_of[other], reason=same_as(other, "sentences"))
        for person, other in repeats.items()
        if person not in cell_of
    )
    return Coverage(given=Counter(used) + Counter(one.role for one in lost), used=used, lost=lost)


def _items(fitted: Sequence[Fitted]) -> pa.Table:
    rows = fitted[0].rows
    columns = ["template", "word", "emotion", "person", "agreement", *[CORPUS] * rows.joint, *rows.levels]

    def column(name: str) -> list[Any]:
        return [value for one in fitted for value in one.rows.data[name].to_numpy().tolist()]

    return item_table(
        item=column("sentence"),
        group=[cell for one in fitted for cell in one.rows.cell.tolist()],
        value=[score for one in fitted for score in one.scores.tolist()],
        more={
            SCORED_FOR: [one.emotion for one in fitted for _ in one.scores],
            **{name: column(name) for name in columns},
        },
    )
