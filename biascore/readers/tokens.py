"""A text as tokens with their sentences, and the parts of it that are not read: what somebody else says."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from biascore.models.questions.questions import Span

_TOKEN: Final = re.compile(r"[^\W\d_][^\W\d_\u0300-\u036f]*[\u0300-\u036f]*[^\W\d_]*|\d+|[^\w\s]|\n")
_ENDS: Final = frozenset(".!?…\n")
_QUOTED: Final = re.compile(
    r"“[^”\n]*(?:”|$)|„[^“”\"\n]*[“”\"]|«[^»\n]*(?:»|$)|»[^«\n]*«|‹[^›\n]*›|(?<!\d)\"[^\"\n]*(?:\"|$)"
    r"|(?<!\w)‘(?=[^\s])[^\n]{0,1000}?[,.!?…]’|(?<!\w)'(?=[^\s'])[^\n\"]{0,1000}?[,.!?…]'(?!\w)",
    re.MULTILINE,
)
_SPEECH: Final = re.compile(r"^\s*[—–]\s?(?=[^\s\d])[^\n]*", re.MULTILINE)
_WORDS: Final = re.compile(r"[^.!?…\n]")
_DASH: Final = re.compile(r"\s[—–]\s?|[—–](?=\w)")


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number or mark: as written, in lower case, its place, the number of its sentence."""

    written: str
    text: str
    span: Span
    sentence: int

    @property
    def is_word(self) -> bool:
        """Whether it begins with a letter."""
        return self.written[0].isalpha()

    @property
    def is_capital(self) -> bool:
        """Whether it begins with a capital letter."""
        return self.written[0].isupper()


def tokens_of(text: str, abbreviations: Collection[str] = ()) -> list[Token]:
    """Words, numbers and marks in reading order; a full stop after an abbreviation or an initial is left out."""
    found: list[Token] = []
    sentence = 0
    for match in _TOKEN.finditer(text):
        written = match.group()
        if written == "." and found and found[-1].span[1] == match.start():
            before = found[-1]
            initial = len(before.written) == 1 and before.is_capital and before.text != "i"
            if before.text in abbreviations or initial:
                continue
        if written != "\n":
            lower = unicodedata.normalize("NFC", written).lower()
            found.append(Token(written, lower, match.span(), sentence))
        sentence += written in _ENDS
    return found


def masked(text: str, never: Iterable[re.Pattern[str]] = ()) -> str:
    """The text with blanks for what others say and for what is never read; every offset stays.

    What is between quotation marks, or after a dash that begins a line, is said by somebody. A text that is quoted whole is
    read: then the marks are the model's.
    """
    spans = [match.span() for match in _QUOTED.finditer(text)]
    left = blanked(text, spans)
    if not any(c.isalpha() for c in left):
        left = text
    spans = []
    for line in _SPEECH.finditer(left):
        cuts = [
            line.start(),
            *(m.start() for m in _DASH.finditer(left, line.start() + 2, line.end())),
            line.end(),
        ]
        spans += [(cuts[at], cuts[at + 1]) for at in range(0, len(cuts) - 1, 2)]
    left = blanked(left, spans)
    left = left.replace("’", "'")
    for pattern in never:
        left = blanked(left, [match.span() for match in pattern.finditer(left)])
    return left


def blanked(text: str, spans: Iterable[Span]) -> str:
    """The text with blanks in the place of some spans; the end of a sentence in them stays one."""
    for start, end in spans:
        text = text[:start] + _WORDS.sub(" ", text[start:end]) + text[end:]
    return text


def sentences_of(tokens: Iterable[Token]) -> list[tuple[int, int]]:
    """Where each sentence of a text begins and ends."""
    spans: dict[int, tuple[int, int]] = {}
    for token in tokens:
        start, _ = spans.get(token.sentence, token.span)
        spans[token.sentence] = (start, token.span[1])
    return [*spans.values()]
