"""Portuguese for biascore: who speaks, word lists, an equity corpus, nouns, and an audit battery.

The grammar is ``pt.toml``, read when Portuguese is first asked for; the stimuli are the TOML files in ``pt/``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from biascore.api.languages import Language, SpeakerFrames, hookimpl, language_with_rules

biascore_contract = 1
# A wheel is always unpacked, so a plain path serves.
HERE: Final = Path(__file__).parent


@hookimpl
def register_languages(register: Callable[[Language], None]) -> None:
    """Register Portuguese, with sentences in which a man and a woman speak."""
    frames = SpeakerFrames("Fiquei calado e disse: «{}»", "Fiquei calada e disse: «{}»")
    register(language_with_rules("pt", "Portuguese", HERE / "pt.toml", frames))


@hookimpl
def register_wordlists(register: Callable[[Path, str], None]) -> None:
    """Register the stimuli of Portuguese."""
    register(HERE / "pt", "biascore_plugin_portuguese/pt")
