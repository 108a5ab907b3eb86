"""What tools put around every word of a file: quotation marks (R), a language (ConceptNet), a part of speech."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final, Self

from biascore_adapters.fasttext.letters import Letters
from biascore_adapters.fasttext.storage import unusable
from biascore_adapters.fasttext.vectors import Facts, WordVectors

_SAMPLE: Final = 1000
_FEW: Final = 10  # words that can begin alike by chance
_SPECIAL: Final = re.compile(r"[<\[].*[>\]]")
_BEFORE: Final = re.compile(r".*[:/|#_\"'`]")
_AFTER: Final = re.compile(r"[:/|#_@\"'`].*")
_LANGUAGE: Final = re.compile(r"(?:/c/[a-z-]{2,8}/|[a-z]{2,3}[:/])(?=.)")
_TAG: Final = re.compile(r"(?<=.)[_/|#@](?:[A-Z][A-Z0-9$-]{0,7}|[anrsv]|[a-z]{2})")


@dataclass(frozen=True, slots=True)
class Marks:
    """What stands before each word and after it; of several ``after`` the first counts with which the file has a word."""

    before: str = ""
    after: tuple[str, ...] = ("",)

    @classmethod
    def stated(cls, before: str, after: str) -> Self:
        """As the options name them."""
        return cls(before, tuple(after.split(",")))

    def __bool__(self) -> bool:
        return bool(self.before or any(self.after))

    def forms(self, word: str) -> list[str]:
        """How the file may write a word."""
        return [self.before + word + after for after in self.after]

    def bare(self, word: str) -> str | None:
        """A word of the file without them; None for one that has none."""
        if not word.startswith(self.before):
            return None
        rest = word.removeprefix(self.before)
        after = next((after for after in self.after if rest.endswith(after) and len(rest) > len(after)), None)
        return None if after is None else rest[: len(rest) - len(after)]

    @property
    def facts(self) -> Facts:
        """What of them belongs among the facts of a model."""
        if not self:
            return {}
        written = " or ".join(repr(f"{self.before}word{after}") for after in self.after)
        return {"words written": written}


def marks_of(vectors: WordVectors, path: Path) -> Marks:
    """The marks that every word of a file has, special tokens such as <s> apart; none where the words have none.

    Raises ModelLoadError where all have some, but not the same: which of them is asked for is the user's to say.
    """
    sample = [word for word in islice(_words(vectors), _SAMPLE) if not _SPECIAL.fullmatch(word)]
    if len(sample) < _FEW:
        return Marks()
    for ends, option in (
        ([_LANGUAGE.match(word) for word in sample], "prefix"),
        ([_last(word) for word in sample], "suffix"),
    ):
        kinds = list(dict.fromkeys(end[0] for end in ends if end))
        if all(ends) and len(kinds) > 1:
            raise _several(path, option, kinds, sample)
    begun, ended = _common(sample), _common([word[::-1] for word in sample])[::-1]
    before, after = _BEFORE.match(begun), _AFTER.search(ended)
    found = Marks(before[0] if before else "", (after[0] if after else "",))
    for word in _words(vectors) if found else ():
        if found.bare(word) is None and not _SPECIAL.fullmatch(word):
            option, end = ("prefix", found.before) if found.before else ("suffix", found.after[0])
            raise _several(path, option, [end], [*sample[:2], word])
    return found


def letters_of(vectors: WordVectors, marks: Marks) -> Letters:
    """Whether the words have upper case, their marks aside."""
    if not marks:
        return vectors.letters
    letters = Letters()
    letters.see(bare.encode() for word in _words(vectors) if (bare := marks.bare(word)) is not None)
    return letters


def _common(words: Sequence[str]) -> str:
    """What all of them begin with."""
    first, last = min(words), max(words)
    return next((first[:n] for n, letter in enumerate(first) if last[n : n + 1] != letter), first)


def _words(vectors: WordVectors) -> Iterator[str]:
    return (name.decode(errors="replace") for name in vectors.names())


def _last(word: str) -> re.Match[str] | None:
    """The tag at the end of a word."""
    return next((found for found in _TAG.finditer(word) if found.end() == len(word)), None)


def _several(path: Path, option: str, kinds: Sequence[str], words: Sequence[str]) -> Exception:
    place = "begin" if option == "prefix" else "end"
    shown = ", ".join(kinds[:3]) + (", ..." if len(kinds) > 3 else "")
    return unusable(
        path,
        f"its words {place} with different marks, or not all with one ({shown}: {', '.join(words[:2])}, {words[-1]}), "
        "and the words of tests have none",
        f"Say which words are meant: -o model.{option}={kinds[0]}"
        + (
            f" (or several, the first that a word has counts: {','.join(kinds[:2])})"
            if option == "suffix"
            else ""
        ),
    )
