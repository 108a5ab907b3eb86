"""gg-weat: are masculine nouns nearer to men's words, and feminine ones to women's (Omrani Sabbaghi & Caliskan 2022)?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from biascore.api.figures import Figure
from biascore.api.metrics import (
    Context,
    Equivalence,
    Estimate,
    Finding,
    Metric,
    Model,
    Scalar,
    Test,
    caveats_of,
    item_table,
)
from biascore.api.stimuli import Catalogue, Origin
from biascore.designs.before_after import Line, trace_of
from biascore.designs.crossed import OF_USABLE_WORDS, ROLES, role_caveats
from biascore.designs.effect import EFFECT, Effect, Sample
from biascore.designs.frequency import Frequency
from biascore.designs.options import VectorOptions
from biascore.designs.pvalues import NORMAL, normal
from biascore.designs.same_words import NOTHING, SameWords, Scores, embed_on, states
from biascore.designs.words import OF_MODEL, too_few
from biascore.stats import Verdict
from biascore_metrics.grammatical_gender.change import LEAST, change_of
from biascore_metrics.grammatical_gender.genders import Genders, genders_of


class GgWeatOptions(VectorOptions):
    """As for ``weat``.

    ``nouns``: a test of kind ``nouns``, such as "es/nouns", whose nouns are measured as well as the test's own list with the
    same attributes: those that it holds out, or all where it does not say. ``trace``: d after every step of the
    transform, in place of every word.
    """

    nouns: str | None = None
    trace: bool = False


@dataclass(frozen=True, slots=True)
class _Measured:
    """The associations of one list of nouns after each state of the model, and what was made of them."""

    name: str
    samples: Sequence[Sample]
    problem: str
    roles: tuple[str, str]

    @property
    def scores(self) -> Sequence[Scores]:
        """The associations (x, y) after each state."""
        return [one.scores for one in self.samples]

    def effect(self, place: int, when: str, options: VectorOptions, rng: np.random.Generator) -> Effect:
        sample = self.problem or self.samples[place]
        effect = Effect.of(sample, options, rng, roles=self.roles, name=f"{self.name}{when}", both=True)
        d, difference = effect.estimates
        if d.value is None:
            return effect
        printed = d.model_copy(update={"p_values": (*d.p_values, normal(*self.samples[place].scores))})
        return replace(effect, estimates=(printed, difference))

    def change(self, options: VectorOptions, rng: np.random.Generator) -> Estimate:
        ends = (self.scores[0], self.scores[-1]) if self.scores else (NOTHING, NOTHING)
        return change_of(
            ends,
            options,
            rng,
            problem=self.problem,
            name=self.name,
            roles=self.roles,
            exchange=self.samples[0].exchange if self.samples else None,
        )[0]


class GgWeat(Metric[GgWeatOptions, Test]):
    """WEAT of grammatical gender; the headline is d of the test's own nouns, on the model as it is."""

    name = "gg-weat"
    summary = "WEAT of masculine and feminine nouns with words for men and women; held-out nouns next to the small list"
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
            genders_of(self.options.nouns, catalogue, self.name)

    def extra_stimuli(self, test: Test, catalogue: Catalogue) -> tuple[Origin, ...]:
        """The nouns that are measured in addition to the test's own."""
        return () if self.options.nouns is None else (catalogue.test(self.options.nouns),)

    def measure(self, model: Model, test: Test, context: Context) -> Finding:
        """d with exact and closed-form p, also of held-out nouns; where there is a transform, before it and the change."""
        options, rng = self.options, context.rng
        models = states(model, trace=options.trace, level=options.level)
        held_out = None if options.nouns is None else genders_of(options.nouns, context.catalogue, self.name)
        lists = {role: test.roles[role].words for role in ROLES}
        if held_out is not None:
            lists |= held_out.lists
        words = embed_on(models, lists, options.level, options)
        measured = list(_measured(test, words, len(models), held_out))
        new = [one.effect(-1, "", options, rng) for one in measured]
        old = [one.effect(0, " before", options, rng) for one in measured] if model.untransformed else []
        changes = [one.change(options, rng) for one in measured] if model.untransformed else []
        headline = new[0]
        own = {role: words.words[role] for role in ROLES}
        frequency = Frequency.of(model, words.words, words.vectors[-1])
        items, value = _items(test, words, measured), "association s(w, A, B)"
        figures: tuple[Figure, ...] = ()
        if options.trace and not measured[0].problem:
            lines = [
                Line.of_effects(one.scores, options, rng, one.name, exchange=one.samples[0].exchange)
                for one in measured
                if not one.problem
            ]
            items, figures, value = trace_of(lines, model, options.level)
        return Finding(
            variant=options.variant(model),
            positive_means=_direction(test),
            negative_means=_direction(test, other=True),
            estimates=(
                headline.estimates[0],
                *(effect.estimates[0] for effect in new[1:]),
                headline.estimates[1],
                *(effect.estimates[0] for effect in old),
                *changes,
            ),
            decision=headline.decide(options),
            equivalence=Equivalence.within(options.bound, EFFECT),
            coverage=words.coverage,
            caveats=(
                *frequency.both(),
                *role_caveats(own, words.coverage),
                *headline.caveats(options),
                *caveats_of(_disagreement(new, options, held_out.name if held_out else "")),
            ),
            item_value=value,
            figures=figures,
            model_conventions=(*OF_MODEL, *OF_USABLE_WORDS, *frequency.stated()),
            conventions=options.conventions(
                model,
                _conventions(options, held_out) | {"exchanged": headline.exchanged} | frequency.stated(),
            ),
            items=items,
        )


