"""Nine Slavic languages for biascore: who speaks, by agreement in the first person.

The grammars are the TOML files in ``grammars/``; each is read when its language is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from biascore.plugins_api import Language, hookimpl, language_with_rules

# A wheel is always unpacked, so a plain path serves.
GRAMMARS: Final = Path(__file__).parent / "grammars"

LANGUAGES: Final = tuple(
    language_with_rules(code, name, GRAMMARS / f"{code}.toml")
    for code, name in (
        ("be", "Belarusian"),
        ("cs", "Czech"),
        ("hr", "Croatian"),
        ("pl", "Polish"),
        ("ru", "Russian"),
        ("sk", "Slovak"),
        ("sl", "Slovene"),
        ("sr", "Serbian"),
        ("uk", "Ukrainian"),
    )
)


@hookimpl
def register_languages(register: Callable[[Language], None]) -> None:
    """Register the nine languages."""
    for language in LANGUAGES:
        register(language)
