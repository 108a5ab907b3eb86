"""The grammars that ship with biascore: first-person gender in Spanish and Italian.

Apart from the word lists, so that either can be switched off or replaced alone.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from biascore.api.stimuli import hookimpl

if TYPE_CHECKING:
    from biascore.api.languages import Language

GRAMMARS: Final = Path(__file__).parent


@hookimpl
def register_languages(register: Callable[[Language], None]) -> None:
    """Register Spanish and Italian."""
    from biascore.api.languages import SpeakerFrames, language_with_rules

    for code, name, masculine, feminine in (
        ("es", "Spanish", "Estoy listo para decirlo: «{}»", "Estoy lista para decirlo: «{}»"),
        ("it", "Italian", "Sono venuto a dirlo: «{}»", "Sono venuta a dirlo: «{}»"),
    ):
        frames = SpeakerFrames(masculine, feminine)
        register(language_with_rules(code, name, GRAMMARS / f"{code}.toml", frames))
