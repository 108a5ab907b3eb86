"""Robust bias detection: are words of one group more strongly associated with something than those of another?

Shrestha, Tay & Srinivasan 2025, NAACL: sentences chosen by perplexity; their mixed model stands by name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar, Final

import pyarrow as pa

from biascore.api.metrics import Context, Equivalence, Finding, Metric, Model, Scalar, caveats_of, item_table
from biascore.api.stimuli import Catalogue
from biascore.designs.words import coverage_caveats, spelling
from biascore.errors import OptionsError
from biascore.stats import Unreachable, Verdict
from biascore_metrics.robust.associations import AssociationsTest
from biascore_metrics.robust.findings import findings
from biascore_metrics.robust.fits import Table, difference_name
from biascore_metrics.robust.options import NATS, NATS_PER_TOKEN, RobustOptions
from biascore_metrics.robust.probes import Design
from biascore_metrics.robust.scores import CausalProber, MaskedProber, Prober, Scored

UNWEIGHTED_DRAWS: Final = (
    "bootstrap=lme4 draws residuals that ignore the weights, so the intervals of R² do not keep their level and may miss "
    "their own value"
)


class RobustMetric(Metric[RobustOptions, AssociationsTest]):
    """What both metrics do with scored sentences; they differ in how a model is asked."""

    kinds = frozenset({"associations"})
    reference = "Shrestha, Tay & Srinivasan 2025, Robust Bias Detection in MLMs, NAACL"
    rule = (
        "Detected when the difference between two groups of attribute words is significant at level alpha both over the "
        "words (each one observation, Welch's t) and over the target words (each one's difference, one-sample t): the "
        "larger p-value decides."
    )
    adaptive = True  # which sentences are scored depends on their perplexities
    prober: ClassVar[Prober]
    association: ClassVar[str]
    """What the association of a sentence is."""
    perplexity: ClassVar[str]
    """What the perplexity of a sentence is."""
    bound: ClassVar[float] = NATS
    """Of equivalence, where the options give none."""

    def check(self, test: AssociationsTest, catalogue: Catalogue) -> None:
        """Raise OptionsError for an option that names what the test does not have."""
        Design.of(test, self.options)

    def unreachable(self, test: AssociationsTest) -> tuple[Unreachable, ...]:
        """That nothing is detected with one attribute word in one of the first two groups."""
        design = Design.of(test, self.options)
        one = [group for group in design.groups[:2] if len(set(design.words(group))) < 2]
        why = "needs two words in each group, and {} has one"
        return tuple(Unreachable(Verdict.DETECTED, why.format(group)) for group in one[:1])

    def measure(self, model: Model, test: AssociationsTest, context: Context) -> Finding:
        """The difference of the first two groups, and the paper's model; items are the probe sentences."""
        options = self.options.bounded(self.bound)
        design = Design.of(test, options)
        scored = self.prober.score(model, design)
        found = findings(scored.rows, design, options, context.rng, test.title or test.id)
        diagnosed = context.diagnose((), model, test, Table.of(scored.rows).scores)
        draws = (UNWEIGHTED_DRAWS,) if options.bootstrap == "lme4" else ()
        return Finding(
            variant=self.options.variant(),
            positive_means=_positive_means(test, design),
            negative_means=_negative_means(design),
            estimates=(*found.estimates, *diagnosed.estimates),
            decision=found.decision,
            equivalence=Equivalence.within(options.bound, found.farthest),
            coverage=scored.coverage,
            caveats=(
                *coverage_caveats(scored.coverage, brief=False),
                *found.caveats,
                *diagnosed.caveats,
                *caveats_of((*draws, *_oddities(design, scored)), verdict=False),
            ),
            conventions={**self._conventions(design), **diagnosed.stated},
            item_value="association of the sentence, nats",
            item_neutral=None,
            figures=found.figures,
            items=_items(scored, found.contributions),
        )

    def _conventions(self, design: Design) -> dict[str, Scalar]:
        options = self.options.bounded(self.bound)
        first = difference_name((design.groups[0], design.groups[1]))
        several = ", each pair of groups fitted to its own rows" if len(design.groups) > 2 else ""
        return {
            "difference": f"mean of the words' means, {first}, in nats; a word's mean is over targets, templates, sentences",
            "p-value": "the larger of Welch's t of the words' means and one-sample t of the targets' differences, two-sided"
            + ("; Holm over the pairs of groups" if several else ""),
            "interval": "the wider of both t intervals",
            "association": self.association,
            "bias score": "coefficient of the group in the paper's model, in nats, Satterthwaite's t; decides nothing",
            "model": f"association ~ group + (1 | template) + (1 | target word), REML, rows weighted{several}",
            "weight of a row": "1 / perplexity of its sentence",
            "perplexity": self.perplexity.format(options.perplexity_hides.rstrip("s")),
            "sentence of a place": "the least perplexing under this model, and that of the other word of the pair",
            "part R²": "variance of the fixed part / (that + random + residual of a sentence of perplexity 1), partR2",
            "part R² (mean residual variance)": "the same with the mean residual variance of the rows",
            "bootstrap of R²": f"parametric ({options.bootstrap}), {options.resamples} fits, percentile",
            "equivalence bound": options.bound,
            "letter case": "lower" if options.lower_case else "as written, not capitalised at the start",
            "underscore in a word": "a space",
            "repeated pairs": "a word is one observation; the paper's model counts it once for each of its pairs",
            "alpha": options.alpha,
            **{f"template {one.name}": one.sentence for one in design.templates},
        }


