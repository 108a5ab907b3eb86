"""The scripts that texts are written in, and those that languages usually are."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Final, NamedTuple

from biascore.basics.tags import script_code

_HAN: Final = "Chinese characters"
_NAMES: Final = {"Cjk": _HAN, "Hiragana": "Japanese", "Katakana": "Japanese"}
_OF_CODE: Final = {
    **{"Arab": "Arabic", "Armn": "Armenian", "Beng": "Bengali", "Cyrl": "Cyrillic", "Deva": "Devanagari"},
    **{
        "Ethi": "Ethiopic",
        "Geor": "Georgian",
        "Grek": "Greek",
        "Gujr": "Gujarati",
        "Guru": "Gurmukhi",
        "Hang": "Hangul",
    },
    **{
        "Hans": _HAN,
        "Hant": _HAN,
        "Hani": _HAN,
        "Hebr": "Hebrew",
        "Jpan": "Japanese",
        "Khmr": "Khmer",
        "Knda": "Kannada",
    },
    **{
        "Kore": "Hangul",
        "Laoo": "Lao",
        "Latn": "Latin",
        "Mlym": "Malayalam",
        "Mymr": "Myanmar",
        "Orya": "Oriya",
    },
    **{
        "Sinh": "Sinhala",
        "Taml": "Tamil",
        "Telu": "Telugu",
        "Thaa": "Thaana",
        "Thai": "Thai",
        "Tibt": "Tibetan",
    },
}
_SLOTS: Final = re.compile(r"\{[^{}]*\}|\[[^\[\]]*\]")


class OtherScript(NamedTuple):
    """That ``others`` of ``texts`` are written in another script than the ``usual`` one, most of them in ``script``."""

    script: str
    usual: str
    others: int
    texts: int


def other_script(texts: Iterable[str], tag: str) -> OtherScript | None:
    """Where more than half of the texts are mostly in another script than the language of a tag is usually written in.

    A tag that names a script is of that one. None where the texts are in it, and of a language whose script is not known
    or that has several. Text in brackets is a slot of a template, and no text.
    """
    usual = _OF_CODE.get(script_code(tag), "")
    if not usual:
        return None
    known = {usual, _HAN} if usual in ("Japanese", "Hangul") else {usual}
    found = Counter(filter(None, map(main_script, texts)))
    others = Counter({script: count for script, count in found.items() if script not in known})
    if 2 * others.total() <= found.total():
        return None
    return OtherScript(others.most_common(1)[0][0], usual, others.total(), found.total())


def main_script(text: str) -> str:
    """The script of most letters of a text; empty where it has none."""
    text = _SLOTS.sub("", text)
    if text.isascii():
        return "Latin" if any(map(str.isalpha, text)) else ""
    letters: Counter[str] = Counter()
    for letter, count in Counter(text).items():
        if letter.isalpha():
            letters[script_of(letter)] += count
    return letters.most_common(1)[0][0] if letters else ""


@cache
def script_of(letter: str) -> str:
    """The script of a letter, by its name in Unicode."""
    name = unicodedata.name(letter, "another script").split()[0].capitalize()
    return _NAMES.get(name, name)
