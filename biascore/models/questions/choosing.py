"""Questions with options: how they are written out, and what a model chose by what it gives; the same for every adapter."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, fsum, log

import numpy as np

from biascore.models.questions.other_language import refuses as refuses
from biascore.models.questions.questions import Choice, Chosen, Outcome, Way
from biascore.models.questions.said import LETTERS as LETTERS
from biascore.models.questions.said import read


def order_of(question: Choice) -> tuple[int, ...]:
    """The order in which the options are written_out: places in ``options``."""
    return question.order or tuple(range(len(question.options)))


def rotations(question: Choice) -> tuple[tuple[int, ...], ...]:
    """All cyclic orders of the options: each of them stands at each letter once."""
    order = order_of(question)
    return tuple(order[shift:] + order[:shift] for shift in range(len(order)))


def written_out(question: Choice, order: Sequence[int]) -> str:
    """The prompt with the options by letter, in this order, and the instruction."""
    lines = [f"{letter}. {question.options[i]}" for letter, i in zip(LETTERS, order, strict=False)]
    return "\n".join([question.prompt, *lines, question.instruction])


def by_likelihood(logprobs: Sequence[float], tokens: Sequence[int]) -> Chosen:
    """The option with the largest summed log-probability; a tie is undetermined."""
    return _largest("likelihood", tuple(logprobs), tokens=tuple(tokens))


def by_letters(question: Choice, logprobs: Sequence[Sequence[float]]) -> Chosen:
    """The option whose letter is the most probable next token, on average over the cyclic orders; a tie is undetermined.

    ``logprobs``: one row for each of `rotations`, in it the log-probability of each letter. -inf: outside what a model
    tells.
    """
    probabilities: list[list[float]] = [[] for _ in question.options]
    for order, row in zip(rotations(question), logprobs, strict=True):
        for option, value in zip(order, row, strict=True):
            probabilities[option].append(exp(value))
    means = [fsum(own) / len(own) for own in probabilities]
    lowest = float(np.finfo(np.float64).tiny)
    found = tuple(min(0.0, log(max(mean, lowest))) for mean in means)
    return _largest("letters", found, outside=max(0.0, 1 - fsum(means)))


def by_text(question: Choice, said: str, order: Sequence[int], labels: Sequence[str] = LETTERS) -> Chosen:
    """What an answer in words chooses of the options, written_out in this order, by rules that need no judgement.

    Thoughts before the answer are none of it. An option is chosen where the answer begins with its label, or with its whole
    text in a sentence that names no other and is no question, or has either after "answer is", in a box or under a key of
    JSON. An answer that begins by declining is refused; one that names options elsewhere, several, a label with the text of
    another option, or another one at its start than after "answer is", is undetermined; any other unreadable. ``why`` has
    the reason.
    """
    found = read(question, said, order, labels)
    nothing = (float("nan"),) * len(question.options)
    return Chosen("text", nothing, found.chosen, found.outcome, said, why=found.why)


def refused(question: Choice, said: str) -> Chosen:
    """The answer of a model that says by other means than words that it declines."""
    return Chosen("text", (float("nan"),) * len(question.options), None, "refused", said)


def missing(question: Choice, way: Way) -> Chosen:
    """No answer, of a source of answers that has none to this question."""
    return Chosen(way, (float("nan"),) * len(question.options), None, "missing")


def _largest(
    way: Way, logprobs: tuple[float, ...], *, tokens: tuple[int, ...] = (), outside: float = float("nan")
) -> Chosen:
    best = max(logprobs)
    at = [i for i, value in enumerate(logprobs) if value == best]
    chosen = at[0] if len(at) == 1 else None
    outcome: Outcome = "chosen" if chosen is not None else "undetermined"
    return Chosen(way, logprobs, chosen, outcome, tokens=tokens, outside=outside)
