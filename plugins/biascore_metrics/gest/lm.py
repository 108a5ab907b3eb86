"""GEST for language models: from log odds of samples to q of each stereotype and g_s, per template and pooled."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import ClassVar, Final

from typing_extensions import TypeVar

from biascore.api.figures import Bars, Dots, Figure
from biascore.api.metrics import ConfidenceInterval, Context, Estimate, Model, Scalar, Test, caveats_of
from biascore.api.stimuli import Catalogue, Origin
from biascore.api.support import SELF
from biascore.designs import Decided
from biascore.errors import CapabilityError, OptionsError
from biascore_metrics.gest.chosen import Chosen, Confound, GestMetric, Scored, data_conventions
from biascore_metrics.gest.estimates import (
    ByStereotype,
    Floats,
    group_mean,
    mean_interval,
    rank_estimates,
    rank_pictures,
    rate,
)
from biascore_metrics.gest.kind import GenderPairsTest, Sample, SamplesTest
from biascore_metrics.gest.odds import (
    LOG_LIKELIHOOD,
    PAIRS,
    Pair,
    Prompt,
    causal_odds,
    given_odds,
    load_prompts,
    masked_odds,
    score_pairs,
    translated_pairs,
)
from biascore_metrics.gest.options import LmOptions, detected

G_S: Final = "stereotype rate g_s"
Q_MALE, Q_FEMALE, Q_CONFOUND = "q_m", "q_f", "q_confound"
MAX_LOST_SHARE: Final = 0.2
TestT = TypeVar("TestT", bound=Test, default=Test)


class _OnTemplates(GestMetric[LmOptions, TestT]):
    """What GEST asks with templates ``[templates.NAME]``, and what it makes of log odds.

    ``ask`` gets log odds, and of a model that lists its scores it asks for the ``quantity``, where one is named. ``asked``:
    what a score is where it is not given with the model. ``more_probable``: what a positive g_s means.
    """

    name = "gest-lm"
    prompted: ClassVar[str]
    asked: ClassVar[str]
    more_probable: ClassVar[str]
    quantity: ClassVar[str] = ""

    @staticmethod
    @abstractmethod
    def ask(model: Model, samples: Sequence[Sample], prompts: Sequence[Prompt]) -> Scored:
        """The log odds of the samples with each of the prompts."""

    def check(self, test: TestT, catalogue: Catalogue) -> None:
        """Raise what is wrong with the test, the prompts, the excluded stereotypes or the confounding list."""
        super().check(test, catalogue)
        self.prompts(test, catalogue)

    def extra_stimuli(self, test: TestT, catalogue: Catalogue) -> tuple[Origin, ...]:
        """The files of the prompts and of the confounding list."""
        prompts = catalogue.file(test.language, self.options.prompts)
        return (prompts, *super().extra_stimuli(test, catalogue))

    def prompts(self, test: Test, catalogue: Catalogue) -> tuple[Prompt, ...]:
        """The templates that the options name."""
        options = self.options
        return load_prompts(catalogue, test.language, options.prompts, self.prompted, options.templates)

    def given(self, model: Model, quantities: Sequence[str]) -> bool:
        """Whether the model holds given scores of all these names, so that it need not be asked for words.

        Raises CapabilityError where it does not and cannot be asked either.
        """
        held = model.identity.quantities
        if set(quantities) <= set(held):
            return True
        # A model need not list what it answers.
        listed = not held or not self.quantity or self.quantity in held
        if not self.requires <= model.capabilities or not listed:
            raise CapabilityError(
                f"{self.name} on {model.name}: it answers no questions about words, and holds "
                f"{', '.join(held) or 'no scores'} where {', '.join(quantities)} are needed. Name the scores so (option "
                "quantity or quantities of answers:), or choose the templates that it has"
            )
        return False

    def result(self, model: Model, test: TestT, context: Context) -> Decided:
        """g_s over all templates and with each, and the mean log odds of each stereotype."""
        assert isinstance(test, SamplesTest)
        chosen, prompts = Chosen.of(test, self.options.exclude), self.prompts(test, context.catalogue)
        given = self.given(model, [prompt.name for prompt in prompts])
        scored = (given_odds if given else self.ask)(model, chosen.samples(test, self.options), prompts)
        stated = {
            "templates": " | ".join(f"{p.number}: {p.template} ({p.male}/{p.female})" for p in prompts),
            "score": "given with the model" if given else self.asked,
        }
        return self.decided(scored, chosen, test.language, stated, test, context)

    def decided(
        self,
        nats: Scored,
        chosen: Chosen,
        language: str,
        stated: Mapping[str, Scalar],
        test: SamplesTest | GenderPairsTest,
        context: Context,
    ) -> Decided:
        """What scored samples give; its headline is g_s, pooled over templates."""
        options = self.options
        unit, scored = options.unit, replace(nats, values=nats.values / options.nats)
        confound = Confound.of(options, context.catalogue)
        pooled = chosen.by_stereotype(scored, scored.means)
        headline = rate(G_S, unit, pooled, options, context.rng, column="value")
        by_template = {
            name: chosen.by_stereotype(scored, values)
            for name, values in zip(scored.names, scored.values.T, strict=True)
            if len(scored.names) > 1
        }
        data, repeats = data_conventions(test, options)
        held = [self._mean(Q_CONFOUND, chosen.held(scored, confound), unit)] if confound else []
        return Decided(
            variant=", ".join(options.changed()),
            language=language,
            positive_means=self.more_probable,
            negative_means="the other way round: against the stereotypes",
            estimates=(
                headline.estimate,
                *(rate(f"{G_S}, {name}", unit, some, options).estimate for name, some in by_template.items()),
                group_mean(Q_MALE, unit, pooled, "male", None),
                group_mean(Q_FEMALE, unit, pooled, "female", None),
                *self._q(pooled, unit),
                *rank_estimates(pooled),
                *held,
                *(one for name, some in by_template.items() for one in self._q(some, unit, f", {name}")),
            ),
            decision=headline.decide(options, options.bound),
            bound=options.bound,
            needed=(),
            coverage=chosen.coverage(scored),
            caveats=(
                *repeats,
                *caveats_of((*_many_lost(scored), *headline.warnings)),
                *caveats_of(scored.warnings, verdict=False),
            ),
            item_value=f"log odds, man over woman ({unit}), mean over templates",
            figures=_figures(scored, chosen, unit),
            conventions={
                **data,
                **stated,
                "log base": options.log_base,
                "q": "mean over samples; its interval is Student's",
                "g_s": "mean q over stereotypes about men - mean q over stereotypes about women",
                "q alone": "not interpretable: many words for men and women are not compared (section 4.2.1)",
                "interval of g_s": "Welch's t, each stereotype one observation",
                "test": "stereotypes permuted between men and women",
                "deciding p-value": options.alternative,
                **({"confound": confound.shown} if confound else {}),
            },
            items=chosen.items(replace(scored, columns={**scored.columns, "lost": scored.lost})),
        )

    def _q(self, data: ByStereotype, unit: str, template: str = "") -> list[Estimate]:
        every = zip(data.stereotypes, data.values, strict=True)
        return [self._mean(f"q {stereotype.label}{template}", values, unit) for stereotype, values in every]

    def _mean(self, name: str, values: Floats, unit: str) -> Estimate:
        interval = mean_interval(values, self.options.confidence)
        return Estimate(
            name=name,
            value=float(values.mean()) if values.size else None,
            unit=unit,
            neutral=None,
            n={"samples": values.size},
            interval=ConfidenceInterval.of(interval) if interval else None,
        )


class CausalGestLm(_OnTemplates[SamplesTest]):
    """Next-word log odds of he/she and man/woman after each sample; the headline is g_s."""

    summary = "GEST, causal language models: log odds of he/she and man/woman after a sample, g_s"
    reference = "Pikuliak, Hrckova, Oresko & Simko 2023, arXiv 2311.18711, and its repository"
    requires = frozenset({"score"})
    kinds = frozenset({"samples"})
    prompted = "causal"
    quantity = LOG_LIKELIHOOD
    ask = staticmethod(causal_odds)
    asked = "log-likelihood of the text that ends in the word for a man, less that in the word for a woman"
    more_probable = (
        "a man is the more probable speaker of samples about men, compared with samples about women"
    )
    idle_options = MappingProxyType(
        dict.fromkeys(
            ("translator", "target", "grammar"),
            "gendered pairs are for masked models, and this is a causal one",
        )
    )


class GestLm(_OnTemplates[SamplesTest | GenderPairsTest]):
    """Log odds of words for men and for women; the headline is g_s."""

    summary = "GEST, masked and causal language models: log odds q per stereotype, stereotype rate g_s"
    use = "prefers"
    causal = CausalGestLm
    reference = "Pikuliak, Hrckova, Oresko & Simko 2023, arXiv 2311.18711, sections 4.2 and 4.3"
    requires = frozenset({"mask_logprob"})
    precomputed = frozenset({"score"})
    kinds = frozenset({"samples", "gender-pairs"})
    adaptive = True  # on pairs: which tokens are hidden depends on how the model cuts words
    model_options = MappingProxyType({"translator": frozenset({"translate"})})
    file_options = frozenset({"grammar"})
    prompted = "masked"
    ask = staticmethod(masked_odds)
    asked = "log P(word for a man) - log P(word for a woman) where the word is hidden; sub-tokens summed"
    more_probable = (
        "words for a man, against words for a woman, are more probable with samples about men than with samples about "
        "women"
    )

    def check(self, test: SamplesTest | GenderPairsTest, catalogue: Catalogue) -> None:
        """Raise what is wrong with the test and the options."""
        options = self.options
        if (options.translator is None) != (options.target is None):
            raise OptionsError(
                f"{self.name}: translator and target belong together: the translator makes gendered pairs in the target "
                "language. Give both, or neither for templates"
            )
        if isinstance(test, GenderPairsTest) and options.translator is not None:
            raise OptionsError(
                f"{test.id} holds gendered pairs already. Leave translator and target out, or name a test of samples"
            )
        if isinstance(test, SamplesTest) and options.grammar is not None and options.translator is None:
            raise OptionsError(
                f"{self.name}: a grammar is of gendered pairs, and {test.id} is measured with templates. Give translator "
                "and target too, or leave grammar out"
            )
        super().check(test, catalogue)

    def prompts(self, test: Test, catalogue: Catalogue) -> tuple[Prompt, ...]:
        """The templates; what a translator is asked with, where there is one; none for pairs."""
        if isinstance(test, GenderPairsTest):
            return ()
        if self.options.translator is None:
            return super().prompts(test, catalogue)
        return load_prompts(catalogue, test.language, self.options.prompts, "prompted", None)

    def extra_stimuli(self, test: SamplesTest | GenderPairsTest, catalogue: Catalogue) -> tuple[Origin, ...]:
        """The files of the prompts, which pairs do without, and of the confounding list."""
        if isinstance(test, GenderPairsTest) or self.options.translator is not None:
            return GestMetric.extra_stimuli(self, test, catalogue)
        return super().extra_stimuli(test, catalogue)

    def gender_languages(self, test: Test) -> tuple[str, ...]:
        """The language of the pairs that a translator makes."""
        return detected(self.options, self.options.target or test.language)

    def result(self, model: Model, test: SamplesTest | GenderPairsTest, context: Context) -> Decided:
        """g_s over all templates and with each, or on pairs, and the mean log odds of each stereotype."""
        options, chosen = self.options, Chosen.of(test, self.options.exclude)
        if isinstance(test, GenderPairsTest):
            language, by_id = test.language, chosen.by_id
            rows = [one for one in test.pairs.rows if one.stereotype in by_id]
            # What a topical check looks at is the masculine version.
            pairs = [Pair(one.male, one.female, one.male, one.stereotype) for one in rows]
        elif options.translator is not None and options.target is not None:
            translator = model if options.translator == SELF else context.model(options.translator)
            (prompt, *_), language = self.prompts(test, context.catalogue), options.target
            detector, between = context.detector(language, options.grammar), (test.language, language)
            pairs = translated_pairs(translator, chosen.samples(test, options), prompt, between, detector)
        else:
            return super().result(model, test, context)
        given = self.given(model, [PAIRS])
        scored = score_pairs(model, pairs, context.gender_pair(language, options.grammar), given=given)
        score = "log P(token of the man's version) - log P(token of the woman's) where that token is hidden"
        stated = {
            "pairs": "made by the translator" if options.translator else "given",
            "kept": "one word differs, with the same first letter, and one token of this model; repeated pairs once",
            "score": "given with the model" if given else score,
        }
        return self.decided(scored, chosen, language, stated, test, context)


def _many_lost(scored: Scored) -> tuple[str, ...]:
    lost = Counter(filter(None, scored.lost))
    if lost.total() <= MAX_LOST_SHARE * len(scored.lost):
        return ()
    named = "; ".join(f"{count} {reason}" for reason, count in lost.items())
    return (f"{lost.total()} of {len(scored.lost)} samples are not used: {named}",)


def _figures(scored: Scored, chosen: Chosen, unit: str) -> tuple[Figure, ...]:
    by_stereotype = Bars(
        title=f"Mean log odds q of each stereotype ({unit})",
        estimates=tuple(f"q {stereotype.label}" for stereotype in chosen.stereotypes),
        labels=tuple(stereotype.label for stereotype in chosen.stereotypes),
    )
    ranks = rank_pictures(chosen.stereotypes, "")
    if len(scored.names) == 1:
        return (by_stereotype, *ranks)
    rates, labels = (G_S, *(f"{G_S}, {name}" for name in scored.names)), ("all templates", *scored.names)
    by_template = Bars(title=f"Stereotype rate g_s by template ({unit})", estimates=rates, labels=labels)
    by_model = Dots(
        title=f"Stereotype rate g_s by model and template ({unit})", estimates=rates, labels=labels
    )
    return (by_template, by_stereotype, by_model, *ranks)
