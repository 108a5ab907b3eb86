"""The grammars that ship with biascore: first-person gender in Spanish and Italian, and words for readers of texts.

Apart from the word lists, so that either can be switched off or replaced alone.
"""

from pathlib import Path
from typing import Final

from biascore.api.languages import Language, SpeakerFrames, language_with_rules

_HERE: Final = Path(__file__).parent
_READERS: Final = _HERE / "readers"

spanish: Final = language_with_rules(
    "es",
    "Spanish",
    _HERE / "es.toml",
    SpeakerFrames("Estoy listo para decirlo: «{}»", "Estoy lista para decirlo: «{}»"),
    _READERS / "es.toml",
)
italian: Final = language_with_rules(
    "it",
    "Italian",
    _HERE / "it.toml",
    SpeakerFrames("Sono venuto a dirlo: «{}»", "Sono venuta a dirlo: «{}»"),
    _READERS / "it.toml",
)
english: Final = Language("en", "English", readers=_READERS / "en.toml")
french: Final = Language("fr", "French", readers=_READERS / "fr.toml")
german: Final = Language("de", "German", readers=_READERS / "de.toml")
