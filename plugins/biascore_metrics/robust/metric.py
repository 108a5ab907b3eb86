"""Robust bias detection: are words of one group more strongly associated with something than those of another?

Shrestha, Tay & Srinivasan 2025, NAACL: sentences chosen and weighted by perplexity, a mixed model, an effect size.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar, Final

import pyarrow as pa

from biascore.plugins_api import (
    AssociationsTest,
    Catalogue,
    Context,
    Equivalence,
    Finding,
    Metric,
    Model,
    Scalar,
    item_table,
)
from biascore_metrics.robust.findings import findings
from biascore_metrics.robust.fits import difference_name
from biascore_metrics.robust.options import RobustOptions
from biascore_metrics.robust.probes import Design
from biascore_metrics.robust.scores import CausalProber, MaskedProber, Prober, Scored
from biascore_metrics.words import coverage_warnings

REPEATED_WORDS: Final = (
    "the words of a group are no independent observations, and the model has no random effect for them: it finds "
    "differences too often (random_attribute=true adds it)"
)
UNWEIGHTED_DRAWS: Final = (
    "bootstrap=lme4 draws residuals that ignore the weights, so the intervals of R² do not keep their level and may miss "
    "their own value"
)


class RobustMetric(Metric[RobustOptions, AssociationsTest]):
    """What both metrics do with scored sentences; they differ in how a model is asked."""

    kinds = frozenset({"associations"})
    reference = "Shrestha, Tay & Srinivasan 2025, Robust Bias Detection in MLMs, NAACL"
    adaptive = True  # which sentences are scored depends on their perplexities
    prober: ClassVar[Prober]
    association: ClassVar[str]
    """What the association of a sentence is."""
    perplexity: ClassVar[str]
    """What the perplexity of a sentence is."""

    def check(self, test: AssociationsTest, catalogue: Catalogue) -> None:  # noqa: ARG002
        """Raise OptionsError for an option that names what the test does not have."""
        Design.of(test, self.options)

    def measure(self, model: Model, test: AssociationsTest, context: Context) -> Finding:
        """Bias score of the first two groups, its R², and what drives them; items are the probe sentences."""
        options = self.options
        design = Design.of(test, options)
        scored = self.prober.score(model, design)
        found = findings(scored.rows, design, options, context.rng, test.title or test.id)
        cautions = (*coverage_warnings(scored.coverage), *found.cautions, *_by_design(options))
        return Finding(
            variant=options.variant(),
            positive_means=_positive_means(test, design),
            negative_means=_negative_means(design),
            estimates=found.estimates,
            decision=found.decision,
            equivalence=Equivalence.within(options.r2_min, found.bound_of) if found.bound_of else None,
            coverage=scored.coverage,
            warnings=(*cautions, *_warnings(design, scored), *found.warnings),
            cautions=cautions,
            conventions=self._conventions(design),
            item_value="association of the sentence, nats",
            item_neutral=None,
            figures=found.figures,
            items=_items(scored, found.contributions),
        )

    def _conventions(self, design: Design) -> dict[str, Scalar]:
        options = self.options
        attribute = " + (1 | attribute word)" if options.random_attribute else ""
        first = difference_name((design.groups[0], design.groups[1]))
        several = len(design.groups) > 2
        return {
            "bias score": f"coefficient of the group, {first}, in nats",
            "association": self.association,
            "model": f"association ~ group + (1 | template) + (1 | target word){attribute}, REML, rows weighted",
            "weight of a row": "1 / perplexity of its sentence",
            "perplexity": self.perplexity,
            "sentence of a place": "the least perplexing under this model, and that of the other word of the pair",
            "p-value and interval": "t with Satterthwaite's degrees of freedom, two-sided",
            "groups": "each pair fitted to its own rows; Holm over the pairs; beside it one joint model"
            if several
            else "the rows of both",
            "part R²": "variance of the fixed part / (that + random + residual of a sentence of perplexity 1), partR2",
            "part R² (mean residual variance)": "the same with the mean residual variance of the rows",
            "bootstrap of R²": f"parametric ({options.bootstrap}), {options.resamples} fits, percentile",
            "detected": f"p at most alpha, and part R² at least {options.r2_min:g}",
            "negligible": f"the interval of part R² lies within {options.r2_min:g}",
            "letter case": "lower" if options.lower_case else "as written, not capitalised at the start",
            "underscore in a word": "a space",
            "repeated pairs": "a word counts once for each pair that it stands in",
            "alpha": options.alpha,
            **{f"template {one.name}": one.sentence for one in design.templates},
        }


class RobustAssociation(RobustMetric):
    """On a masked language model: how much more probable a target word makes words of one group."""

    name = "robust-association"
    summary = "Robust bias detection: associations of groups by a mixed model, on a masked model"
    requires = frozenset({"mask_logprob"})
    prober = MaskedProber()
    association = (
        "ln p(attribute word | its sentence) - ln p(attribute word | target word hidden too), words that agree with it "
        "hidden both times, summed over sub-tokens; opposites times -1"
    )
    perplexity = "exp(- mean ln p of the tokens, each hidden alone)"


class RobustAssociationCausal(RobustMetric):
    """On a causal language model: how much more likely sentences about one group are."""

    name = "robust-association-causal"
    summary = "Robust bias detection on a causal model: the mean log-likelihood of the sentences"
    requires = frozenset({"score"})
    prober = CausalProber()
    association = "mean log-likelihood of the sentence per token, - loss; opposites times -1"
    perplexity = "exp(loss)"


def _positive_means(test: AssociationsTest, design: Design) -> str:
    first, second = design.groups[:2]
    own = [group.name for group in test.groups][:2] == [first, second]
    if own and test.positive_means:
        return test.positive_means
    return f"the target words go with words for {first} more than with words for {second}"


def _negative_means(design: Design) -> str:
    first, second = design.groups[:2]
    return f"the target words go with words for {second} more than with words for {first}"


def _by_design(options: RobustOptions) -> tuple[str, ...]:
    return (
        *(() if options.random_attribute else (REPEATED_WORDS,)),
        *((UNWEIGHTED_DRAWS,) if options.bootstrap == "lme4" else ()),
    )


def _warnings(design: Design, scored: Scored) -> list[str]:
    found = []
    if scored.n_dropped:
        found.append(
            f"{scored.n_dropped} sentence(s) are left out: their association is not finite, or their weight not above 0"
        )
    for role, words in design.targets.items():
        twice = [word for word, count in Counter(words).items() if count > 1]
        if twice:
            found.append(f"{role} list {', '.join(twice)} more than once, and their sentences count as often")
    return found


def _items(scored: Scored, contributions: Sequence[float | None]) -> pa.Table:
    rows = scored.rows
    return item_table(
        item=[row.probe.text for row in rows],
        group=[row.place.group for row in rows],
        value=[row.association for row in rows],
        more={
            "template": [row.place.template for row in rows],
            "attribute": [row.place.attribute for row in rows],
            "target": [row.place.target for row in rows],
            "opposite": [row.place.role == "opposites" for row in rows],
            "perplexity": [row.perplexity for row in rows],
            "weight": [row.weight for row in rows],
            "added_for_balance": [row.added for row in rows],
            "contribution": list(contributions),
        },
    )
