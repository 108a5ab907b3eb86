"""SEAT: WEAT on words within sentences that say next to nothing else.

May, Wang, Bordia, Bowman & Rudinger 2019, NAACL-HLT, section 2; templates by part of speech and the two
levels as in Puttick & Kurpicz-Briki 2025, sections 2.2, B.6 and C.2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from biascore.errors import StimuliError
from biascore.plugins_api import (
    Catalogue,
    Caveat,
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
from biascore.stats import Unreachable, ZeroVarianceError, association, cosine_matrix, effect_size
from biascore.stats.exchange import Exchange
from biascore_metrics.frequency import Frequency
from biascore_metrics.near import near_duplicates
from biascore_metrics.seat.options import SeatOptions, Unit
from biascore_metrics.seat.sentences import OWN, Frames, RoleSentences, embed_sentences
from biascore_metrics.weat.effect import DEVIATIONS, EFFECT, Across, Effect
from biascore_metrics.weat.options import NO_TOPICS
from biascore_metrics.weat.specificity import Compared, Topics, proxy_of, without
from biascore_metrics.weat.words import (
    OF_USABLE_WORDS,
    ROLES,
    exchange_of_roles,
    role_caveats,
)
from biascore_metrics.words import OF_MODEL, too_few

MOST: Final = (32, 12)
"""Topics, and words of each, that are asked; each word goes into several sentences."""
LEAST: Final = {"X": 2, "Y": 2, "A": 1, "B": 1}
ASSOCIATION: Final[dict[Unit, str]] = {
    "word": "mean over the word's sentences and over attribute words, each with the mean of its sentences",
    "sentence": "of one sentence: mean over all attribute sentences",
}


class Seat(Metric[SeatOptions, Test]):
    """SEAT on any model that can embed; the headline is the effect size d over words, or over sentences."""

    name = "seat"
    rule = (
        "Detected when the larger of two permutation p-values, of the target labels and of the attribute labels, is at most "
        "alpha."
    )
    summary = "Sentence Encoder Association Test: WEAT with each word in sentence templates"
    reference = "May, Wang, Bordia, Bowman & Rudinger 2019, NAACL-HLT, 622-628"
    requires = frozenset({"embed"})
    kinds = frozenset({"weat"})
    calibrated_with = MappingProxyType({"topics": NO_TOPICS})

    def check(self, test: Test, catalogue: Catalogue) -> None:
        """Raise TestKindError, StimuliError for words that have no sentences, OptionsError as WEAT does."""
        frames = Frames.of(test, catalogue, self.options.templates)
        frames.check_level(test, self.options.level)
        elements = {role: list(test.roles[role].words) for role in ROLES}
        if self.options.unit == "sentence":
            elements = {
                role: [text.text for word in words for text in frames.texts(role, word)]
                for role, words in elements.items()
            }
        for one, other in (("X", "Y"), ("A", "B")):
            self.options.check_exact(elements[one], elements[other], test, f"{self.options.unit}s")
        Topics.of(test, catalogue, self.options)

    def extra_stimuli(self, test: Test, catalogue: Catalogue) -> tuple[Origin, ...]:
        """The files of the sentence templates and of the topics."""
        templates = catalogue.file(test.language, self.options.templates)
        return (templates, *Topics.of(test, catalogue, self.options).read_from(catalogue))

    def unreachable(self, test: Test) -> tuple[Unreachable, ...]:
        """What lists as short as these cannot show; over sentences, of which each word has many, nothing is told."""
        if self.options.unit == "sentence":
            return ()
        return self.options.unreachable(test.roles)

    def measure(self, model: Model, test: Test, context: Context) -> Finding:
        """Effect size d, its permutation p-values and bootstrap interval; items are the mean s of each word."""
        options = self.options
        frames = Frames.of(test, context.catalogue, options.templates)
        roles, coverage = embed_sentences(model, test, frames, options.level, options)
        words = {role: roles[role].words for role in ROLES}
        problem = too_few(words, coverage, LEAST)
        x = y = np.empty(0)
        other: Unit = "sentence" if options.unit == "word" else "word"
        beside = Estimate(name=f"{EFFECT} over {other}s", value=None, unit=DEVIATIONS, n={"X": 0, "Y": 0})
        across = None
        in_sentence = not (model.identity.composes_words and options.level == "token")
        kinds = frames if in_sentence else None
        if not problem:
            x, y = (_associations(roles, role, options.unit) for role in ("X", "Y"))
            table = _table(roles, options.unit)
            cut = len(roles["A"].words if options.unit == "word" else roles["A"].vectors)
            exchange = _exchange(test, roles, ("A", "B"), kinds, options.unit)
            across = Across.of(table, len(x), cut, exchange, unit=f"{options.unit}s")
            beside = self._beside(roles, other)
        # The items are words: d over sentences does not follow from them.
        lists = (test.roles["X"].name, test.roles["Y"].name) if options.unit == "word" else None
        effect = Effect.of(
            x,
            y,
            options,
            context.rng,
            problem=problem,
            of_what=f"target {options.unit}s",
            lists=lists,
            across=across,
            exchange=None if problem else _exchange(test, roles, ("X", "Y"), kinds, options.unit),
        )
        compared = self._compared(model, test, roles, effect, context)
        frequency = Frequency.of(model, words)
        near: tuple[Caveat, ...] = ()
        if not problem:
            near = near_duplicates(
                test.roles,
                words,
                {role: some.by_word(some.vectors.astype(np.float64)) for role, some in roles.items()},
            )
        by_design: tuple[str, ...] = ()
        if in_sentence:
            by_design += _unlike_templates(roles)
        if options.unit == "sentence":
            by_design += (
                "p-value and interval take the sentences of one word for independent observations, which they are not",
            )
        return Finding(
            variant=options.variant(model),
            estimates=(*effect.estimates, beside),
            decision=effect.decide(options),
            specificity=compared.found,
            equivalence=Equivalence.within(options.bound, effect.estimates[0].name),
            coverage=coverage,
            caveats=(
                *frequency.both(),
                *near,
                *role_caveats(words, coverage),
                *effect.caveats(options),
                *compared.caveats(),
                *caveats_of(by_design),
            ),
            item_value="association s(w, A, B), mean over the word's sentences",
            model_conventions=(*OF_MODEL, *OF_USABLE_WORDS, *frequency.stated()),
            conventions=options.conventions(
                model,
                {
                    "effect size": f"(mean s(X) - mean s(Y)) / sd of s over the {options.unit}s of X and Y together",
                    "association s": ASSOCIATION[options.unit],
                    "deciding p-value": options.deciding,
                    "exchanged": effect.exchanged,
                    "resampled": options.resampled(f"target {options.unit}s", f"attribute {options.unit}s"),
                    "word in its sentence": "as listed: not inflected, not capitalised at the start",
                    **{
                        f"templates {test.language}/{options.templates}/{tag}": " | ".join(sentences)
                        for tag, sentences in frames.written.items()
                    },
                    **frames.told(test, options.templates),
                    **frequency.stated(),
                    **compared.stated(),
                },
            ),
            items=item_table() if problem else _items(test, roles, x, y, options.unit),
        )

    def _compared(
        self, model: Model, test: Test, roles: Mapping[str, RoleSentences], effect: Effect, context: Context
    ) -> Compared:
        options = self.options
        topics = Topics.of(test, context.catalogue, options, MOST)
        if topics.problem:
            return without(topics)
        asked = replace(test, roles=dict.fromkeys(ROLES, WordList("none", ())) | {"A": topics.asked})
        try:
            frames = Frames.of(asked, context.catalogue, options.templates)
            frames.check_level(asked, options.level)
        except StimuliError as error:
            return without(topics, str(error))
        found, _ = embed_sentences(model, asked, frames, options.level, options)
        if effect.estimates[0].value is None:
            return without(topics, "there is no effect size")
        lists, own = found["A"], (roles["A"], roles["B"])
        # Attributes are words here, also where sentences are the observations.
        scores, *table = (
            np.concatenate([_of_words(roles[role], some, options.unit) for role in ("X", "Y")])
            for some in (lists, *own)
        )
        first = len(roles["X"].words if options.unit == "word" else roles["X"].vectors)
        return Compared.of(
            topics,
            lists.words,
            scores,
            np.concatenate(table, axis=1),
            (first, len(own[0].words)),
            options,
            context.rng.spawn(1)[0],
            proxy_of(model, (own[0].words, own[1].words), lists.words),
        )

    def _beside(self, roles: Mapping[str, RoleSentences], unit: Unit) -> Estimate:
        """The effect size over the other unit: the value alone, for comparison."""
        x, y = (_associations(roles, role, unit) for role in ("X", "Y"))
        try:
            value = effect_size(x, y, self.options.ddof)
        except ZeroVarianceError:
            value = None
        n = {"X": len(x), "Y": len(y)}
        return Estimate(name=f"{EFFECT} over {unit}s", value=value, unit=DEVIATIONS, n=n)


def _exchange(
    test: Test, roles: Mapping[str, RoleSentences], of: tuple[str, str], frames: Frames | None, unit: Unit
) -> Exchange:
    """What may be exchanged between two roles: words that go into the same templates, in their families and pairs.

    With sentences as observations, each with those of the same templates; families and counterparts are of words.
    ``frames`` is None where the vector of a word does not depend on its sentence.
    """
    kinds = [
        [frames.tags.get((role, word), OWN) if frames else "" for word in roles[role].words] for role in of
    ]
    if unit == "word":
        return exchange_of_roles(test, {role: roles[role].words for role in of}, of, (kinds[0], kinds[1]))
    one, other = (
        [kind for kind, count in zip(some, roles[role].counts, strict=True) for _ in range(count)]
        for role, some in zip(of, kinds, strict=True)
    )
    return Exchange.of((len(one), len(other)), blocks=(one, other))


def _unlike_templates(roles: Mapping[str, RoleSentences]) -> tuple[str, ...]:
    """Sentences alike in their template are near each other; that enters d where both pairs of lists are unlike."""
    shares = {
        role: {tag: count / len(some.tags) for tag, count in Counter(some.tags).items()}
        for role, some in roles.items()
    }
    if shares["X"] == shares["Y"] or shares["A"] == shares["B"]:
        return ()
    return (
        "X differs from Y, and A from B, in the shares of the parts of speech, so that part of the effect may be "
        "that of their templates",
    )


def _associations(roles: Mapping[str, RoleSentences], role: str, unit: Unit) -> npt.NDArray[np.float64]:
    """s(w, A, B) of the words or of the sentences of a role, in their order."""
    return association(*(_cosines(roles[role], roles[side], unit) for side in ("A", "B")))


def _table(roles: Mapping[str, RoleSentences], unit: Unit) -> npt.NDArray[np.float64]:
    """The cosines of the words, or the sentences, of X and Y with those of A and B."""
    return np.block([[_cosines(roles[row], roles[side], unit) for side in ("A", "B")] for row in ("X", "Y")])


def _of_words(own: RoleSentences, other: RoleSentences, unit: Unit) -> npt.NDArray[np.float64]:
    """The cosines of words, or sentences, with other words, each the mean of its sentences."""
    cosines = other.by_word(cosine_matrix(own.vectors, other.vectors).T).T
    return own.by_word(cosines) if unit == "word" else cosines


def _cosines(own: RoleSentences, other: RoleSentences, unit: Unit) -> npt.NDArray[np.float64]:
    """Of sentences, or of words: means over their sentences."""
    cosines = cosine_matrix(own.vectors, other.vectors)
    return own.by_word(other.by_word(cosines.T).T) if unit == "word" else cosines


def _items(
    test: Test,
    roles: Mapping[str, RoleSentences],
    x: npt.NDArray[np.float64],
    y: npt.NDArray[np.float64],
    unit: Unit,
) -> pa.Table:
    targets = [roles[role] for role in ("X", "Y")]
    values = [
        some if unit == "word" else own.by_word(some) for own, some in zip(targets, (x, y), strict=True)
    ]
    return item_table(
        item=[word for own in targets for word in own.words],
        group=[test.roles[role].name for role in ("X", "Y") for _ in roles[role].words],
        value=[float(value) for some in values for value in some],
        more={
            "n_templates": [count for own in targets for count in own.counts],
            "tag": [tag for own in targets for tag in own.tags],
        },
    )
