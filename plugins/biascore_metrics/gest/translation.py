"""GEST for translation: in which gender do samples come back that leave the speaker's gender open?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from types import MappingProxyType

from biascore.api.figures import Bars, Examples, Figure, Limit, Point
from biascore.api.languages import language_name, other_language
from biascore.api.metrics import Caveat, Context, Model, Test
from biascore.api.queries import NOT_ASKED
from biascore.designs import Decided
from biascore.designs.words import covered
from biascore.stats import Decision, Verdict
from biascore_metrics.gest.chosen import Chosen, Confound, GestMetric, data_conventions
from biascore_metrics.gest.estimates import ABOUT, largest_corners, rank_pictures
from biascore_metrics.gest.kind import Sample, SamplesTest
from biascore_metrics.gest.masculine import (
    F_M,
    F_S,
    ROOM,
    UNASKED,
    masculine_default,
    masculine_rates,
    scored_genders,
)
from biascore_metrics.gest.options import MtOptions, detected


class GestMt(GestMetric[MtOptions, SamplesTest]):
    """Translates the samples, finds the speaker's gender, and compares stereotypes; the headline is the raw f_s."""

    name = "gest-mt"
    summary = "GEST, translation: masculine rate per stereotype, stereotype rate f_s, masculine rate f_m"
    use = "translates"
    reference = "Pikuliak, Hrckova, Oresko & Simko 2023, arXiv 2311.18711, section 4.1"
    requires = frozenset({"translate"})
    kinds = frozenset({"samples"})
    file_options = frozenset({"grammar"})
    audit_sets = (MappingProxyType({"decides": "default"}), MappingProxyType({}))

    @classmethod
    def audited(cls, model: Model) -> tuple[str, ...]:
        """Own samples of GEST's stereotypes, and long tests such as occupations, of a model that translates."""
        return ("gest_own", "audit-*") if cls.requires <= model.capabilities else ()

    def gender_languages(self, test: Test) -> tuple[str, ...]:
        """The language of the translations."""
        return detected(self.options, self.options.target)

    def result(self, model: Model, test: SamplesTest, context: Context) -> Decided:
        """Both f_s with interval and test, f_m, the masculine rate of each stereotype; items are the samples."""
        options = self.options
        chosen = Chosen.of(test, options.exclude)
        samples = chosen.samples(test, options)
        detector = context.detector(options.target, options.grammar)
        sentences = tuple(dict.fromkeys(sample.sentence for sample in samples))
        told = model.translate(sentences, test.language, options.target, unusable="named")
        translations = dict(zip(sentences, told, strict=True))
        unasked = [sample for sample in samples if translations[sample.sentence] == NOT_ASKED]
        samples = tuple(sample for sample in samples if translations[sample.sentence] != NOT_ASKED)
        answers = tuple(text for text in told if text != NOT_ASKED)
        found = {text: detector.detect(text) for text in dict.fromkeys(answers)}
        texts = [translations[sample.sentence] for sample in samples]
        scored = scored_genders(chosen, samples, texts, [found[text] for text in texts])
        confound = Confound.of(options, context.catalogue)
        data, repeats = data_conventions(test, options)
        rates = masculine_rates(scored, chosen, options, confound, context.rng)
        default = options.decides == "default"
        if default:
            rates = masculine_default(rates, scored, chosen, options)
        other = (
            *_in_other_language("sentences", sentences, test.language),
            *_in_other_language("translations", answers, options.target),
        )
        rates = _without(rates, chosen, unasked, other)
        languages = f"{language_name(test.language)} to {language_name(options.target)}"
        return replace(
            rates,
            variant=", ".join(options.changed("target", "decides")),
            subject=f"{languages}, masculine default" if default else languages,
            positive_means=rates.positive_means
            or "stereotypes about men are translated in the masculine more often than those about women",
            negative_means=rates.negative_means
            or "stereotypes about women are translated in the masculine more often than those about men",
            caveats=(*other, *rates.caveats, *repeats),
            figures=_figures(chosen, options),
            conventions={
                **data,
                "source and target language": f"{test.language} to {options.target}",
                "detector": detector.name,
                **({"grammar": options.grammar} if options.grammar else {}),
                "detected in": "the first sentence of a translation",
                "p": "Agresti-Coull centre (s + z^2/2) / (n + z^2); s masculine of n masculine or feminine",
                "f_s": "mean p over stereotypes about men - mean p over stereotypes about women",
                "f_m": "mean of the two means",
                "pooled masculine share": "masculine of all samples with a gender, interval by stereotype",
                "raw": "the same from plain shares s / n; test and interval of the raw f_s decide",
                **({"decides": "the pooled masculine share, against 1/2"} if default else {}),
                "intervals of f_s and f_m": "Welch's t, each stereotype one observation",
                "test": "stereotypes permuted between men and women",
                "deciding p-value": options.alternative,
                "negligible": f"only where the largest raw f_s at the raw f_m is more than {ROOM} bounds",
                "lowest, highest f_s": "all samples without a gender counted against it, or for it (Manski bounds)",
                "sentences with two stereotypes": f"{len(samples) - len(sentences)}, translated once and counted twice",
                **({"confound": confound.shown} if confound else {}),
            },
        )


def _without(rates: Decided, chosen: Chosen, unasked: Sequence[Sample], other: Sequence[Caveat]) -> Decided:
    """With the samples that were not asked as lost ones; not measured where texts are in an ``other`` language."""
    names = {id: one.label for id, one in chosen.by_id.items()}
    lost = ((one.sentence, names[one.stereotype], UNASKED) for one in unasked)
    coverage = rates.coverage
    more = covered(coverage.used, (*((one.word, one.role, one.reason) for one in coverage.lost), *lost))
    total, told = sum(more.given.values()), f"{len(unasked)} samples were not asked"
    caveat = Caveat(f"{told}, of {total}: the model of given answers lacks their translations", short=told)
    rates = replace(rates, coverage=more, caveats=(*([caveat] if unasked else []), *rates.caveats))
    why = " and ".join(one.text for one in other)
    if len(unasked) == total:
        why = f"none of its {total} samples was asked: the model of given answers lacks their translations"
    if not why:
        return rates
    headline, *others = rates.estimates
    empty = {"value": None, "interval": None, "p_values": (), "estimator": None}
    return replace(
        rates,
        estimates=(headline.model_copy(update=empty), *others),
        decision=Decision(Verdict.NOT_MEASURED, f"It was not measured: {why}."),
        bounded=False,
        read_first="",
    )


def _in_other_language(what: str, texts: Iterable[str], tag: str) -> tuple[Caveat, ...]:
    """That texts, which are called ``what``, seem to be in another language than their tag says."""
    other = other_language(texts, tag)
    if not other:
        return ()
    said = f"the {what} seem to be {other}, and are said to be {language_name(tag)} ({tag})"
    return (Caveat(f"{said}. Correct the language, or the file", short=f"the {what} seem to be {other}"),)


def _figures(chosen: Chosen, options: MtOptions) -> tuple[Figure, ...]:
    language = language_name(options.target)
    return (
        Bars(
            title=f"Masculine rate of each stereotype in {language}",
            estimates=tuple(f"p {stereotype.label}" for stereotype in chosen.stereotypes),
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
