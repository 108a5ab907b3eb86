"""GEST for masked language models: with templates around samples, or on gendered pairs in the model's language."""

from __future__ import annotations

from types import MappingProxyType

from biascore.api.metrics import Context, Finding, Metric, Model, Test
from biascore.api.stimuli import Catalogue, Origin
from biascore.api.support import SELF
from biascore.errors import OptionsError
from biascore.stats import Unreachable
from biascore_metrics.gest.answers import PAIRS, given_scores, holds_scores, masked_odds, template_name
from biascore_metrics.gest.causal import CausalGestLm
from biascore_metrics.gest.chosen import Chosen, Confound
from biascore_metrics.gest.estimates import RULE
from biascore_metrics.gest.kind import GenderPairsTest, SamplesTest
from biascore_metrics.gest.odds import Scored, Told, odds_finding
from biascore_metrics.gest.options import LmOptions, detected
from biascore_metrics.gest.pairs import Pair, given_pairs, score_pairs
from biascore_metrics.gest.prompts import load_prompts
from biascore_metrics.gest.translated import PROMPTED, translated_pairs

PROMPTS = "masked"


class GestLm(Metric[LmOptions, SamplesTest | GenderPairsTest]):
    """Log odds of words for men and for women; the headline is g_s."""

    name = "gest-lm"
    summary = "GEST, masked and causal language models: log odds q per stereotype, stereotype rate g_s"
    causal = CausalGestLm
    rule = RULE
    reference = "Pikuliak, Hrckova, Oresko & Simko 2023, arXiv 2311.18711, sections 4.2 and 4.3"
    requires = frozenset({"mask_logprob"})
    precomputed = frozenset({"score"})
    kinds = frozenset({"samples", "gender-pairs"})
    adaptive = True  # on pairs: which tokens are hidden depends on how the model cuts words
    model_options = MappingProxyType({"translator": frozenset({"translate"})})
    file_options = frozenset({"grammar"})

    def check(self, test: Test, catalogue: Catalogue) -> None:
        """Raise what is wrong with the test and the options."""
        options = self.options
        if (options.translator is None) != (options.target is None):
            raise OptionsError(
                f"{self.name}: translator and target belong together: the translator makes gendered pairs in the target "
                "language. Give both, or neither for templates"
            )
        Chosen.of(test, options.exclude)
        Confound.of(options, catalogue)
        if isinstance(test, GenderPairsTest):
            if options.translator is not None:
                raise OptionsError(
                    f"{test.id} holds gendered pairs already. Leave translator and target out, or name a test of samples"
                )
        elif options.grammar is not None and options.translator is None:
            raise OptionsError(
                f"{self.name}: a grammar is of gendered pairs, and {test.id} is measured with templates. Give translator "
                "and target too, or leave grammar out"
            )
        else:
            load_prompts(catalogue, test.language, options.prompts, *self._prompts)

    def extra_stimuli(self, test: SamplesTest | GenderPairsTest, catalogue: Catalogue) -> tuple[Origin, ...]:
        """The files of the prompts, which pairs do without, and of the confounding list."""
        confound = Confound.read_from(self.options, catalogue)
        if isinstance(test, GenderPairsTest) or self.options.translator is not None:
            return confound
        return (catalogue.file(test.language, self.options.prompts), *confound)

    def unreachable(self, test: SamplesTest | GenderPairsTest) -> tuple[Unreachable, ...]:
        """What a test of so few stereotypes cannot show."""
        return Chosen.of(test, self.options.exclude).unreachable(self.options)

    def gender_languages(self, test: Test) -> tuple[str, ...]:
        """The language of the pairs that a translator makes."""
        return detected(self.options, self.options.target or test.language)

    def measure(self, model: Model, test: SamplesTest | GenderPairsTest, context: Context) -> Finding:
        """g_s over all templates and with each, or on pairs, and the mean log odds of each stereotype."""
        options = self.options
        chosen = Chosen.of(test, options.exclude)
        if isinstance(test, GenderPairsTest):
            return self._on_pairs(
                given_pairs(chosen.pairs(test)), chosen, test.language, model, test, context
            )
        prompts = load_prompts(context.catalogue, test.language, options.prompts, *self._prompts)
        samples = chosen.samples(test, options)
        if options.translator is not None and options.target is not None:
            translator = model if options.translator == SELF else context.model(options.translator)
            pairs = translated_pairs(
                translator,
                samples,
                prompts[0],
                (test.language, options.target),
                context.detector(options.target, options.grammar),
            )
            return self._on_pairs(pairs, chosen, options.target, model, test, context)
        given = self._given(model, [template_name(prompt.number) for prompt in prompts])
        scored = (given_scores if given else masked_odds)(model, samples, prompts)
        told = self._told(
            test.language,
            {
                "templates": " | ".join(f"{p.number}: {p.template} ({p.male}/{p.female})" for p in prompts),
                "score": "given with the model"
                if given
                else "log P(word for a man) - log P(word for a woman) where the word is hidden; sub-tokens summed",
            },
        )
        return odds_finding(scored, chosen, told, options, test, context)

    def _given(self, model: Model, quantities: list[str]) -> bool:
        return holds_scores(model, self.name, quantities, can_be_asked="mask_logprob" in model.capabilities)

    @property
    def _prompts(self) -> tuple[str, tuple[int, ...] | None]:
        return (PROMPTED, None) if self.options.translator else (PROMPTS, self.options.templates)

    def _on_pairs(
        self, pairs: list[Pair], chosen: Chosen, language: str, model: Model, test: Test, context: Context
    ) -> Finding:
        given = self._given(model, [PAIRS])
        scored: Scored = score_pairs(
            model, pairs, context.gender_pair(language, self.options.grammar), given=given
        )
        told = self._told(
            language,
            {
                "pairs": "made by the translator" if self.options.translator else "given",
                "kept": "one word differs, with the same first letter, and one token of this model; repeated pairs once",
                "score": "given with the model"
                if given
                else "log P(token of the man's version) - log P(token of the woman's) where that token is hidden",
            },
        )
        return odds_finding(scored, chosen, told, self.options, test, context)

    def _told(self, language: str, conventions: dict[str, str]) -> Told:
        return Told(
            variant=", ".join(self.options.changed()),
            language=language,
            positive_means=(
                "words for a man, against words for a woman, are more probable with samples about men than with "
                "samples about women"
            ),
            conventions={**conventions},
        )


class GestMlm(GestLm):
    """The old name of GEST on masked language models."""

    name = "gest-mlm"
    instead = "gest-lm"
