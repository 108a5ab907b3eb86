"""What is said in each language of these benchmarks, and which language a text plainly is not in; see languages.toml."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from biascore.api.formats import parse_toml, read_text

_WORD: Final = re.compile(r"\w+")
_HANGUL: Final = re.compile("[가-힣]")


@dataclass(frozen=True, slots=True)
class Language:
    """Its name, ``words`` that are frequent in it, and how questions, the instruction and not knowing are put."""

    name: str
    words: frozenset[str]
    prompts: tuple[str, ...]
    instruction: str
    unknown: tuple[str, ...]


@cache
def languages() -> dict[str, Language]:
    """All, by tag."""
    path = Path(__file__).with_name("languages.toml")
    return {
        tag: Language(
            one["name"],
            frozenset(one["words"].split()),
            tuple(one["prompts"]),
            one["instruction"],
            tuple(one.get("unknown", ())),
        )
        for tag, one in parse_toml(read_text(path, path.name)).items()
    }


def foreign(text: str, language: str) -> str:
    """The language that a text plainly is in, where that is not ``language``, by its tag; else empty.

    Plainly: it has three words or more that ``language`` has not, for each four at most one of ``language``. A doubt speaks
    for the language that is stated.
    """
    if _HANGUL.search(text):
        return "" if language == "ko" else "ko"
    words = {*_WORD.findall(text.lower())}
    known = {tag: one.words for tag, one in languages().items()}
    best = max(known, key=lambda tag: len(words & known[tag]))
    against, held = words & known[best] - known[language], words & known[language] - known[best]
    return best if len(against) >= max(3, 4 * len(held)) else ""
