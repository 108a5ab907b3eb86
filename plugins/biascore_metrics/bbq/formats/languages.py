"""In which language a text plainly is not: by words that one language has and the others of these benchmarks have not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "ca": "Catalan",
        "de": "German",
        "en": "English",
        "es": "Spanish",
        "ko": "Korean",
        "nl": "Dutch",
        "tr": "Turkish",
    }
)
_LISTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "ca": "i els amb per molt però va van dels és ser estava quan perquè què una del al la de en més qui",
        "de": "der die das und ist nicht ein eine einen einem mit zu von den dem wer hat war auf für im es sich",
        "en": "the and to of a was is in who were with for that not had has it he she they at on",
        "es": "y los con por muy pero fue estaba cuando porque qué una del al la de en más el las quién es",
        "nl": "de het een en van is niet met op te die dat was wie voor zijn naar heeft maar er",
        "tr": "ve bir bu için ile da de kim çok değil olan ne gibi daha sonra kadar mi en dedi var",
    }
)
"""Frequent words; those that two languages share say nothing of either."""
_WORDS: Final = {tag: frozenset(words.split()) for tag, words in _LISTS.items()}
_ENOUGH: Final = 3
_WORD: Final = re.compile(r"\w+")
_HANGUL: Final = re.compile("[가-힣]")


def foreign(text: str, language: str) -> str:
    """The language that a text plainly is in, where that is not ``language``, by its tag; else empty.

    Plainly: it has three words or more that ``language`` has not, for each four at most one of ``language``. A doubt speaks
    for the language that is stated.
    """
    if bool(_HANGUL.search(text)) != (language == "ko"):
        return "ko" if language != "ko" else _likeliest(text, "")
    return "" if language == "ko" else _likeliest(text, language)


def _likeliest(text: str, language: str) -> str:
    words = {*_WORD.findall(text.lower())}
    own = _WORDS.get(language, frozenset())
    best = max(_WORDS, key=lambda tag: len(words & _WORDS[tag]))
    against, held = words & _WORDS[best] - own, words & own - _WORDS[best]
    return best if best != language and len(against) >= max(_ENOUGH, 4 * len(held)) else ""
