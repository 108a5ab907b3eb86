"""The grammars that ship with biascore: first-person gender in Spanish and Italian.

Apart from the word lists, so that either can be switched off or replaced alone.
"""

from pathlib import Path
from typing import Final

from biascore.api.languages import SpeakerFrames, language_with_rules

_HERE: Final = Path(__file__).parent

spanish: Final = language_with_rules(
    "es",
    "Spanish",
    _HERE / "es.toml",
    SpeakerFrames("Estoy listo para decirlo: «{}»", "Estoy lista para decirlo: «{}»"),
)
italian: Final = language_with_rules(
    "it",
    "Italian",
    _HERE / "it.toml",
    SpeakerFrames("Sono venuto a dirlo: «{}»", "Sono venuta a dirlo: «{}»"),
)
