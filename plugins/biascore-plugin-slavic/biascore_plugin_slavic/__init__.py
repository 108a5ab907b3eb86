"""Nine Slavic languages for biascore: who speaks, by agreement in the first person, and whom a Polish text is about.

The grammars are the TOML files in ``grammars/``, the words for readers of texts those in ``readers/``; each is read when its
language is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from biascore.api.languages import Language, SpeakerFrames, hookimpl, language_with_rules

# A wheel is always unpacked, so a plain path serves.
GRAMMARS: Final = Path(__file__).parent / "grammars"
READERS: Final = GRAMMARS.with_name("readers")

LANGUAGES: Final = tuple(
    language_with_rules(
        code,
        name,
        GRAMMARS / f"{code}.toml",
        SpeakerFrames(masculine, feminine),
        READERS / "pl.toml" if code == "pl" else None,
    )
    for code, name, masculine, feminine in (
        ("be", "Belarusian", "Я сказаў: «{}»", "Я сказала: «{}»"),
        ("cs", "Czech", "Řekl jsem: „{}“", "Řekla jsem: „{}“"),
        ("hr", "Croatian", "Rekao sam: „{}”", "Rekla sam: „{}”"),
        ("pl", "Polish", "Powiedziałem: „{}”", "Powiedziałam: „{}”"),
        ("ru", "Russian", "Я сказал: «{}»", "Я сказала: «{}»"),
        ("sk", "Slovak", "Povedal som: „{}“", "Povedala som: „{}“"),
        ("sl", "Slovene", "Rekel sem: »{}«", "Rekla sem: »{}«"),
        ("sr", "Serbian", "Рекао сам: „{}”", "Рекла сам: „{}”"),
        ("uk", "Ukrainian", "Я сказав: «{}»", "Я сказала: «{}»"),
    )
)


@hookimpl
def register_languages(register: Callable[[Language], None]) -> None:
    """Register the nine languages."""
    for language in LANGUAGES:
        register(language)
