"""Probe sentences, and what a model says of them: how perplexing each is, and how strongly its words go together.

Templates x attribute words x target words, with the words that may be in their other slots; which article and determiner a
sentence gets, its perplexity decides (Shrestha, Tay & Srinivasan 2025, section 2).
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Final, Literal

import numpy as np

from biascore.api.metrics import Coverage, Model
from biascore.api.queries import Masked, Span
from biascore.designs.words import WordOptions, covered, unknown_words
from biascore_metrics.robust.items import AGREEING, ATTRIBUTE, TARGET, AssociationsTest, Part
from biascore_metrics.robust.options import RobustOptions, Template

Role = Literal["targets", "opposites"]
SIGNS: Final[dict[Role, int]] = {"targets": 1, "opposites": -1}
DROPPED: Final = "the tokenizer drops all of its characters"
WORD: Final = re.compile(r"\w+|[^\w\s]")
MEAN_LOG_LIKELIHOOD: Final = "mean_log_likelihood"


@dataclass(frozen=True, slots=True)
class Probe:
    """A sentence with the places of the attribute word, the target word, and what agrees with the attribute.

    ``choice`` are the slots that were filled by choice, each with its word.
    """

    text: str
    attribute: Span
    target: Span
    agreeing: tuple[Span, ...]
    choice: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Place:
    """One place of the design: an attribute word of a group with a target word in a template.

    ``row`` is that of the word in its list, or in its pairs, so that words of a pair have the same one; ``pairs`` names
    them, "" for a list. ``probes`` are the sentences that could stand there, in the order of the choices.
    """

    template: str
    group: str
    pairs: str
    row: int
    attribute: str
    target: str
    role: Role
    probes: tuple[Probe, ...]

    @property
    def paired(self) -> tuple[object, ...]:
        """What it has in common with the places of its pair; a word of a list is its own pair."""
        partner = self.pairs or f"list {self.group}"
        return (self.template, partner, self.row, self.target, self.role)


@dataclass(frozen=True, slots=True)
class Design:
    """What is measured of a test, by the options: templates, the attribute words by group with their rows, target words."""

    test: AssociationsTest
    templates: tuple[Template, ...]
    taken: dict[str, tuple[tuple[int, str], ...]]
    targets: dict[Role, tuple[str, ...]]
    lower_case: bool
    whole_words: bool
    """Hidden for the pseudo-perplexity: words, not sub-tokens."""

    @classmethod
    def of(cls, test: AssociationsTest, options: RobustOptions) -> Design:
        """The design; raises OptionsError for an option that names what the test does not have."""
        targets: dict[Role, tuple[str, ...]] = {"targets": test.targets.words}
        if options.polarity == "both":
            targets["opposites"] = options.opposites(test).words
        return cls(
            test=test,
            templates=options.chosen_templates(test),
            taken={
                group.name: tuple((row, group.words[row]) for row in options.chosen_rows(test, group))
                for group in options.chosen_groups(test)
            },
            targets=targets,
            lower_case=options.lower_case,
            whole_words=options.perplexity_hides == "words",
        )

    @property
    def groups(self) -> tuple[str, ...]:
        """Those that are compared, the first against the others."""
        return tuple(self.taken)

    @property
    def by_role(self) -> dict[str, tuple[str, ...]]:
        """All words that are taken, by group and role, in list order and as often as they are listed."""
        groups = {group: tuple(word for _, word in words) for group, words in self.taken.items()}
        return groups | dict(self.targets)

    def pairs(self) -> dict[str, tuple[str, ...]]:
        """The pairs that are taken, by the list that they are of, as ``mother/father``; of a list, its words."""
        rows: dict[str, dict[int, list[str]]] = {}
        for group in self.test.groups:
            for row, word in self.taken.get(group.name, ()):
                rows.setdefault(group.pairs or group.name, {}).setdefault(row, []).append(word)
        return {name: tuple(map("/".join, some.values())) for name, some in rows.items()}

    def places(self, lost: Collection[tuple[str, str]] = ()) -> list[Place]:
        """Every place of the design but those of ``lost`` words, given by group, or role, and word."""
        frame = lru_cache(maxsize=None)(self.test.parts)
        pairs = {group.name: group.pairs for group in self.test.groups}
        return [
            Place(
                template.name, group, pairs[group], row, word, target, role,
                self._probes(frame(template.sentence, group, word), target),
            )
            for template in self.templates
            for group, words in self.taken.items()
            for row, word in words
            for role, targets in self.targets.items()
            for target in targets
            if (group, word) not in lost and (role, target) not in lost
        ]  # fmt: skip

    def _probes(self, parts: tuple[Part, ...], target: str) -> tuple[Probe, ...]:
        slots = tuple(dict.fromkeys(part.slot for part in parts if part.slot in self.test.choices))
        choices = product(*(dict.fromkeys(self.test.choices[slot]) for slot in slots))
        return tuple(self._filled(parts, target, dict(zip(slots, words, strict=True))) for words in choices)

    def _filled(self, parts: tuple[Part, ...], target: str, choice: dict[str, str]) -> Probe:
        text, spans = "", {ATTRIBUTE: [(0, 0)], TARGET: [(0, 0)]}
        for part in parts:
            start = len(text)
            words = {**choice, TARGET: target.replace("_", " ")}.get(part.slot, part.text)
            # Each part by itself: lower case may have another length.
            text += words.lower() if self.lower_case else words
            spans.setdefault(part.slot, []).append((start, len(text)))
        attribute, stands = spans[ATTRIBUTE][-1], spans[TARGET][-1]
        return Probe(text, attribute, stands, tuple(spans.get(AGREEING, ())), tuple(choice.items()))


@dataclass(frozen=True, slots=True)
class Row:
    """A probe sentence with its scores: one row of the model that is fitted.

    ``association`` in nats, times -1 for an opposite; ``added``: not the least perplexing sentence of its place, but
    there because it is that of the other word of the pair.
    """

    place: Place
    probe: Probe
    added: bool
    association: float
    perplexity: float

    @property
    def weight(self) -> float:
        """1 / perplexity."""
        return 1.0 / self.perplexity


@dataclass(frozen=True, slots=True)
class Scored:
    """All rows of a test, the words that were used and lost, and how many rows have no finite score or weight."""

    rows: tuple[Row, ...]
    coverage: Coverage
    n_dropped: int


Lost = dict[tuple[str, str], str]
"""Words that are not measured, by group or role and word, each with the reason."""


def coverage_of(design: Design, lost: Lost) -> Coverage:
    """How many words of each group and role are used of those given."""
    words = design.by_role
    used = {role: sum((role, word) not in lost for word in some) for role, some in words.items()}
    every = ((word, role) for role, some in words.items() for word in some if (role, word) in lost)
    return covered(used, ((word, role, lost[role, word]) for word, role in every))


class Prober(ABC):
    """How a kind of language model is asked for the two numbers behind a row."""

    @abstractmethod
    def log_probabilities(self, model: Model, texts: Sequence[str], *, whole_words: bool) -> Iterable[float]:
        """The mean log-probability of the tokens of each sentence, all in one call."""

    @abstractmethod
    def associations(self, model: Model, rows: Sequence[Row], lost: Lost) -> list[float]:
        """The association of each row, in nats; adds words that the model cannot read to ``lost``."""

    def score(self, model: Model, design: Design) -> Scored:
        """Choose the sentences of a design and score them."""
        lost = _unknown(model, design)
        places = design.places(lost)
        texts = list(dict.fromkeys(probe.text for place in places for probe in place.probes))
        means = np.fromiter(self.log_probabilities(model, texts, whole_words=design.whole_words), np.float64)
        with np.errstate(over="ignore"):
            perplexities = dict(zip(texts, np.exp(-means).tolist(), strict=True))
        rows = [Row(*one, math.nan, perplexities[one[1].text]) for one in choose(places, perplexities)]
        values = self.associations(model, rows, lost)
        rows = [
            replace(row, association=SIGNS[row.place.role] * value)
            for row, value in zip(rows, values, strict=True)
            if not {(row.place.group, row.place.attribute), (row.place.role, row.place.target)} & lost.keys()
        ]
        usable = tuple(row for row in rows if math.isfinite(row.association) and 0 < row.weight < math.inf)
        return Scored(usable, coverage_of(design, lost), len(rows) - len(usable))


class MaskedProber(Prober):
    """A masked language model: pseudo-perplexity, and log p_A - log p_prior of the hidden attribute word."""

    def log_probabilities(self, model: Model, texts: Sequence[str], *, whole_words: bool) -> Iterable[float]:
        """Each token hidden alone (Salazar et al. 2020), or with its word."""
        if not whole_words:
            whole = model.mask_logprob([Masked(text, None, one_at_a_time=True) for text in texts])
            return [answer.total / len(answer.tokens) if answer.tokens else math.nan for answer in whole]
        words = [[Masked(text, (m.span(),)) for m in WORD.finditer(text)] for text in texts]
        answers = iter(model.mask_logprob([one for some in words for one in some], unread="empty"))
        found = [[next(answers) for _ in some] for some in words]
        # By their places: a token that two words share is asked for with both.
        tokens = [
            {at: p for a in some for at, p in zip(a.offsets, a.logprobs, strict=True)} for some in found
        ]
        return [sum(some.values()) / len(some) if some else math.nan for some in tokens]

    def associations(self, model: Model, rows: Sequence[Row], lost: Lost) -> list[float]:
        """Log-probability of the attribute, minus that with the target word hidden too.

        What agrees with the attribute is hidden both times, so that it cannot give the group away.
        """
        distinct = list(dict.fromkeys(row.probe for row in rows))
        answers = iter(model.mask_logprob(_questions(distinct), unread="empty"))
        found = dict(zip(distinct, zip(answers, answers, strict=True), strict=True))
        for row in rows:
            seen, prior = found[row.probe]
            if not seen.tokens:
                lost[row.place.group, row.place.attribute] = DROPPED
            elif not prior.tokens:
                lost[row.place.role, row.place.target] = DROPPED
        return [seen.total - prior.total for seen, prior in (found[row.probe] for row in rows)]


class CausalProber(Prober):
    """A causal language model: the mean log-likelihood of the sentence, per token, is its association."""

    def log_probabilities(self, model: Model, texts: Sequence[str], *, whole_words: bool) -> Iterable[float]:
        """The mean log-likelihood."""
        return map(float, model.score(texts, MEAN_LOG_LIKELIHOOD, in_nats=True))

    def associations(self, model: Model, rows: Sequence[Row], lost: Lost) -> list[float]:
        """The same: minus the loss."""
        return [-float(np.log(row.perplexity)) for row in rows]


def choose(places: Sequence[Place], perplexities: Mapping[str, float]) -> list[tuple[Place, Probe, bool]]:
    """The least perplexing sentence of each place, and those that its pair chose otherwise, marked as added.

    Of equally perplexing ones the first.
    """
    best = [min(place.probes, key=lambda probe: perplexities[probe.text]) for place in places]
    pairs: dict[tuple[object, ...], dict[tuple[tuple[str, str], ...], None]] = {}
    for place, probe in zip(places, best, strict=True):
        pairs.setdefault(place.paired, {})[probe.choice] = None
    chosen = []
    for place, own in zip(places, best, strict=True):
        chosen.append((place, own, False))
        others = [choice for choice in pairs[place.paired] if choice != own.choice]
        chosen += [(place, probe, True) for probe in place.probes if probe.choice in others]
    return chosen


def _questions(probes: Iterable[Probe]) -> list[Masked]:
    """p_A and p_prior of each sentence."""
    return [
        Masked(probe.text, (probe.attribute,), also=also)
        for probe in probes
        for also in (probe.agreeing, (*probe.agreeing, probe.target))
    ]


def _unknown(model: Model, design: Design) -> Lost:
    """Words of which the model knows nothing, where it can also embed: the probability of an unknown token says nothing."""
    if "embed" not in model.capabilities:
        return {}
    every = [(role, word) for role, some in design.by_role.items() for word in some]
    shown = {one: one[1].replace("_", " ") for one in every}
    if design.lower_case:
        shown = {one: written.lower() for one, written in shown.items()}
    unknown = unknown_words(model, {"all": shown.values()}, WordOptions())
    return {one: unknown[written] for one, written in shown.items() if written in unknown}