class CausalRobustAssociation(RobustMetric):
    """On a causal language model: how much more likely sentences about one group are."""

    name = "robust-association"
    summary = "Robust bias detection on a causal model: the mean log-likelihood of the sentences"
    requires = frozenset({"score"})
    prober = CausalProber()
    bound = NATS_PER_TOKEN
    association = "mean log-likelihood of the sentence per token, - loss; opposites times -1"
    perplexity = "exp(loss)"

    def check(self, test: AssociationsTest, catalogue: Catalogue) -> None:
        """Also refuse what only a masked model has."""
        super().check(test, catalogue)
        if self.options.perplexity_hides != "sub-tokens":
            raise OptionsError(
                f"{self.name}: nothing is hidden from a causal model. Leave perplexity_hides out"
            )


class RobustAssociationCausal(CausalRobustAssociation):
    """The old name of robust bias detection on a causal language model."""

    name = "robust-association-causal"
    instead = "robust-association"


class RobustAssociation(RobustMetric):
    """How much more probable a target word makes words of one group, on a masked language model."""

    name = "robust-association"
    summary = "Robust bias detection: associations of two groups of words, on a masked or causal model"
    requires = frozenset({"mask_logprob"})
    causal = CausalRobustAssociation
    prober = MaskedProber()
    association = (
        "ln p(attribute word | its sentence) - ln p(attribute word | target word hidden too), words that agree with it "
        "hidden both times, summed over sub-tokens; opposites times -1"
    )
    perplexity = "exp(- mean ln p of the tokens), one {} hidden at a time"


def _positive_means(test: AssociationsTest, design: Design) -> str:
    first, second = design.groups[:2]
    own = [group.name for group in test.groups][:2] == [first, second]
    if own and test.positive_means:
        return test.positive_means
    return f"the target words are associated with {first} more than with {second}"


def _negative_means(design: Design) -> str:
    first, second = design.groups[:2]
    return f"the target words are associated with {second} more than with {first}"


def _oddities(design: Design, scored: Scored) -> list[str]:
    found = []
    if scored.n_dropped:
        found.append(
            f"{scored.n_dropped} sentence(s) are left out: their association is not finite, or their weight not above 0"
        )
    for role, words in (*design.targets.items(), *design.pairs().items()):
        twice = [word for word, count in Counter(map(spelling, words)).items() if count > 1]
        if twice:
            found.append(
                f"{role} list {', '.join(twice)} more than once; the paper's model counts their sentences as often"
            )
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
