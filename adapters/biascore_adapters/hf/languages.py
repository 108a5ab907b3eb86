"""Which token or name a translation model has for a language tag (BCP 47)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from biascore.errors import UnsupportedLanguageError
from biascore_adapters.languages import subtags, three_letters

_FLORES = re.compile(r"[a-z]{3}_[A-Z][a-z]{3}")
_MBART = re.compile(r"[a-z]{2}_[A-Z]{2}")
_M2M = re.compile(r"__([a-z]{2,3})__")
_MARIAN = re.compile(r">>(\w+)<<")
# ISO 639-3 gives a macrolanguage a code of its own; FLORES-200 has one of its members.
_MEMBERS: Final = {
    **{
        "ar": "arb",
        "az": "azj",
        "ay": "ayr",
        "et": "est",
        "fa": "pes",
        "gn": "grn",
        "ku": "kmr",
        "lv": "lvs",
    },
    **{
        "mg": "plt",
        "mn": "khk",
        "ms": "zsm",
        "ne": "npi",
        "no": "nob",
        "om": "gaz",
        "or": "ory",
        "ps": "pbt",
    },
    **{"qu": "quy", "sc": "srd", "sq": "als", "sw": "swh", "uz": "uzn", "yi": "ydd"},
}


def language_codes(vocabulary: Iterable[str]) -> dict[str, str]:
    """The language tokens of a vocabulary, by the code in them: ``{"srp_Cyrl": "srp_Cyrl"}``, ``{"sr": "__sr__"}``.

    The forms of NLLB, mBART, M2M100 and Marian; of a vocabulary with several forms the one with most tokens.
    """
    forms: list[dict[str, str]] = [{}, {}, {}, {}]
    for token in vocabulary:
        for form, pattern in zip(forms, (_FLORES, _MBART, _M2M, _MARIAN), strict=True):
            if match := pattern.fullmatch(token):
                form[match[match.lastindex or 0]] = token
    return max(forms, key=len)


def find_code(tag: str, codes: Iterable[str], model: str) -> str:
    """The code among ``codes`` that a tag names; a code names itself.

    Raises UnsupportedLanguageError where none does, or several do and the tag does not say which script or
    region is meant.
    """
    known = set(codes)
    if tag in known:
        return tag
    language, script, region = subtags(tag)
    names = {language, three_letters(language), _MEMBERS.get(language, language)}
    found = sorted(
        code for code in known if re.split(r"[_-]", code)[0] in names and _fits(code, script, region)
    )
    if len(found) == 1:
        return found[0]
    if found:
        raise UnsupportedLanguageError(
            f"{model} has {' and '.join(found)}, and {tag!r} does not say which. Write one of them in its place"
        )
    near = sorted(code for code in known if re.split(r"[_-]", code)[0] in names)
    have = (
        f"it has {', '.join(near)}"
        if near
        else f"it has {len(known)} languages, such as {', '.join(sorted(known)[:8])}"
    )
    raise UnsupportedLanguageError(
        f"{model} does not have the language {tag!r}; {have}. Choose a language that it has"
    )


def _fits(code: str, script: str, region: str) -> bool:
    """Whether the part behind the language contradicts the tag's script or region."""
    detail = code.partition("_")[2]
    if len(detail) == 4:
        return script in ("", detail)
    return detail in ("", "XX") or region in ("", detail.upper())
