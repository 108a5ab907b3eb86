"""The words that only one gender's reference has, and which of them a translation holds (Currey et al. 2022, section 5)."""

from __future__ import annotations

import re
import string
from typing import Final, Literal, TypeAlias

Outcome: TypeAlias = Literal["correct", "incorrect", "both", "neither"]
OUTCOMES: Final[tuple[Outcome, ...]] = ("correct", "incorrect", "both", "neither")

_NO_PUNCTUATION: Final = str.maketrans(string.punctuation, " " * len(string.punctuation))
_PRONOUNS: Final = {
    "feminine": frozenset({"she", "her", "hers", "herself"}),
    "masculine": frozenset({"he", "him", "his", "himself"}),
}


def words_of(text: str) -> frozenset[str]:
    """The words of a text as the published code has them: in lower case, ASCII punctuation read as spaces."""
    return frozenset(text.lower().translate(_NO_PUNCTUATION).split())


def own_words(own: str, other: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words that one reference has alone, and those that the reference of the other gender has alone."""
    first, second = words_of(own), words_of(other)
    return first - second, second - first


def outcome(translation: str, own: frozenset[str], other: frozenset[str]) -> Outcome:
    """Which gender's words a translation holds: its own, the other's, both, or neither."""
    found = words_of(translation)
    if found & own:
        return "both" if found & other else "correct"
    return "incorrect" if found & other else "neither"


def told_gender(english: str) -> str:
    """``feminine`` or ``masculine``, if English pronouns are of that gender alone; else an empty text."""
    found = [gender for gender, pronouns in _PRONOUNS.items() if words_of(english) & pronouns]
    return found[0] if len(found) == 1 else ""


SEPARATOR: Final = "<sep>"
_SEPARATOR: Final = re.compile(r"<\s*sep\s*>", re.IGNORECASE)


def last_part(text: str) -> str:
    """What follows the last separator of context and sentence; the whole text without one."""
    return _SEPARATOR.split(text)[-1].strip()