def _measured(test: Test, words: SameWords, count: int, held_out: Genders | None) -> list[_Measured]:
    lists = [(EFFECT, ("X", "Y"))]
    if held_out is not None:
        lists.append((f"{EFFECT}, {held_out.name}", held_out.roles))
    found = []
    for name, (x, y) in lists:
        least = {x: LEAST["X"], y: LEAST["Y"], "A": LEAST["A"], "B": LEAST["B"]}
        problem = too_few(words.words, words.coverage, least)
        if problem:
            found.append(_Measured(name, [], problem, (x, y)))
            continue
        exchanges = words.exchange(test, x, y), words.exchange(test, "A", "B")
        samples = [words.sample(place, x, y, *exchanges) for place in range(count)]
        found.append(_Measured(name, samples, "", (x, y)))
    return found


def _direction(test: Test, *, other: bool = False) -> str:
    x, y, a, b = (test.roles[role].name for role in ROLES)
    if other:
        a, b = b, a
    return f"{x} are closer to {a} than {y} are, and {y} closer to {b}"


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
        f"the test's {n[0]} nouns give d = {values[0]:.3g} ({small}), and {n[1]} {which} {values[1]:.3g} ({large}): "
        "what a few nouns show may be of those nouns alone"
    ]


def _conventions(options: GgWeatOptions, held_out: Genders | None) -> dict[str, Scalar]:
    return {
        "effect size": "(mean s(X) - mean s(Y)) / sd of s over X and Y together",
        "deciding p-value": f"{options.alternative}, the larger of target labels permuted and attribute labels permuted; "
        "1 where they and the effect point apart",
        "p of the paper": f"{NORMAL}: Phi(-d / sqrt(1/nx + 1/ny)), Phi(-d sqrt(n/2)) for equal sizes, d with ddof 1; "
        "what its 10,000 shuffles converge to",
        "resampled": "target words, within X and within Y",
        **({held_out.name: held_out.stated} if held_out else {}),
        "item value": "value after each step"
        if options.trace
        else "s(w, A, B) = mean cosine with A - mean cosine with B",
    }


def _items(test: Test, words: SameWords, measured: Sequence[_Measured]) -> pa.Table:
    names: list[str] = []
    groups: list[str] = []
    old: list[float] = []
    new: list[float] = []
    for one in measured:
        if not one.scores:
            continue
        for place, role in enumerate(one.roles):
            names += words.words[role]
            groups += [test.roles[role].name if role in test.roles else role] * len(words.words[role])
            old += one.scores[0][place].tolist()
            new += one.scores[-1][place].tolist()
    more = (
        {"before": old, "change": [b - a for a, b in zip(old, new, strict=True)]}
        if len(measured[0].scores) > 1
        else {}
    )
    return item_table(item=names, group=groups, value=new, more=more)
