"""Equity Evaluation Corpora: does a regressor of emotions score sentences about some groups higher than about others?

Kiritchenko & Mohammad 2018 (the corpus); Câmara et al. 2022 (regressions with the intersection of groups).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import pyarrow as pa

from biascore.api.metrics import (
    Caveat,
    Context,
    Coverage,
    Finding,
    LostWord,
    Metric,
    Model,
    Scalar,
    caveats_of,
    item_table,
)
from biascore.api.stimuli import Catalogue
from biascore.api.support import listed, quoted
from biascore.designs.words import same_as
from biascore.errors import AnswerError, OptionsError
from biascore.stats import RegressionError, Unreachable, Verdict, ZeroVarianceError
from biascore_metrics.eec.asking import quantities_of, scores_of, without
from biascore_metrics.eec.cautions import (
    agreeing_factors,
    agreement,
    indistinguishable,
    nearly_constant,
    untested,
    wide_bound,
)
from biascore_metrics.eec.corpora import Corpora, further
from biascore_metrics.eec.estimates import SCORED_FOR
from biascore_metrics.eec.findings import findings
from biascore_metrics.eec.fits import Effect, Fitted
from biascore_metrics.eec.options import EecOptions
from biascore_metrics.eec.reach import unreachable
from biascore_metrics.eec.rows import CORPUS, Rows
from biascore_metrics.eec.sentences import EquityTest


class Eec(Metric[EecOptions, EquityTest]):
    """On a regressor with an output for each emotion; the headline is the effect with the smallest adjusted p-value."""

    name = "eec"
    summary = "Equity Evaluation Corpora: intersectional bias of emotion regressors"
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
        return further(test, self.options, catalogue)

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

    def measure(self, model: Model, test: EquityTest, context: Context) -> Finding:
        """Effects of groups on each emotion; items are the sentences with their scores."""
        options = self.options
        quantities = quantities_of(model, test, options)
        corpora = Corpora.of(test, options, context.catalogue)
        agreeing = frozenset(agreeing_factors(corpora.tests))
        fitted = [
            self._fit(model, corpora.rows(emotion), emotion, quantities, agreeing) for emotion in quantities
        ]
        # Titles of several would be cut where a picture has no room.
        subject = " + ".join(one.id for one in corpora.tests) if options.joint else test.title or test.id
        found = findings(fitted, options, subject)
        diagnosed = [context.diagnose((), model, test, one.clustered) for one in fitted]
        return Finding(
            variant=options.variant(),
            joined=tuple(one.id for one in corpora.tests if one.id != test.id),
            positive_means="the scores of an emotion are higher for the level named first",
            negative_means="the scores of an emotion are lower for the level named first",
            dimensions=found.dimensions,
            estimates=(*found.estimates, *(one for of in diagnosed for one in of.estimates)),
            decision=found.decision,
            equivalence=found.equivalence,
            coverage=_coverage(fitted),
            caveats=(
                *self._caveats(model, corpora, fitted, found.first.effect),
                *(
                    wide_bound(fitted, options.bound)
                    if options.bound
                    and "bound" not in options.model_fields_set
                    and found.decision.verdict is Verdict.NEGLIGIBLE
                    else ()
                ),
                *(one for of in diagnosed for one in of.caveats),
            ),
            model_conventions=("outputs",),
            conventions={
                **self._conventions(corpora, fitted, quantities),
                **{name: value for of in diagnosed for name, value in of.stated.items()},
            },
            item_value="score of the sentence",
            item_neutral=None,
            figures=found.figures,
            items=_items(fitted),
        )

    def _fit(
        self,
        model: Model,
        rows: Rows,
        emotion: str,
        quantities: Mapping[str, str],
        agreeing: frozenset[str],
    ) -> Fitted:
        scores = scores_of(model, rows.sentence.tolist(), emotion, quantities, self.options)
        try:
            return Fitted.of(emotion, rows, scores, self.options, agreeing)
        except (RegressionError, ZeroVarianceError) as error:
            raise AnswerError(
                f"{model.name}: the scores of {emotion} cannot be compared: {error}. Check that it tells "
                f"names apart{without([emotion], quantities)}"
            ) from error

    def _caveats(
        self, model: Model, corpora: Corpora, fitted: Sequence[Fitted], first: Effect
    ) -> tuple[Caveat, ...]:
        grammar = agreement(corpora.tests, fitted[0].rows)
        # Where templates without such words decide, too, grammar alone cannot.
        decides = first.free is None and bool(set(agreeing_factors(corpora.tests)) & set(first.change))
        by_grammar = (
            Caveat(grammar, decides, "words that agree with the person tell it, too" if decides else "")
            if grammar
            else None
        )
        lacking = [
            emotion for emotion in corpora.tests[0].emotions if emotion not in {one.emotion for one in fitted}
        ]
        unasked = "" if self.options.emotions or not lacking else (
            f"{model.name} has no output for {', '.join(lacking)}, which the test has too; its outputs are: "
            f"{', '.join(model.identity.quantities)}"
        )  # fmt: skip
        details = filter(
            None,
            (
                unasked,
                *untested(fitted),
                *nearly_constant(fitted),
                *(c for one in fitted for c in one.cautions),
            ),
        )
        repeats = len(_repeats(fitted))
        repeated = (
            f"{repeats} person(s) have the sentences of another one of their group and are not counted again"
        )
        return (
            *caveats_of([repeated] if repeats else [], verdict=False),
            *indistinguishable(fitted),
            *filter(None, [by_grammar]),
            *caveats_of(dict.fromkeys(details), verdict=False),
        )

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
            "alpha": options.alpha,
            "negligible": "none stated"
            if options.bound is None
            else f"all intervals within {options.bound:g}",
            **{f"factor {name}": ", ".join(of) for name, of in corpora.shared.items()},
            **corpora.facts(),
        }


def _coverage(fitted: Sequence[Fitted]) -> Coverage:
    """Persons by cell; a person without sentences was chosen out by an option, and is none that is lost."""
    cells = {cell: set[str]() for cell in fitted[0].rows.cells}
    for one in fitted:
        for cell, person in zip(one.rows.cell.tolist(), one.rows.person.tolist(), strict=True):
            cells[cell].add(person)
    used = {cell: len(persons) for cell, persons in cells.items()}
    cell_of = {person: cell for cell, persons in cells.items() for person in persons}
    lost = tuple(
        LostWord(word=person, role=cell_of[other], reason=same_as(other, "sentences"))
        for person, other in _repeats(fitted).items()
        if person not in cell_of
    )
    return Coverage(given=Counter(used) + Counter(one.role for one in lost), used=used, lost=lost)


def _repeats(fitted: Sequence[Fitted]) -> dict[str, str]:
    """Persons who repeat another one, of any emotion."""
    return {person: other for one in fitted for person, other in one.rows.repeats.items()}


def _items(fitted: Sequence[Fitted]) -> pa.Table:
    asked = [one.emotion for one in fitted for _ in range(one.scores.size)]
    columns = {
        name: [value for one in fitted for value in getattr(one.rows, name).tolist()]
        for name in ("template", "word", "emotion", "person", "agreement")
    }
    if len(fitted[0].rows.corpora) > 1:
        columns[CORPUS] = [corpus for one in fitted for corpus in one.rows.corpus.tolist()]
    factors = {
        name: [level for one in fitted for level in one.rows.factors[name].tolist()]
        for name in fitted[0].rows.factors
    }
    return item_table(
        item=[sentence for one in fitted for sentence in one.rows.sentence.tolist()],
        group=[cell for one in fitted for cell in one.rows.cell.tolist()],
        value=[score for one in fitted for score in one.scores.tolist()],
        more={SCORED_FOR: asked, **columns, **factors},
    )
