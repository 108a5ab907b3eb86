"""The scores of the three sentences of each example, as published and by the mean of log-probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.api.metrics import Model
from biascore.api.queries import Continuation, Masked, TokenLogprobs
from biascore.designs.pairs.lengths import lengths_of
from biascore_metrics.stereoset.items import BLANK, LABELS, Triple

Floats = npt.NDArray[np.float64]
START_ONCE: Final = "log_likelihood_start_once"
UNREAD: Final = "the model reads no token of a word in its blank"
OTHERWISE: Final = (
    "{count} sub-token(s) are read otherwise without the rest of their word; they are asked with it hidden"
)


@dataclass(frozen=True, slots=True)
class Scores:
    """Of the examples that a model could score: the published score (n, 3), and the mean of ln p (n, 3), by `LABELS`.

    ``by_logs``: whether the mean of ln p decides, and not the published score.
    """

    triples: Sequence[Triple]
    published: Floats
    mean_log: Floats
    lost: Sequence[tuple[Triple, str]] = ()
    warnings: tuple[str, ...] = field(default=())
    by_logs: bool = False

    @property
    def deciding(self) -> Floats:
        """(n, 3) The scores that decide which sentence is preferred."""
        return self.mean_log if self.by_logs else self.published

    @property
    def terms(self) -> list[str]:
        """The target term of each example."""
        return [one.target for one in self.triples]

    @property
    def families(self) -> list[str]:
        """What each example is alike by: the family of its term, or the term where it has none."""
        return families_of(self.triples)

    @property
    def fitting(self) -> Floats:
        """(n,) The percentage of stereotype and anti-stereotype that score higher than the unrelated sentence."""
        found: Floats = 100.0 * (self.published[:, :2] > self.published[:, 2:]).mean(axis=1)
        return found


def families_of(triples: Sequence[Triple]) -> list[str]:
    """The family of the term of each, or the term where it has none."""
    return [one.family or one.target for one in triples]


def masked(model: Model, triples: Sequence[Triple]) -> Scores:
    """The mean over the sub-tokens of the word of p(sub-token | context, earlier sub-tokens), later ones absent.

    That is the published score; the other is the mean of ln p.
    """
    words = [(one, place) for one in triples for place in range(len(LABELS))]
    whole = model.mask_logprob(
        [
            Masked(
                one.filled(place),
                ((one.start, one.start + len(one.words[place])),),
                one_at_a_time=True,
                pll="within_word_l2r",
            )
            for one, place in words
        ],
        unread="empty",
    )
    logprobs, otherwise = _without_later(model, words, whole)
    kept = [all(logprobs[3 * i + k] for k in range(3)) for i in range(len(triples))]
    scores = [logprobs[3 * i + k] for i, fine in enumerate(kept) if fine for k in range(3)]
    return Scores(
        [one for one, fine in zip(triples, kept, strict=True) if fine],
        _table([float(np.mean(np.exp(own))) for own in scores]),
        _table([float(np.mean(own)) for own in scores]),
        [(one, UNREAD) for one, fine in zip(triples, kept, strict=True) if not fine],
        (OTHERWISE.format(count=otherwise),) if otherwise else (),
    )


def causal(model: Model, triples: Sequence[Triple]) -> Scores:
    """Of whole sentences: the mean of ln p of the tokens; and its exp where the start token is before the first one alone.

    That is the published score, whose code gives all other tokens nothing before the sentence. A model that cannot be asked
    so has the exp of the mean.
    """
    sentences = [sentence for one in triples for sentence in one.sentences]
    means = _per_token(model, sentences)
    once = START_ONCE in model.identity.quantities
    return Scores(
        triples, np.exp(_per_token(model, sentences, START_ONCE) if once else means), means, by_logs=True
    )


def continued(model: Model, triples: Sequence[Triple]) -> Scores:
    """Of second sentences after their context: log p(sentence | context) / tokens, for both."""
    questions = [Continuation(one.context, f" {sentence}") for one in triples for sentence in one.sentences]
    means = _per_token(model, questions)
    return Scores(triples, means, means, by_logs=True)


def _without_later(
    model: Model, words: Sequence[tuple[Triple, int]], whole: Sequence[TokenLogprobs]
) -> tuple[list[list[float]], int]:
    """For each word the ln p of its sub-tokens while later ones are absent; and how many had to be asked with these hidden.

    Nothing is later than the last one, so that its first answer stands.
    """
    asked: list[tuple[int, int]] = []
    queries = []
    for i, ((one, place), answer) in enumerate(zip(words, whole, strict=True)):
        for k, (start, end) in enumerate(answer.offsets[:-1]):
            begun = one.filled(place)[one.start : end]
            text = one.context.replace(BLANK, begun)
            asked.append((i, k))
            queries.append(Masked(text, ((start, end),)))
    logprobs = [list(answer.logprobs) for answer in whole]
    otherwise = 0
    for (i, k), answer in zip(asked, model.mask_logprob(queries, unread="empty"), strict=True):
        if answer.offsets == whole[i].offsets[k : k + 1]:
            logprobs[i][k] = answer.total
        else:
            otherwise += 1
    return logprobs, otherwise


def _per_token(model: Model, texts: Sequence[str | Continuation], quantity: str = "log_likelihood") -> Floats:
    totals = model.score(texts, quantity, in_nats=True)
    return _table((totals / lengths_of(model, texts)).tolist())


def _table(values: list[float]) -> Floats:
    return np.array(values, dtype=np.float64).reshape(-1, len(LABELS))
