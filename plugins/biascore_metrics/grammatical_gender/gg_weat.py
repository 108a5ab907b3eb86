"""gg-weat: are masculine nouns nearer to men's words, and feminine ones to women's (Omrani Sabbaghi & Caliskan 2022)?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import pyarrow as pa

from biascore.api.figures import Figure
from biascore.api.metrics import Context, Estimate, Model, Test, caveats_of, item_table
from biascore.api.stimuli import Catalogue, Origin
from biascore.designs import Decided, DecidedMetric, VectorOptions
from biascore.designs.before_after import Line, effect_of, trace_of
from biascore.designs.crossed import OF_USABLE_WORDS, ROLES, role_caveats
from biascore.designs.effect import DEVIATIONS, EFFECT, Effect, Sample
from biascore.designs.frequency import Frequency
from biascore.designs.pvalues import NORMAL, normal
from biascore.designs.same_words import SameWords, embed_on, states
from biascore.designs.words import OF_MODEL
from biascore.stats import Verdict
from biascore_metrics.grammatical_gender.change import change_of
from biascore_metrics.grammatical_gender.kind import nouns_of


class GgWeatOptions(VectorOptions):
    """As for ``weat``.

    ``nouns``: a test of kind ``nouns``, such as "es/nouns", whose nouns are measured as well as the test's own list with the
    same attributes: those that it holds out, or all where it does not say. ``trace``: d after every step of the
    transform, in place of every word.
    """

    nouns: str | None = None
    trace: bool = False


@dataclass(frozen=True, slots=True)
class _Nouns:
    """The associations of a masculine and a feminine list after each state of the model, or why there are none."""

    name: str
    roles: tuple[str, str]
    samples: Sequence[Sample]
    problem: str

    @classmethod
    def of(cls, name: str, roles: Sequence[str], test: Test, words: SameWords) -> Self:
        x, y = roles
        problem = words.problem({x: 2, y: 2, "A": 1, "B": 1})
        if problem:
            return cls(name, (x, y), [], problem)
        exchanges = words.exchange(test, x, y), words.exchange(test, "A", "B")
        samples = [words.sample(place, x, y, *exchanges) for place in range(len(words.vectors))]
        return cls(name, (x, y), samples, "")

    def effect(self, place: int, options: VectorOptions, rng: np.random.Generator, when: str = "") -> Effect:
        sample = self.problem or self.samples[place]
        effect = Effect.of(sample, options, rng, roles=self.roles, name=f"{self.name}{when}", both=True)
        d, difference = effect.estimates
        if d.value is None:
            return effect
        printed = d.model_copy(update={"p_values": (*d.p_values, normal(*self.samples[place].scores))})
        return replace(effect, estimates=(printed, difference))

    def change(self, options: VectorOptions, rng: np.random.Generator) -> Estimate:
        name = f"change of {self.name}"
        if self.problem:
            return Estimate(name=name, value=None, unit=DEVIATIONS, n=dict.fromkeys(self.roles, 0))
        ends = self.samples[0].scores, self.samples[-1].scores
        exchange = self.samples[0].exchange
        return change_of(ends, options, rng, name=name, roles=self.roles, exchange=exchange)[0]

    def line(self, options: VectorOptions, rng: np.random.Generator) -> Line:
        every = (effect_of(one.scores, options, rng, exchange=one.exchange) for one in self.samples)
        return Line.of(self.name, DEVIATIONS, every)


class GgWeat(DecidedMetric[GgWeatOptions, Test]):
    """WEAT of grammatical gender; the headline is d of the test's own nouns, on the model as it is."""

    name = "gg-weat"
    summary = "WEAT of masculine and feminine nouns with words for men and women; held-out nouns next to the small list"
    use = "associates"
    rule = (
        "Detected when the larger of two permutation p-values, of the labels of the nouns and of those of the words for men "
        "and women, is at most alpha."
    )
    reference = "Omrani Sabbaghi & Caliskan 2022, AIES, section 4"
    requires = frozenset({"embed"})
    kinds = frozenset({"weat"})

    def check(self, test: Test, catalogue: Catalogue) -> None:
        """Raise OptionsError where partitions cannot be counted, or ``nouns`` names no nouns of two genders."""
        for one, other in (("X", "Y"), ("A", "B")):
            self.options.check_exact(test.roles[one].words, test.roles[other].words, test)
        if self.options.nouns is not None:
            nouns_of(self.options.nouns, catalogue, self.name)

    def extra_stimuli(self, test: Test, catalogue: Catalogue) -> tuple[Origin, ...]:
        return () if self.options.nouns is None else (catalogue.test(self.options.nouns),)

    def result(self, model: Model, test: Test, context: Context) -> Decided:
        """d with exact and closed-form p, also of held-out nouns; where there is a transform, before it and the change."""
        options, rng = self.options, context.rng
        models = states(model, trace=options.trace, level=options.level)
        lists = {role: test.roles[role].words for role in ROLES}
        which, stated, further = "", {}, {}
        if options.nouns is not None:
            nouns = nouns_of(options.nouns, context.catalogue, self.name)
            which = "held-out nouns" if nouns.is_split else "all nouns"
            every = f"all of {nouns.id}, which says of none that it is held out"
            stated = {which: f"the part {nouns.id} holds out" if nouns.is_split else every}
            further = {f"{one.name} nouns": one.test or one.words for one in nouns.two_genders(self.name)}
        words = embed_on(models, lists | further, options.level, options)
        measured = [_Nouns.of(EFFECT, ("X", "Y"), test, words)]
        if further:
            measured.append(_Nouns.of(f"{EFFECT}, {which}", list(further), test, words))
        new = [one.effect(-1, options, rng) for one in measured]
        transformed = measured if model.untransformed else []
        old = [one.effect(0, options, rng, " before") for one in transformed]
        changes = [one.change(options, rng) for one in transformed]
        headline = new[0]
        frequency = Frequency.of(model, words.words, words.vectors[-1])
        value, figures = "association s(w, A, B)", tuple[Figure, ...]()
        items = _items(test, words, [one for one in measured if not one.problem])
        if options.trace and not measured[0].problem:
            lines = [one.line(options, rng) for one in measured if not one.problem]
            items, figures, value = trace_of(lines, model, options.level)
        x, y, a, b = (test.roles[role].name for role in ROLES)
        return Decided(
            variant=options.variant(model),
            positive_means=f"{x} are closer to {a} than {y} are, and {y} closer to {b}",
            negative_means=f"{x} are closer to {b} than {y} are, and {y} closer to {a}",
            estimates=(
                headline.estimates[0],
                *(effect.estimates[0] for effect in new[1:]),
                headline.estimates[1],
                *(effect.estimates[0] for effect in old),
                *changes,
            ),
            decision=headline.decide(options),
            bound=options.bound,
            coverage=words.coverage,
            caveats=(
                *frequency.both(),
                *role_caveats({role: words.words[role] for role in ROLES}, words.coverage),
                *headline.caveats(options),
                *caveats_of(_disagreement(new, options, which)),
            ),
            item_value=value,
            figures=figures,
            model_conventions=(*OF_MODEL, *OF_USABLE_WORDS, *frequency.stated()),
            conventions=options.conventions(
                model,
                {
                    "effect size": "(mean s(X) - mean s(Y)) / sd of s over X and Y together",
                    "deciding p-value": f"{options.alternative}, the larger of target labels permuted and attribute labels "
                    "permuted; 1 where they and the effect point apart",
                    "p of the paper": f"{NORMAL}: Phi(-d / sqrt(1/nx + 1/ny)), Phi(-d sqrt(n/2)) for equal sizes, d with "
                    "ddof 1; what its 10,000 shuffles converge to",
                    "resampled": "target words, within X and within Y",
                    **stated,
                    "item value": "value after each step"
                    if options.trace
                    else "s(w, A, B) = mean cosine with A - mean cosine with B",
                    "exchanged": headline.exchanged,
                    **frequency.stated(),
                },
            ),
            items=items,
        )


