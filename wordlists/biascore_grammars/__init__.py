"""The grammars that ship with biascore: first-person gender in Spanish and Italian.

Apart from the word lists, so that either can be switched off or replaced alone.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from biascore.plugins_api import Language, SpeakerFrames, hookimpl, language_with_rules

GRAMMARS: Final = Path(__file__).parent

LANGUAGES: Final = tuple(
    language_with_rules(code, name, GRAMMARS / f"{code}.toml", SpeakerFrames(masculine, feminine))
    for code, name, masculine, feminine in (
        ("es", "Spanish", "Estoy listo para decirlo: «{}»", "Estoy lista para decirlo: «{}»"),
        ("it", "Italian", "Sono venuto a dirlo: «{}»", "Sono venuta a dirlo: «{}»"),
    )
)


@hookimpl
def register_languages(register: Callable[[Language], None]) -> None:
    """Register Spanish and Italian."""
    for language in LANGUAGES:
        register(language)
