"""Robust bias detection: are words of one group more strongly associated with something than those of another?

Shrestha, Tay & Srinivasan 2025, NAACL: sentences chosen by perplexity; their mixed model stands by name.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pyarrow as pa

from biascore.api.metrics import Context, Model, Scalar, Total, caveats_of, item_table
from biascore.api.stimuli import Catalogue
from biascore.designs import Decided, DecidedMetric
from biascore.designs.clustered import Difference
from biascore.designs.words import coverage_caveats, spelling
from biascore.stats import Unreachable, Verdict, holm
from biascore_metrics.robust.fits import (
    NATS,
    PairFit,
    by_perplexity,
    by_template,
    clustered,
    degenerate,
    figures,
    table_of,
)
from biascore_metrics.robust.items import AssociationsTest
from biascore_metrics.robust.options import BOUND, BOUND_PER_TOKEN, RobustOptions
from biascore_metrics.robust.probes import CausalProber, Design, MaskedProber, Prober, Scored

if TYPE_CHECKING:
    import pandas as pd


class RobustMetric(DecidedMetric[RobustOptions, AssociationsTest]):
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
    bound: ClassVar[float] = BOUND
    """Of equivalence, where the options give none."""

    def check(self, test: AssociationsTest, catalogue: Catalogue) -> None:
        """Raise OptionsError for an option that names what the test does not have."""
        Design.of(test, self.options)

    def unreachable(self, test: AssociationsTest) -> tuple[Unreachable, ...]:
        """That nothing is detected with one attribute word in one of the first two groups."""
        design = Design.of(test, self.options)
        one = [group for group in design.groups[:2] if len(set(design.by_role[group])) < 2]
        why = "needs two words in each group, and {} has one"
        return tuple(Unreachable(Verdict.DETECTED, why.format(group)) for group in one[:1])

    def result(self, model: Model, test: AssociationsTest, context: Context) -> Decided:
        """The difference of the first two groups, and the paper's model; items are the probe sentences."""
        options = self.options.bounded(self.bound)
        design = Design.of(test, options)
        scored = self.prober.score(model, design)
        table, pairs = table_of(scored.rows), list(combinations(design.groups, 2))
        scores, level = clustered(table), options.confidence
        differences = [Difference.of(scores, pair, level) for pair in pairs]
        first, farthest = differences[0], max(differences, key=_reach)
        adjusted = [None if np.isnan(p) else float(p) for p in holm([one.p_value for one in differences])]
        over = f", Holm over {len(pairs)} pairs" if len(pairs) > 1 else ""
        headlines = [one.estimate(p, NATS, over) for one, p in zip(differences, adjusted, strict=True)]
        headlines[0] = headlines[0].model_copy(update={"estimator": Total(cluster=("target",))})
        fits = [PairFit.of(table, pair, options, context.rng) for pair in pairs]
        shares = [share for fit in fits for share in fit.shares(level)]
        templates = by_template(table, design, pairs[0], options)
        bins, bin_problems = by_perplexity(table, pairs[0], options)
        problems = [
            *(f"no test of {one.name}: {one.problem}" for one in differences if one.problem),
            *(f"no {one.name}: {one.problem}" for one in fits if one.problem),
        ]
        singular = fits[0].fit.cautions if fits[0].fit else ()
        details = [*bin_problems, *singular, *degenerate(fits), *_caveats(design, scored, options)]
        one, two, *_ = design.groups
        own = [group.name for group in test.groups][:2] == [one, two] and test.positive_means
        other = farthest is not first
        return Decided(
            variant=self.options.variant(model),
            positive_means=own or f"the target words are associated with {one} more than with {two}",
            negative_means=f"the target words are associated with {two} more than with {one}",
            estimates=(
                *headlines,
                *(fit.score() for fit in fits),
                *shares,
                *(of for _, of in templates),
                *bins,
            ),
            p_value=adjusted[0],
            interval=farthest.interval,
            problem=first.problem,
            bound=options.bound,
            bound_of=headlines[differences.index(farthest)].name if other else "",
            called=" - ".join(farthest.groups) if other else "",
            more=""
            if first.problem
            else _other_pairs(differences, adjusted, fits[0].told(options.alpha, first.value)),
            scores=(scores,),
            coverage=scored.coverage,
            caveats=(
                *coverage_caveats(scored.coverage, brief=False),
                *caveats_of(dict.fromkeys(problems)),
                *first.caveats(options.alpha),
                *caveats_of(details, verdict=False),
            ),
            conventions=self._conventions(design),
            item_value="association of the sentence, nats",
            item_neutral=None,
            figures=figures(headlines, shares, templates, bins, options, test.title or test.id),
            items=_items(table, first),
        )

    def _conventions(self, design: Design) -> dict[str, Scalar]:
        options = self.options.bounded(self.bound)
        first = " - ".join(design.groups[:2])
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
            "letter case": "lower" if options.lower_case else "as written, not capitalised at the start",
            "underscore in a word": "a space",
            "repeated pairs": "a word is one observation; the paper's model counts it once for each of its pairs",
            **{f"template {one.name}": one.sentence for one in design.templates},
        }


