"""The questions that go through the hooks and the answers that come back: plain frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import Final, Literal

from biascore.basics.wording import quoted
from biascore.errors import QuestionError

Span = tuple[int, int]
"""Half-open range of characters (code points) in the caller's own text."""

NOT_ASKED: Final = "\0not asked"
"""What ``translate`` answers of a text that a model of given answers does not hold."""

Level = Literal["sentence", "token"]
"""What an embedding represents: the whole text, or the word under a span."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text to embed and, for ``level="token"``, the span of the word that is meant.

    Raises ValueError where the span is empty or lies outside the text.
    """

    text: str
    span: Span | None = None

    def __post_init__(self) -> None:
        if self.span is not None:
            _check_span(self.text, self.span)

    @classmethod
    def word(cls, word: str) -> Text:
        """The word alone, meant as a whole: valid at both levels."""
        return cls(word, (0, len(word)) if word else None)


@dataclass(frozen=True, slots=True)
class Masked:
    """A text with parts hidden, asking how probable the text's own tokens are there.

    ``spans`` are hidden and asked for, all at once, or one sub-token at a time with
    ``one_at_a_time`` (pseudo-log-likelihood, Salazar et al. 2020); None means every token.
    ``also`` is hidden too but not asked for (the prior of Kurita et al. 2019). One at a time, ``pll``
    says what else is hidden: nothing ("original"), or the later sub-tokens of the same word
    ("within_word_l2r", Kauf & Ivanova 2023).
    """

    text: str
    spans: tuple[Span, ...] | None
    also: tuple[Span, ...] = ()
    one_at_a_time: bool = False
    pll: Literal["original", "within_word_l2r"] = "original"

    def __post_init__(self) -> None:
        for span in (*(self.spans or ()), *self.also):
            _check_span(self.text, span)

    @property
    def in_sight(self) -> str:
        """The text without what the question hides."""
        hidden = sorted({*(self.spans or ()), *self.also}) if not self.one_at_a_time else []
        parts, start = [], 0
        for span in hidden:
            parts.append(self.text[start : span[0]])
            start = max(start, span[1])
        return "\0".join([*parts, self.text[start:]])


@dataclass(frozen=True, slots=True)
class TokenLogprobs:
    """The hidden tokens in reading order, their character offsets, and their log-probabilities in nats.

    All three are empty where the model reads nothing under one of the spans.
    """

    tokens: tuple[str, ...]
    offsets: tuple[Span, ...]
    logprobs: tuple[float, ...]

    @property
    def total(self) -> float:
        """Sum of the log-probabilities, in nats."""
        return sum(self.logprobs)


@dataclass(frozen=True, slots=True)
class Continuation:
    """A text that follows a prompt, asking how probable the text is there: a question of ``score``.

    The two are read as one, ``prompt + text``, so a space between them is part of the ``text``. Scored are the tokens
    from the first one that differs from those of the prompt alone. Where a model has a chat template, the prompt is put
    as a user's message, and the text begins the answer. Raises ValueError for a blank prompt or an empty text.
    """

    prompt: str
    text: str

    def __post_init__(self) -> None:
        if not self.prompt.strip():
            raise ValueError("the prompt of a continuation is blank. Score the text alone, as a plain string")
        if not self.text:
            raise ValueError(f"the continuation of {self.prompt!r} is empty, and nothing has no probability")


Way = Literal["likelihood", "letters", "text"]
"""How a model is asked to choose; the answers of two ways are not comparable."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A question with options, and which of them the model chooses.

    ``order`` is the order in which the options are listed: places in ``options``, all of them, by default as they are.
    ``instruction`` follows the list of options, where there is one. ``item`` is what its benchmark calls the question; no
    model reads it, and answers given before are found by it. ``seed``: the answer is drawn with it, by text, at temperature
    1, the model's own distribution; None: it is the most probable one. Raises ValueError for a blank prompt or option, for
    less than two options or more than 26, for two that are the same, and for another order.
    """

    prompt: str
    options: tuple[str, ...]
    order: tuple[int, ...] = ()
    instruction: str = "Answer with one letter.\nAnswer:"
    item: str = ""
    seed: int | None = None

    def __post_init__(self) -> None:
        if not self.prompt.strip():
            raise ValueError("a question with options has a prompt, and this one is blank")
        if not 2 <= len(self.options) <= 26:
            raise ValueError(f"{self.prompt!r} has {len(self.options)} options; it needs 2 to 26")
        if not all(option.strip() for option in self.options):
            raise ValueError(f"an option of {self.prompt!r} is blank")
        if len({option.strip().casefold() for option in self.options}) < len(self.options):
            raise ValueError(f"two options of {self.prompt!r} are the same: {', '.join(self.options)}")
        if self.order and sorted(self.order) != list(range(len(self.options))):
            raise ValueError(f"the order {self.order} does not name each of {len(self.options)} options once")


Outcome = Literal["chosen", "refused", "unreadable", "undetermined", "missing"]
"""An option was chosen; the model declines to answer; what it says names no option; it names several, or a tie; of answers
given before, this one is not there."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a model chose of a ``Choice``, or why nothing, and how it was asked.

    ``logprobs``: the log-probability of each option in nats, NaN where the way of asking gives none. By "likelihood" that is
    the sum over the tokens of the option, whose numbers are ``tokens``; by "letters" the logarithm of the probability of its
    letter, averaged over all cyclic orders, and ``outside`` is the probability that no letter has. ``said``: the text
    that was generated. ``why``: why no option was chosen, in a few words that are the same for answers of one kind.
    """

    way: Way
    logprobs: tuple[float, ...]
    chosen: int | None
    outcome: Outcome = "chosen"
    said: str = ""
    tokens: tuple[int, ...] = ()
    outside: float = nan
    why: str = ""


@dataclass(frozen=True, slots=True)
class Familiarity:
    """Whether a model has met a word in training, how often as far as it can tell, and else in which other spelling.

    ``seen`` is false for a word that is out of vocabulary and for one whose vector is assembled from pieces
    (character n-grams); ``spelling`` is then a form of the word in other case or normalisation that the model has
    seen, or empty. Of a phrase that is seen it is the one word that represents it, such as New_York. ``rank``
    is the word's place in a vocabulary that runs from the most to the least frequent word, 1 for the first; a word
    that is no entry stands behind all of them, and None says that there is no such order. ``tokens`` are the pieces that a
    tokenizer reads it in, None for a model of whole words. Raises ValueError where either is below 1.
    """

    seen: bool = True
    spelling: str = ""
    rank: int | None = None
    tokens: int | None = None

    def __post_init__(self) -> None:
        for name, value in (("rank", self.rank), ("tokens", self.tokens)):
            if value is not None and value < 1:
                raise ValueError(f"{name} is {value}; the least is 1, and None says that there is none")


def _check_span(text: str, span: Span) -> None:
    start, end = span
    if not 0 <= start < end <= len(text):
        raise ValueError(
            f"span {span} is not a non-empty range within the {len(text)} characters of {text!r}"
        )


def check_text(text: str, whose: str = "") -> None:
    """Raise QuestionError, which begins with ``whose``, for a text that is blank or holds half of a surrogate pair."""
    named = f"{whose and f'{whose}: '}the text {quoted(text)}"
    if not text.strip():
        raise QuestionError(f"{named} is blank. Leave it out")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise QuestionError(
            f"{named} has half of a surrogate pair at {error.start}, which is not a character. Read its file with the right "
            "encoding"
        ) from error
