"""Questions with options, as a planted model answers them."""

from __future__ import annotations

from collections.abc import Callable

from biascore.api.queries import Choice, Chosen, Way, by_likelihood, by_text, order_of
from biascore_adapters.planted.questions import told

WAYS: tuple[Way, ...] = ("likelihood", "text")
LogProbs = Callable[[str, str], list[float]]
"""log p of each word of an option after a prompt."""


def chosen(question: Choice, way: Way, logprobs: LogProbs) -> Chosen:
    """By the log-probabilities of each option's words after the prompt; by text, the most probable option is said."""
    own = [logprobs(question.prompt, option) for option in question.options]
    found = by_likelihood([sum(words) for words in own], [len(words) for words in own])
    if way == "likelihood" or found.chosen is None:
        return found if way == "likelihood" else by_text(question, "", order_of(question))
    return told(question, way, found.chosen)
