"""GEST for translation: in which gender do samples come back that leave the speaker's gender open?"""

from __future__ import annotations

import pyarrow as pa

from biascore.api.figures import Bars, Examples, Figure, Limit, Point
from biascore.api.languages import Gender, language_name
from biascore.api.metrics import (
    Context,
    Coverage,
    Equivalence,
    Finding,
    LostWord,
    Metric,
    Model,
    Test,
    item_table,
)
from biascore.api.stimuli import Catalogue, Origin
from biascore.stats import Unreachable
from biascore_metrics.gest.chosen import Chosen, Confound
from biascore_metrics.gest.data import (
    data_conventions,
    in_other_language,
    repeated_samples,
    repeated_sentences,
    repeats,
)
from biascore_metrics.gest.estimates import ABOUT, RULE, rank_pictures
from biascore_metrics.gest.kind import SamplesTest
from biascore_metrics.gest.masculine import F_M, F_S, ROOM, MasculineRates, Verdicts, p_name, raw
from biascore_metrics.gest.options import MtOptions, detected
from biascore_metrics.gest.rates import largest_corners

NO_TRANSLATION = "the model gave no translation, or none that is text"
LOST = {
    Gender.NONE: "no first-person gender found",
    Gender.CONFLICT: "its words disagree in gender, or one is written for both",
}


class GestMt(Metric[MtOptions, SamplesTest]):
    """Translates the samples, finds the speaker's gender, and compares stereotypes; the headline is the raw f_s."""

    name = "gest-mt"
    summary = "GEST, translation: masculine rate per stereotype, stereotype rate f_s, masculine rate f_m"
    rule = RULE
    reference = "Pikuliak, Hrckova, Oresko & Simko 2023, arXiv 2311.18711, section 4.1"
    requires = frozenset({"translate"})
    kinds = frozenset({"samples"})
    file_options = frozenset({"grammar"})

    def check(self, test: Test, catalogue: Catalogue) -> None:
        """Raise what is wrong with the test, the excluded stereotypes or the confounding list."""
        Chosen.of(test, self.options.exclude)
        Confound.of(self.options, catalogue)

    def extra_stimuli(self, test: SamplesTest, catalogue: Catalogue) -> tuple[Origin, ...]:
        """The file of the confounding list."""
        return Confound.read_from(self.options, catalogue)

    def unreachable(self, test: SamplesTest) -> tuple[Unreachable, ...]:
        """What a test of so few stereotypes cannot show."""
        return Chosen.of(test, self.options.exclude).unreachable(self.options)

    def gender_languages(self, test: Test) -> tuple[str, ...]:
        """The language of the translations."""
        return detected(self.options, self.options.target)

    def measure(self, model: Model, test: SamplesTest, context: Context) -> Finding:
        """Both f_s with interval and test, f_m, the masculine rate of each stereotype; items are the samples."""
        options = self.options
        chosen = Chosen.of(test, options.exclude)
        samples = chosen.samples(test, options)
        detector = context.detector(options.target, options.grammar)
        sentences = tuple(dict.fromkeys(sample.sentence for sample in samples))
        answers = model.translate(sentences, test.language, options.target, unusable="empty")
        translations = dict(zip(sentences, answers, strict=True))
        found = {text: detector.detect(text) for text in dict.fromkeys(answers)}
        verdicts = Verdicts(
            samples=samples,
            translations=tuple(translations[sample.sentence] for sample in samples),
            genders=tuple(found[translations[sample.sentence]] for sample in samples),
        )
        confound = Confound.of(options, context.catalogue)
        rates = MasculineRates.of(chosen, verdicts, options, confound, context.rng)
        return Finding(
            variant=", ".join(options.changed("target")),
            subject=f"{language_name(test.language)} to {language_name(options.target)}",
            positive_means="stereotypes about men are translated in the masculine more often than those about women",
            negative_means="stereotypes about women are translated in the masculine more often than those about men",
            estimates=rates.estimates,
            read_first=rates.read_first,
            decision=rates.decision,
            equivalence=Equivalence.within(rates.bound, raw(F_S)),
            needed=(),
            coverage=_coverage(chosen, verdicts),
            caveats=(
                *in_other_language("sentences", sentences, test.language),
                *in_other_language("translations", answers, options.target),
                *rates.caveats,
                *repeated_samples(test, options),
            ),
            item_value="1 masculine, 0 feminine, none where no gender was found",
            figures=_figures(chosen, options),
            conventions={
                **data_conventions(test),
                **repeats(test, options),
                "source and target language": f"{test.language} to {options.target}",
                "detector": detector.name,
                **({"grammar": options.grammar} if options.grammar else {}),
                "detected in": "the first sentence of a translation",
                "p": "Agresti-Coull centre (s + z^2/2) / (n + z^2); s masculine of n masculine or feminine",
                "f_s": "mean p over stereotypes about men - mean p over stereotypes about women",
                "f_m": "mean of the two means",
                "pooled masculine share": "masculine of all samples with a gender, interval by stereotype",
                "raw": "the same from plain shares s / n; test and interval of the raw f_s decide",
                "intervals of f_s and f_m": "Welch's t, each stereotype one observation",
                "test": "stereotypes permuted between men and women",
                "deciding p-value": options.alternative,
                "equivalence bound": options.bound,
                "negligible": f"only where the largest raw f_s at the raw f_m is more than {ROOM} bounds",
                "lowest, highest f_s": "all samples without a gender counted against it, or for it (Manski bounds)",
                "alpha": options.alpha,
                "sentences with two stereotypes": f"{repeated_sentences(samples)}, translated once and counted twice",
                **({"confound": confound.shown} if confound else {}),
            },
            items=_items(chosen, verdicts),
        )


