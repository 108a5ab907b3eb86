"""The word lists and tests that ship with biascore, one plugin per language.

The entry points of group ``biascore`` name the objects ``en``, ``it``, … below. Each registers its language
and its folder of TOML files, so a language can be switched off like any other plugin.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from biascore.api.stimuli import hookimpl

if TYPE_CHECKING:
    from biascore.api.languages import Language

# A wheel is always unpacked, so a plain path serves; importlib.resources would add a context manager.
FOLDER = Path(__file__).parent


class LanguageWordlists:
    """Registers one language and the folder of its word lists."""

    def __init__(self, code: str, name: str) -> None:
        self.code = code
        self.name = name

    @hookimpl
    def register_languages(self, register: Callable[[Language], None]) -> None:
        """Register the language."""
        from biascore.api.languages import Language

        register(Language(code=self.code, name=self.name))

    @hookimpl
    def register_wordlists(self, register: Callable[[Path, str], None]) -> None:
        """Register the language's folder, shown as ``biascore_wordlists/<code>``."""
        register(FOLDER / self.code, f"{FOLDER.name}/{self.code}")


en = LanguageWordlists("en", "English")
it = LanguageWordlists("it", "Italian")
fr = LanguageWordlists("fr", "French")
de = LanguageWordlists("de", "German")
pl = LanguageWordlists("pl", "Polish")
es = LanguageWordlists("es", "Spanish")
ar = LanguageWordlists("ar", "Arabic")
