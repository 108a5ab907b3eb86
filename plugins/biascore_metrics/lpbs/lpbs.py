"""LPBS: how much more probable does an attribute make the words of X than those of Y?

Kurita, Vyas, Pareek, Black & Tsvetkov 2019, GeBNLP; equations 4-6 of Puttick & Kurpicz-Briki 2025.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from biascore.plugins_api import (
    Catalogue,
    Context,
    Equivalence,
    Estimate,
    Finding,
    Metric,
    Model,
    Origin,
    Test,
    WordList,
    caveats_of,
    item_table,
)
from biascore.stats import Unreachable, association
from biascore.stats.exchange import Exchange
from biascore_metrics.frequency import Frequency
from biascore_metrics.lpbs.increase import ATTRIBUTES, TARGETS, Increase, measure_increase, other_reading
from biascore_metrics.lpbs.options import LpbsOptions
from biascore_metrics.weat.effect import EFFECT, Across, Effect
from biascore_metrics.weat.options import NO_TOPICS
from biascore_metrics.weat.specificity import Compared, Topics, proxy_of, without
from biascore_metrics.weat.words import OF_USABLE_WORDS, exchange_of_roles, role_caveats
from biascore_metrics.words import too_few

Sample = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], Across, Exchange]
"""The associations of the two lists that are the observations, the other two across them, and what may be exchanged."""

NO_WORDS: Final = Exchange.of((0, 0))
NOTHING: Final[Sample] = (np.empty(0), np.empty(0), Across(np.empty(0), np.empty(0), NO_WORDS), NO_WORDS)


MOST: Final = (20, 10)
"""Topics, and words of each, that are asked; each word is asked with every target."""
UNLIKE_LENGTHS: Final = 0.3
"""Lists whose words differ by so many sub-tokens on average are told of."""


class Lpbs(Metric[LpbsOptions, Test]):
    """LPBS on masked language models; the headline is the effect size d of associations in nats."""

    name = "lpbs"
    rule = (
        "Detected when the larger of two permutation p-values, of the target labels and of the attribute labels, is at most "
        "alpha."
    )
    summary = "Log Probability Bias Score: WEAT on the increased log-probability of hidden words"
    reference = "Kurita, Vyas, Pareek, Black & Tsvetkov 2019, GeBNLP, 166-172"
    requires = frozenset({"mask_logprob"})
    kinds = frozenset({"weat"})
    calibrated_with = MappingProxyType({"topics": NO_TOPICS})

    def __init__(self, options: LpbsOptions) -> None:
        super().__init__(options)
        by_target = options.over == "targets"
        self._own, self._against = (TARGETS, ATTRIBUTES) if by_target else (ATTRIBUTES, TARGETS)

    def check(self, test: Test, catalogue: Catalogue) -> None:
        """Raise TestKindError, or OptionsError where all partitions cannot be counted."""
        for roles in (TARGETS, ATTRIBUTES):
            one, other = (test.roles[role].words for role in roles)
            self.options.check_exact(one, other, test)
        Topics.of(test, catalogue, self.options)

    def extra_stimuli(self, test: Test, catalogue: Catalogue) -> tuple[Origin, ...]:
        """The file of the topics."""
        if self.options.over == "attributes":
            return ()
        return Topics.of(test, catalogue, self.options).read_from(catalogue)

    def unreachable(self, test: Test) -> tuple[Unreachable, ...]:
        """What lists as short as these cannot show."""
        return self.options.unreachable(test.roles, self._own)

    def measure(self, model: Model, test: Test, context: Context) -> Finding:
        """Effect size d, its permutation p-values and bootstrap interval; items are the mean differences of asc."""
        options = self.options
        found = measure_increase(model, test, options)
        least = dict.fromkeys(self._own, 2) | dict.fromkeys(self._against, 1)
        problem = too_few(found.words, found.coverage, least)
        apart: list[Sample] = []
        together = NOTHING
        if not problem:
            apart = [self._associations(test, found, asc) for asc in found.asc]
            together = self._associations(test, found, found.asc.mean(axis=0))
        lists = (test.roles[self._own[0]].name, test.roles[self._own[1]].name)
        effect = self._effect(together, context.rng, problem, EFFECT, lists)
        compared = self._compared(model, test, found, effect, context)
        frequency = Frequency.of(model, found.words)
        # After all that was there before, so that no other number moves.
        beside = self._beside(test, found, context.rng.spawn(1)[0], problem)
        lengths = _unlike_lengths(found, options, beside)
        return Finding(
            variant=options.variant,
            estimates=(
                *effect.estimates,
                *self._by_template(apart, context.rng, problem),
                *beside,
            ),
            decision=effect.decide(options),
            specificity=compared.found,
            equivalence=Equivalence.within(options.bound, effect.estimates[0].name),
            coverage=found.coverage,
            caveats=(
                *frequency.both(),
                *caveats_of(lengths, short="the target words also differ in length"),
                *role_caveats(found.words, found.coverage),
                *effect.caveats(options, f"the {options.over}"),
                *compared.caveats(),
            ),
            item_value="mean difference of the increased log-probability, nats",
            model_conventions=(*OF_USABLE_WORDS, *frequency.stated()),
            conventions=self._conventions(model)
            | {"exchanged": effect.exchanged}
            | frequency.stated()
            | compared.stated(),
            items=item_table() if problem else self._items(test, found, together, apart),
        )

    def _compared(
        self, model: Model, test: Test, found: Increase, effect: Effect, context: Context
    ) -> Compared:
        """Topics in the place of A and B; each of their words is asked with every target, so only some are."""
        options = self.options
        topics = Topics.of(test, context.catalogue, options, MOST)
        if topics.problem:
            return without(topics)
        if options.over == "attributes":
            return without(topics, "topics stand for A and B, which are the observations themselves")
        targets = {role: WordList(role, found.words[role]) for role in TARGETS}
        asked = replace(test, roles={**targets, "A": topics.asked, "B": WordList("none", ())})
        of_topics = measure_increase(model, asked, options)
        if effect.estimates[0].value is None:
            return without(topics, "there is no effect size")
        if any(of_topics.words[role] != found.words[role] for role in TARGETS):
            return without(topics, "targets cannot be read next to topics")
        own = (found.words["A"], found.words["B"])
        return Compared.of(
            topics,
            of_topics.words["A"],
            of_topics.asc.mean(axis=0),
            found.asc.mean(axis=0),
            (len(found.words["X"]), len(own[0])),
            options,
            context.rng.spawn(1)[0],
            proxy_of(model, own, of_topics.words["A"]),
        )

    def _associations(self, test: Test, found: Increase, asc: npt.NDArray[np.float64]) -> Sample:
        """s of the words that are the observations, from asc (targets, attributes) of one template or the mean.

        The third is what the other words add to the same mean difference.
        """
        table = asc if self.options.over == "targets" else asc.T
        first, cut = (len(found.words[roles[0]]) for roles in (self._own, self._against))
        s = association(table[:, :cut], table[:, cut:])
        labels = "attribute" if self.options.over == "targets" else "target"
        own, against = (exchange_of_roles(test, found.words, roles) for roles in (self._own, self._against))
        return s[:first], s[first:], Across.of(table, first, cut, against, labels), own

    def _effect(
        self,
        sample: Sample,
        rng: np.random.Generator,
        problem: str,
        name: str,
        lists: tuple[str, str] | None = None,
    ) -> Effect:
        x, y, across, exchange = sample
        what = "target words" if self.options.over == "targets" else "attribute words"
        return Effect.of(
            x,
            y,
            self.options,
            rng,
            problem=problem,
            unit="nats",
            roles=self._own,
            of_what=what,
            name=name,
            across=across,
            exchange=exchange,
            lists=lists,
        )

    def _by_template(self, apart: list[Sample], rng: np.random.Generator, problem: str) -> list[Estimate]:
        templates = self.options.templates
        if len(templates) == 1:
            return []
        samples = apart or [NOTHING] * len(templates)
        return [
            self._effect(sample, rng, problem, f"{EFFECT} with {template!r}").estimates[0]
            for template, sample in zip(templates, samples, strict=True)
        ]

    def _beside(
        self, test: Test, found: Increase, rng: np.random.Generator, problem: str
    ) -> tuple[Estimate, ...]:
        """d with the other reading of sub-tokens; nothing where every target has one."""
        if problem or found.n_tokens.max() < 2:
            return ()
        name = f"{EFFECT} with the {other_reading(self.options.subtokens)} over sub-tokens"
        sample = self._associations(test, found, found.beside.mean(axis=0))
        return (self._effect(sample, rng, problem, name, None).estimates[0],)

    def _conventions(self, model: Model) -> dict[str, str | int | float | bool | None]:
        options = self.options
        own, against = self._own, self._against
        return options.conventions(
            model,
            {
                "association": "asc(x, a) = ln p(x | a in sight) - ln p(x | a hidden too), x hidden in both",
                "effect size": f"(mean s({own[0]}) - mean s({own[1]})) / sd of s over {own[0]} and {own[1]} together",
                "item value": f"s = mean asc with {against[0]} - mean asc with {against[1]}",
                "templates": " | ".join(options.templates),
                "several templates": "asc averaged over them; each alone as a further estimate, not adjusted",
                "log-probability of a word": f"{options.subtokens} over its sub-tokens, all hidden at once",
                "hidden attribute": "as many masks as it has sub-tokens",
                "deciding p-value": options.deciding,
                "observations": options.over,
                "resampled": options.resampled(options.over, "attributes" if own == TARGETS else "targets"),
            },
        )

    def _items(self, test: Test, found: Increase, together: Sample, apart: list[Sample]) -> pa.Table:
        more = {}
        if self.options.over == "targets":
            more["n_tokens"] = [int(count) for count in found.n_tokens]
        if len(apart) > 1:
            for template, sample in zip(self.options.templates, apart, strict=True):
                more[f"s with {template!r}"] = np.concatenate(sample[:2]).tolist()
        return item_table(
            item=[word for role in self._own for word in found.words[role]],
            group=[test.roles[role].name for role in self._own for _ in found.words[role]],
            value=np.concatenate(together[:2]).tolist(),
            more=more,
        )


def _unlike_lengths(found: Increase, options: LpbsOptions, beside: Sequence[Estimate]) -> tuple[str, ...]:
    """That longer targets add up more of whatever raises every sub-token, where X and Y are not alike long."""
    cut = len(found.words["X"])
    x, y = (float(own.mean()) if len(own) else 0.0 for own in (found.n_tokens[:cut], found.n_tokens[cut:]))
    if options.subtokens == "mean" or not beside or abs(x - y) < UNLIKE_LENGTHS:
        return ()
    value = "not estimable" if beside[0].value is None else f"{beside[0].value:.3g}"
    return (
        f"words of X have {x:.3g} sub-tokens, those of Y {y:.3g}; what A raises more than B in every sub-token adds up "
        f"over them, so that longer words seem associated without a bias: read the {beside[0].name} ({value}), "
        "or measure with subtokens=mean",
    )
