"""Questions with options: how they are written out, and what a model chose by what it gives; the same for every adapter."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import exp, fsum, log
from string import ascii_uppercase
from typing import Final

import numpy as np

from biascore.models.questions import Choice, Chosen, Outcome, Way

LETTERS: Final = ascii_uppercase
"""By which options are listed: A, B, C, ..."""
_THOUGHTS: Final = re.compile(r"^\s*<think>.*?</think>", re.DOTALL)
_MARKS: Final = "*_`\"'“”‘’ \t\r\n"
_LETTER_FIRST: Final = re.compile(r"\(?([A-Z])(?:[).:\]]+|\s*$|\s*\n)\s*(.*)", re.DOTALL)
_ANSWER_IS: Final = re.compile(r"\b(?:answer|option|choice)(?:\s+is)?\s*:?\s*", re.IGNORECASE)
_SENTENCE: Final = re.compile(r"[.!?]\s|\n")
_REFUSES: Final = re.compile(
    r"(?:i['’]?m sorry|i am sorry|sorry\b|i can(?:no|['’])t\b|i won['’]t\b|i will not\b|i['’]?m (?:unable|not able)\b|"
    r"i am (?:unable|not able)\b|as an ai\b|lo siento\b|no puedo\b|mi dispiace\b|non posso\b|je suis désolée?\b|"
    r"je ne peux pas\b|es tut mir leid\b|ich kann (?:das |diese frage )?nicht\b|przykro mi\b|nie mogę\b)",
    re.IGNORECASE,
)


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


def by_text(question: Choice, said: str, order: Sequence[int]) -> Chosen:
    """What an answer in words chooses of the options, written_out in this order, by rules that need no judgement.

    An option is chosen where the answer begins with its letter, or with its whole text in a sentence that names no other, or
    has either after "answer is" (option, choice). An answer that begins by declining is refused; one that names options
    elsewhere, or a letter with the text of another option, undetermined; any other, or one that has no end of its thoughts,
    unreadable.
    """
    text = _THOUGHTS.sub("", said).strip(_MARKS)
    named: int | None = None
    outcome: Outcome = "unreadable"
    if not text.startswith("<think>"):
        named, outcome = _read(question, text, order)
    nothing = (float("nan"),) * len(question.options)
    return Chosen("text", nothing, named, outcome, said)


def refused(question: Choice, said: str) -> Chosen:
    """The answer of a model that says by other means than words that it declines."""
    return Chosen("text", (float("nan"),) * len(question.options), None, "refused", said)


def missing(question: Choice, way: Way) -> Chosen:
    """No answer, of a source of answers that has none to this question."""
    return Chosen(way, (float("nan"),) * len(question.options), None, "missing")


def refuses(said: str) -> bool:
    """Whether a text begins by declining, in one of the languages of the audit."""
    return bool(_REFUSES.match(said.strip(_MARKS)))


def _read(question: Choice, text: str, order: Sequence[int]) -> tuple[int | None, Outcome]:
    options = [_plain(option) for option in question.options]
    if _plain(text) in options:
        return options.index(_plain(text)), "chosen"
    found = _at_start(text, options, order)
    if found is None and _REFUSES.match(text):
        return None, "refused"
    if found is None:
        after = [
            _at_start(text[match.end() :].lstrip(_MARKS), options, order)
            for match in _ANSWER_IS.finditer(text)
        ]
        told = {one for some in after if some is not None for one in some}
        found = told or None
    if found is None:
        found = {i for i, option in enumerate(options) if _begins(_plain(text), option, anywhere=True)}
        return None, "undetermined" if found else "unreadable"
    return (min(found), "chosen") if len(found) == 1 else (None, "undetermined")


def _at_start(text: str, options: Sequence[str], order: Sequence[int]) -> set[int] | None:
    """The options that the text begins with: that of its letter, or those of its first sentence; None without any."""
    letter = _LETTER_FIRST.match(text)
    named: set[int] = set()
    if letter and LETTERS.index(letter[1]) < len(order):
        named.add(order[LETTERS.index(letter[1])])
        text = letter[2]
    words = _plain(_SENTENCE.split(text, maxsplit=1)[0])
    starts = [i for i, option in enumerate(options) if _begins(words, option)]
    if not starts:
        return named or None
    longest = max(starts, key=lambda i: len(options[i]))
    rest = words[len(options[longest]) :]
    others = {i for i, option in enumerate(options) if _begins(rest, option, anywhere=True)}
    return {*named, longest} | (set() if named else others)


def _begins(text: str, option: str, *, anywhere: bool = False) -> bool:
    pattern = rf"(?<!\w){re.escape(option)}(?!\w)"
    return bool(re.search(pattern, text) if anywhere else re.match(pattern, text))


def _plain(text: str) -> str:
    """Without case, white space and marks around it."""
    return re.sub(r"\s+", " ", text.strip(_MARKS + ".!?,;:()")).casefold()


def _largest(
    way: Way, logprobs: tuple[float, ...], *, tokens: tuple[int, ...] = (), outside: float = float("nan")
) -> Chosen:
    best = max(logprobs)
    at = [i for i, value in enumerate(logprobs) if value == best]
    chosen = at[0] if len(at) == 1 else None
    outcome: Outcome = "chosen" if chosen is not None else "undetermined"
    return Chosen(way, logprobs, chosen, outcome, tokens=tokens, outside=outside)