class CausalRobustAssociation(RobustMetric):
    """On a causal language model: how much more likely sentences about one group are."""

    name = "robust-association"
    summary = "Robust bias detection on a causal model: the mean log-likelihood of the sentences"
    requires = frozenset({"score"})
    prober = CausalProber()
    bound = BOUND_PER_TOKEN
    association = "mean log-likelihood of the sentence per token, - loss; opposites times -1"
    perplexity = "exp(loss)"
    idle_options = MappingProxyType({"perplexity_hides": "nothing is hidden from a causal model"})


class RobustAssociation(RobustMetric):
    """How much more probable a target word makes words of one group, on a masked language model."""

    name = "robust-association"
    summary = "Robust bias detection: associations of two groups of words, on a masked or causal model"
    use = "associates"
    requires = frozenset({"mask_logprob"})
    causal = CausalRobustAssociation
    prober = MaskedProber()
    association = (
        "ln p(attribute word | its sentence) - ln p(attribute word | target word hidden too), words that agree with it "
        "hidden both times, summed over sub-tokens; opposites times -1"
    )
    perplexity = "exp(- mean ln p of the tokens), one {} hidden at a time"


def _caveats(design: Design, scored: Scored, options: RobustOptions) -> Iterator[str]:
    if options.bootstrap == "lme4":
        yield (
            "bootstrap=lme4 draws residuals that ignore the weights, so the intervals of R² do not keep their level and may "
            "miss their own value"
        )
    if scored.n_dropped:
        yield (
            f"{scored.n_dropped} sentence(s) are left out: their association is not finite, or their weight not above 0"
        )
    for role, words in (*design.targets.items(), *design.pairs().items()):
        twice = [word for word, count in Counter(map(spelling, words)).items() if count > 1]
        if twice:
            names = ", ".join(twice)
            yield f"{role} list {names} more than once; the paper's model counts their sentences as often"


def _reach(difference: Difference) -> float:
    """How far the interval of a difference goes from 0; without one, beyond all bounds."""
    ends = difference.interval
    return math.inf if ends is None else max(-ends.low, ends.high)


def _other_pairs(differences: Sequence[Difference], adjusted: Sequence[float | None], paper: str) -> str:
    """The other pairs of groups, and what the paper says of the first."""
    told = [
        f"{' - '.join(one.groups)} is {one.value:z.3g} nats, p = {p:z.3g}"
        if one.value is not None and p is not None
        else f"{' - '.join(one.groups)} could not be tested"
        for one, p in zip(differences[1:], adjusted[1:], strict=True)
    ]
    others = f"This is {' - '.join(differences[0].groups)}; {'; '.join(told)}." if told else ""
    return " ".join(filter(None, [others, paper]))


def _items(table: pd.DataFrame, first: Difference) -> pa.Table:
    """The rows, with what each adds to the first difference."""
    added: list[float | None] = [None] * len(table)
    if first.weights is not None:
        parts = zip(first.weights.tolist(), table["association"], strict=True)
        added = [weight * value if weight else None for weight, value in parts]
    item, group, value, *more = map(str, table)
    return item_table(
        item=table[item].tolist(),
        group=table[group].tolist(),
        value=table[value].tolist(),
        more={**{name: table[name].tolist() for name in more}, "contribution": added},
    )
