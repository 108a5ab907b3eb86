"""GEST for causal language models: is a man or a woman the next to be named after a sample?"""

from __future__ import annotations

from biascore.api.metrics import Context, Finding, Metric, Model, Test
from biascore.api.stimuli import Catalogue, Origin
from biascore.errors import OptionsError
from biascore.stats import Unreachable
from biascore_metrics.gest.answers import (
    LOG_LIKELIHOOD,
    causal_odds,
    given_scores,
    holds_scores,
    template_name,
)
from biascore_metrics.gest.chosen import Chosen, Confound
from biascore_metrics.gest.estimates import RULE
from biascore_metrics.gest.kind import SamplesTest
from biascore_metrics.gest.odds import Told, odds_finding
from biascore_metrics.gest.options import LmOptions
from biascore_metrics.gest.prompts import load_prompts

PROMPTS = "causal"


class CausalGestLm(Metric[LmOptions, SamplesTest]):
    """Next-word log odds of he/she and man/woman after each sample; the headline is g_s."""

    name = "gest-lm"
    summary = "GEST, causal language models: log odds of he/she and man/woman after a sample, g_s"
    rule = RULE
    reference = "Pikuliak, Hrckova, Oresko & Simko 2023, arXiv 2311.18711, and its repository"
    requires = frozenset({"score"})
    kinds = frozenset({"samples"})

    def check(self, test: Test, catalogue: Catalogue) -> None:
        """Raise what is wrong with the test, the prompts, the excluded stereotypes or the confounding list."""
        for name in ("translator", "target", "grammar"):
            if getattr(self.options, name) is not None:
                raise OptionsError(
                    f"{self.name}: {name} is of gendered pairs, on which masked models are measured, and this is asked as a "
                    f"causal one. Leave {name} out"
                )
        Chosen.of(test, self.options.exclude)
        Confound.of(self.options, catalogue)
        load_prompts(catalogue, test.language, self.options.prompts, PROMPTS, self.options.templates)

    def extra_stimuli(self, test: SamplesTest, catalogue: Catalogue) -> tuple[Origin, ...]:
        """The files of the prompts and of the confounding list."""
        prompts = catalogue.file(test.language, self.options.prompts)
        return (prompts, *Confound.read_from(self.options, catalogue))

    def unreachable(self, test: SamplesTest) -> tuple[Unreachable, ...]:
        """What a test of so few stereotypes cannot show."""
        return Chosen.of(test, self.options.exclude).unreachable(self.options)

    def measure(self, model: Model, test: SamplesTest, context: Context) -> Finding:
        """g_s over all templates and with each, and the mean log odds of each stereotype."""
        options = self.options
        chosen = Chosen.of(test, options.exclude)
        prompts = load_prompts(context.catalogue, test.language, options.prompts, PROMPTS, options.templates)
        held = model.identity.quantities
        given = holds_scores(
            model,
            self.name,
            [template_name(prompt.number) for prompt in prompts],
            can_be_asked=not held or LOG_LIKELIHOOD in held,  # a model need not list what it answers
        )
        ask = given_scores if given else causal_odds
        told = Told(
            variant=", ".join(options.changed()),
            language=test.language,
            positive_means=(
                "a man is the more probable speaker of samples about men, compared with samples about women"
            ),
            conventions={
                "templates": " | ".join(f"{p.number}: {p.template} ({p.male}/{p.female})" for p in prompts),
                "score": "given with the model"
                if given
                else "log-likelihood of the text that ends in the word for a man, less that in the word for a woman",
            },
        )
        scored = ask(model, chosen.samples(test, options), prompts)
        return odds_finding(scored, chosen, told, options, test, context)


class GestCausal(CausalGestLm):
    """The old name of GEST on causal language models."""

    name = "gest-causal"
    instead = "gest-lm"