def _disagreement(effects: Sequence[Effect], options: VectorOptions, which: str) -> list[str]:
    """That a few nouns say what hundreds do not, or the other way round."""
    if len(effects) < 2:
        return []
    small, large = (effect.decide(options).verdict for effect in effects)
    values = [effect.estimates[0].value for effect in effects]
    if None in values or small is large or Verdict.DETECTED not in (small, large):
        return []
    n = [" + ".join(map(str, effect.estimates[0].n.values())) for effect in effects]
    return [
        f"the test's {n[0]} nouns give d = {values[0]:z.3g} ({small}), and {n[1]} {which} {values[1]:z.3g} ({large}): "
        "what a few nouns show may be of those nouns alone"
    ]


def _items(test: Test, words: SameWords, measured: Sequence[_Nouns]) -> pa.Table:
    roles = [role for one in measured for role in one.roles]
    old, new = (
        [float(s) for one in measured for side in one.samples[place].scores for s in side]
        for place in (0, -1)
    )
    names = {role: test.roles[role].name if role in test.roles else role for role in roles}
    more = {"before": old, "change": [b - a for a, b in zip(old, new, strict=True)]}
    return item_table(
        item=[word for role in roles for word in words.words[role]],
        group=[names[role] for role in roles for _ in words.words[role]],
        value=new,
        more=more if len(words.vectors) > 1 else None,
    )
