"""What a model says of probe sentences: which it finds least perplexing, and how strongly their words go together.

Shrestha, Tay & Srinivasan 2025, section 2: perplexity, choice and balance, association.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from biascore.api.metrics import Coverage, LostWord, Model
from biascore.api.queries import Masked
from biascore.designs.words import WordOptions, unknown_words
from biascore_metrics.robust.probes import SIGNS, Design, Place, Probe

DROPPED: Final = "the tokenizer drops all of its characters"
WORD: Final = re.compile(r"\w+|[^\w\s]")
MEAN_LOG_LIKELIHOOD: Final = "mean_log_likelihood"


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
    missing = {role: [word for word in some if (role, word) in lost] for role, some in words.items()}
    return Coverage(
        given={role: len(some) for role, some in words.items()},
        used={role: len(some) - len(missing[role]) for role, some in words.items()},
        lost=tuple(
            LostWord(word=word, role=role, reason=lost[role, word])
            for role, some in missing.items()
            for word in some
        ),
    )


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
