"""Language tags (BCP 47) in the older codes that translation systems use."""

from __future__ import annotations

from biascore.api.support import ISO_639_3


def subtags(tag: str) -> tuple[str, str, str]:
    """Language, script and region of a tag (``"sr-Latn-RS"``); "" for what it does not say."""
    language, *rest = tag.replace("_", "-").split("-")
    script = next((part.title() for part in rest if len(part) == 4 and part.isalpha()), "")
    region = next(
        (part.upper() for part in rest if len(part) == 2 or (len(part) == 3 and part.isdigit())), ""
    )
    return language.lower(), script, region


def three_letters(language: str) -> str:
    """The ISO 639-3 code of a two-letter language; any other as it is."""
    return ISO_639_3.get(language, language)
