"""The increased log-probability of every target with every attribute in every template.

Kurita, Vyas, Pareek, Black & Tsvetkov 2019, section 2; equations 4-6 of Puttick & Kurpicz-Briki 2025.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.plugins_api import Coverage, LostWord, Masked, Model, Span, Test, TokenLogprobs
from biascore_metrics.lpbs.options import ATTRIBUTE, TARGET, LpbsOptions, Subtokens
from biascore_metrics.vocabulary import unknown_words
from biascore_metrics.weat.words import ROLES
from biascore_metrics.words import distinct_words

DROPPED: Final = "the tokenizer drops all of its characters"
TARGETS: Final = ("X", "Y")
ATTRIBUTES: Final = ("A", "B")


@dataclass(frozen=True, slots=True)
class Filled:
    """A template with a target and an attribute in place, and where they stand."""

    text: str
    target: Span
    attribute: Span

    @classmethod
    def of(cls, template: str, target: str, attribute: str) -> Filled:
        """The template with both words as they are listed."""
        words = {TARGET: target, ATTRIBUTE: attribute}
        text, spans, rest = "", {}, template
        for slot in sorted(words, key=template.index):
            before, _, rest = rest.partition(slot)
            start = len(text) + len(before)
            spans[slot] = (start, start + len(words[slot]))
            text += before + words[slot]
        return cls(text + rest, spans[TARGET], spans[ATTRIBUTE])

    def questions(self) -> tuple[Masked, Masked]:
        """p_tgt: the target hidden, the attribute in sight; p_prior: both hidden, the target asked for."""
        return Masked(self.text, (self.target,)), Masked(self.text, (self.target,), also=(self.attribute,))


@dataclass(frozen=True, slots=True)
class Increase:
    """asc(x, a) = log p_tgt - log p_prior in nats, for the usable words of each role, in list order.

    ``asc`` has shape (templates, targets, attributes), X before Y and A before B; ``beside`` is the same with the other
    reading of a target's sub-tokens, their mean in place of their sum. ``n_tokens`` (targets,) is their number.
    """

    words: Mapping[str, tuple[str, ...]]
    asc: npt.NDArray[np.float64]
    beside: npt.NDArray[np.float64]
    n_tokens: npt.NDArray[np.int64]
    coverage: Coverage


def measure_increase(model: Model, test: Test, options: LpbsOptions) -> Increase:
    """Ask for all log-probabilities in one call.

    A word is lost that the tokenizer drops, and, where the model can also embed, one that it knows
    nothing of, because the probability of an unknown token says nothing of the word.
    """
    kept, lost = distinct_words({role: test.roles[role].words for role in ROLES}, options)
    targets, attributes = _both(kept, TARGETS), _both(kept, ATTRIBUTES)
    shape = len(options.templates), len(targets), len(attributes)
    queries = [
        query
        for template in options.templates
        for _, target in targets
        for _, attribute in attributes
        for query in Filled.of(template, target, attribute).questions()
    ]
    answers = model.mask_logprob(queries, unread="empty")
    asked_for = options.subtokens
    tgt, prior = (_log_probabilities(answers[first::2], shape, asked_for) for first in (0, 1))
    other_tgt, other_prior = (
        _log_probabilities(answers[first::2], shape, other_reading(asked_for)) for first in (0, 1)
    )
    n_tokens = np.array([len(answer.tokens) for answer in answers[::2]]).reshape(shape).max(axis=(0, 2))
    dropped: npt.NDArray[np.bool_] = np.asarray(np.isnan(tgt).any(axis=(0, 2)))
    # With its target read, a prior that is not there lacks its attribute.
    dropped_attributes: npt.NDArray[np.bool_] = np.asarray(np.isnan(prior[:, ~dropped]).any(axis=(0, 1)))
    reasons = {word: DROPPED for word, gone in zip(targets, dropped, strict=True) if gone}
    reasons |= {word: DROPPED for word, gone in zip(attributes, dropped_attributes, strict=True) if gone}
    if "embed" in model.capabilities:
        read = [word for word in (*targets, *attributes) if word not in reasons]
        unknown = unknown_words(model, {"read": [word for _, word in read]}, options)
        reasons |= {(role, word): unknown[word] for role, word in read if word in unknown}
    lost += [
        LostWord(word=word, role=role, reason=reasons[role, word])
        for role, word in (*targets, *attributes)
        if (role, word) in reasons
    ]
    usable = {role: tuple(word for word in kept[role] if (role, word) not in reasons) for role in ROLES}
    rows = [i for i, word in enumerate(targets) if word not in reasons]
    columns = [i for i, word in enumerate(attributes) if word not in reasons]
    return Increase(
        words=usable,
        asc=(tgt - prior)[:, rows][:, :, columns],
        beside=(other_tgt - other_prior)[:, rows][:, :, columns],
        n_tokens=n_tokens[rows],
        coverage=Coverage(
            given={role: len(test.roles[role].words) for role in ROLES},
            used={role: len(usable[role]) for role in ROLES},
            lost=tuple(lost),
        ),
    )


def _both(words: Mapping[str, Sequence[str]], roles: tuple[str, str]) -> list[tuple[str, str]]:
    return [(role, word) for role in roles for word in words[role]]


def other_reading(subtokens: Subtokens) -> Subtokens:
    """The mean of a target's sub-tokens for their sum, and the other way round."""
    return "mean" if subtokens == "sum" else "sum"


def _log_probabilities(
    answers: Sequence[TokenLogprobs], shape: tuple[int, int, int], subtokens: Subtokens
) -> npt.NDArray[np.float64]:
    """Sum or mean of the log-probabilities of each answer's sub-tokens; NaN where there are none."""
    totals = [answer.total if answer.tokens else math.nan for answer in answers]
    counts = [1 if subtokens == "sum" else max(1, len(answer.tokens)) for answer in answers]
    return (np.array(totals) / counts).reshape(shape)
