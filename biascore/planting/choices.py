"""Questions with options, as a planted model answers them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from biascore.models.questions.choosing import LETTERS, by_likelihood, by_text, order_of
from biascore.models.questions.questions import Choice, Chosen, Way
from biascore.planting.lexicon import generator

WAYS: tuple[Way, ...] = ("likelihood", "text")
"""The ways in which planted models choose."""
LogProbs = Callable[[str, str], list[float]]
"""log p of each word of an option after a prompt."""


def chosen(question: Choice, way: Way, logprobs: LogProbs, seed: int) -> Chosen:
    """By the log-probabilities of each option's words after the prompt.

    By text, the most probable option is said, or one that is drawn where the question has a seed.
    """
    own = [logprobs(question.prompt, option) for option in question.options]
    if question.seed is not None:
        return told(question, way, drawn(question, [sum(words) for words in own], seed))
    found = by_likelihood([sum(words) for words in own], [len(words) for words in own])
    if way == "likelihood" or found.chosen is None:
        return found if way == "likelihood" else by_text(question, "", order_of(question))
    return told(question, way, found.chosen)


def drawn(question: Choice, logprobs: Sequence[float], seed: int) -> int:
    """The place of an option, drawn with the question's seed from the softmax of their log-probabilities."""
    rng = generator(seed, "draw", str(question.seed), question.prompt, *question.options)
    return int(np.argmax(np.asarray(logprobs) + rng.gumbel(size=len(logprobs))))


def told(asked: Choice, way: Way, place: int) -> Chosen:
    """The option at this place: the most probable one, or by its letter and text."""
    if way == "likelihood":
        logprobs = [-1.0 if i == place else -3.0 for i in range(len(asked.options))]
        return by_likelihood(logprobs, [len(option.split()) for option in asked.options])
    order = order_of(asked)
    return by_text(asked, f"{LETTERS[order.index(place)]}. {asked.options[place]}", order)
