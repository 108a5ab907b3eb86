"""Prompts to which a model writes a text of its own, and what became of each: written, refused, empty or cut."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from math import isfinite
from typing import Final, Literal, get_args

from biascore.models.questions.other_language import declines
from biascore.models.questions.reasoning import text_in

Finish = Literal["stop", "length", "filter", "unknown"]
"""Why a text ends: the model ended it, it reached its bound, a service withheld it, or nobody says."""
Outcome = Literal["written", "refused", "empty", "cut", "missing"]
"""Exactly one of: a text that the model ended; it declines; there is no text; the text, or the thoughts before it, does not
end; of texts written before, this one is not there."""
FINISHES: Final[tuple[Finish, ...]] = get_args(Finish)
OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)
_UNENDED: Final = "it does not end within its tokens"


@dataclass(frozen=True, slots=True)
class Settings:
    """How texts are written: of at most ``max_tokens`` tokens, thoughts included, each token drawn at ``temperature``.

    At temperature 0 each is the most probable one. ``top_p``: drawn are only the most probable tokens that have this
    probability together. Raises ValueError for what cannot be.
    """

    max_tokens: int = 256
    temperature: float = 0.0
    top_p: float = 1.0

    def __post_init__(self) -> None:
        if self.max_tokens < 1:
            raise ValueError(f"max_tokens is {self.max_tokens}, and a text has 1 or more")
        if not (isfinite(self.temperature) and self.temperature >= 0):
            raise ValueError(f"temperature is {self.temperature}. Give 0 for the most probable text, or more")
        if not 0 < self.top_p <= 1:
            raise ValueError(f"top_p is {self.top_p}. Give a probability above 0, and 1 for all tokens")

    @property
    def drawn(self) -> bool:
        """Whether samples of one prompt are draws; at temperature 0 they are one text, however often it is written."""
        return self.temperature > 0

    @property
    def told(self) -> str:
        """The settings in words, for the conventions of a measurement."""
        tail = f", top_p {self.top_p:g}" if self.top_p < 1 else ""
        how = (
            f"at temperature {self.temperature:g}{tail}" if self.drawn else "token by token the most probable"
        )
        return f"at most {self.max_tokens} tokens, {how}"


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is asked to write to: a user's message, after a ``system`` prompt if there is one.

    ``sample`` numbers the texts that are wanted of one prompt, from 0: each is a query of its own, drawn with ``seed`` and
    this number. ``item`` is what its test calls the prompt; no model reads it. Raises ValueError for a blank text and
    for a negative number.
    """

    text: str
    system: str | None = None
    seed: int = 0
    sample: int = 0
    item: str = ""

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise ValueError("the text of a prompt is blank")
        if self.system is not None and not self.system.strip():
            raise ValueError(f"the system prompt of {self.text!r} is blank. Leave it out")
        if self.seed < 0 or self.sample < 0:
            raise ValueError(
                f"seed and sample of {self.text!r} are {self.seed} and {self.sample}; the least is 0"
            )

    @property
    def draw(self) -> int:
        """The seed of this sample, of 31 bits: it differs for each seed and sample number."""
        both = f"{self.seed}\0{self.sample}".encode()
        return int.from_bytes(hashlib.blake2b(both, digest_size=4).digest()) >> 1


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote to a `Prompt`, and the one ``outcome`` that it has.

    ``text``: what it wrote for its reader, without thoughts and the marks of turns; of an outcome "cut" as far as it got,
    and empty where it ends within its thoughts. ``finish``: why it ends. ``tokens``: how many were generated, thoughts
    included; None where nobody says. ``said``: all of it, as it came. ``why``: why it is not "written", in a few words
    that are the same for answers of one kind.
    """

    text: str
    finish: Finish
    tokens: int | None
    outcome: Outcome
    said: str = ""
    why: str = ""


def as_written(
    prompt: Prompt, said: str, finish: Finish, tokens: int | None = None, *, declined: bool = False
) -> Written:
    """What became of a prompt whose answer is ``said``; ``declined``: the model says so by other means than words.

    Thoughts are none of it. It is refused where it `declines`, whether or not it ends; else cut where it, or its
    thoughts, does not end; else empty where nothing is left. What a model goes on with that reaches its bound, as a further
    question, is no part of the text. Half of a surrogate pair, which is no character, becomes U+FFFD.
    """
    said = said.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\ufffd")
    text, problem = text_in(said, prompt.text, ended=finish != "length")

    def found(outcome: Outcome, why: str = "") -> Written:
        return Written(text, finish, tokens, outcome, said, why)

    if declined or finish == "filter" or declines(text):
        return found("refused")
    if finish == "length":
        return found("cut", problem or _UNENDED)
    if problem.startswith("its thoughts"):
        return found("cut", problem)
    if not text:
        return found("empty", problem)
    return found("written")


def unwritten() -> Written:
    """No text, of a source of texts that has none to this prompt."""
    return Written("", "unknown", None, "missing")
