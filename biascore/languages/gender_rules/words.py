"""A list of words and endings, and whether a word is in it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_LONGEST: Final = 100
_REPEATED: Final = re.compile(r"\)[*+{]")
_SPECIAL: Final = re.compile(r"[][\\^$.|?*+(){}]")


class WordSet:
    """Words (``"bol"``) and endings (``"-la"``); either may be a regular expression, in lower case.

    Raises re.error for an expression that cannot be compiled, or would take forever on some word: one that repeats a group
    or more than two parts. A word of more than 100 characters matches no expression. Most entries are plain, and are looked
    up without an expression: a corpus has tens of thousands of distinct words, each asked for in every list.
    """

    __slots__ = ("_endings", "_pattern", "plain")

    def __init__(self, entries: Iterable[str]) -> None:
        plain: set[str] = set()
        endings: list[str] = []
        patterns: list[str] = []
        for entry in entries:
            if _SPECIAL.search(entry):
                if _REPEATED.search(entry) or sum(map(entry.count, "*+{")) > 2:
                    raise re.error("it repeats a group, or more than two parts, which may take forever")
                patterns.append(f".*(?:{entry[1:]})" if entry.startswith("-") else f"(?:{entry})")
            elif entry.startswith("-"):
                endings.append(entry[1:])
            else:
                plain.add(entry)
        self.plain = frozenset(plain)
        self._endings = tuple(endings)
        self._pattern = re.compile("|".join(patterns)) if patterns else None

    def __contains__(self, word: str) -> bool:
        return (
            word in self.plain
            or word.endswith(self._endings)
            or (
                self._pattern is not None
                and len(word) <= _LONGEST
                and self._pattern.fullmatch(word) is not None
            )
        )

    @property
    def is_closed(self) -> bool:
        """Whether it holds plain words only."""
        return not self._endings and self._pattern is None