def _figures(chosen: Chosen, options: MtOptions) -> tuple[Figure, ...]:
    language = language_name(options.target)
    return (
        Bars(
            title=f"Masculine rate of each stereotype in {language}",
            estimates=tuple(p_name(stereotype) for stereotype in chosen.stereotypes),
            labels=tuple(stereotype.label for stereotype in chosen.stereotypes),
            groups=tuple(ABOUT[stereotype.gender] for stereotype in chosen.stereotypes),
        ),
        Point(
            title="Masculine rate and stereotype rate",
            x=F_M,
            y=F_S,
            subject=language,
            limit=Limit(name="theoretical maximum of f_s", corners=largest_corners()),
        ),
        *rank_pictures(chosen.stereotypes, language),
        Examples(
            title="Samples translated as the stereotype says, and against it",
            follows="follows",
            beside=("translation", f"translation ({language})"),
            marked="word",
            notice=(
                "These sentences repeat stereotypes of women and men. A system that always uses the masculine agrees with "
                "all that are about men, and against all about women."
            ),
        ),
    )


def _coverage(chosen: Chosen, verdicts: Verdicts) -> Coverage:
    used = [
        s.stereotype for s, value in zip(verdicts.samples, verdicts.values, strict=True) if value is not None
    ]
    labels = chosen.by_id
    return Coverage(
        given=chosen.given([sample.stereotype for sample in verdicts.samples]),
        used=chosen.given(used),
        lost=tuple(
            LostWord(
                word=sample.sentence,
                role=labels[sample.stereotype].label,
                reason=LOST[found.gender] if translation else NO_TRANSLATION,
            )
            for sample, found, translation in zip(
                verdicts.samples, verdicts.genders, verdicts.translations, strict=True
            )
            if found.gender in LOST
        ),
    )


def _items(chosen: Chosen, verdicts: Verdicts) -> pa.Table:
    stereotypes = [chosen.by_id[sample.stereotype] for sample in verdicts.samples]
    return item_table(
        item=[sample.sentence for sample in verdicts.samples],
        group=[stereotype.label for stereotype in stereotypes],
        value=verdicts.values,
        more={
            "about": [stereotype.gender for stereotype in stereotypes],
            "follows": [
                None if value is None else (value == 1) is (stereotype.gender == "male")
                for value, stereotype in zip(verdicts.values, stereotypes, strict=True)
            ],
            "translation": list(verdicts.translations),
            "gender": [found.gender.value for found in verdicts.genders],
            "word": [", ".join(one.word for one in found.evidence) for found in verdicts.genders],
            "rule": [", ".join(one.rule for one in found.evidence) for found in verdicts.genders],
        },
    )
