"""Portuguese for biascore: who speaks, word lists, an equity corpus, nouns, and an audit battery.

The grammar is ``pt.toml``, read when Portuguese is first asked for; the stimuli are the TOML files in ``pt/``.
"""

from pathlib import Path
from typing import Final

from biascore.api.languages import Language, SpeakerFrames, language_with_rules

biascore_contract = 1

# A wheel is always unpacked, so a plain path serves.
portuguese: Final[Language] = language_with_rules(
    "pt",
    "Portuguese",
    Path(__file__).with_name("pt.toml"),
    SpeakerFrames("Fiquei calado e disse: «{}»", "Fiquei calada e disse: «{}»"),
)
