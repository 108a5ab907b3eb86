"""The languages that plugins bring: one plugin may bring the word lists of a language, another its grammar."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from biascore.plugins.registry import Plugin, Registry

if TYPE_CHECKING:
    from biascore.languages.gender import GenderPair, SpeakerGenderDetector
    from biascore.languages.language import Language, SpeakerFrames

_PARTS: Final = ("speaker_gender", "gender_pair", "speaker_frames")


class Languages:
    """What is known of each language by its code, without the parts that two plugins claim."""

    def __init__(self) -> None:
        self.known: dict[str, Language] = {}
        self.speaker_gender: Registry[Callable[[], SpeakerGenderDetector]] = Registry(
            "speaker-gender detector"
        )
        self.gender_pair: Registry[Callable[[str, str], GenderPair | None]] = Registry("gender-pair filter")
        self.speaker_frames: Registry[SpeakerFrames] = Registry("speaker frames")

    @property
    def registries(self) -> tuple[Registry[Any], ...]:
        """Whose each part is."""
        return tuple(getattr(self, part) for part in _PARTS)

    def add(self, language: Language, owner: Plugin) -> None:
        """Join what a plugin knows of a language with what is known already."""
        code = language.code
        known = self.known.setdefault(code, language)
        for part, registry in zip(_PARTS, self.registries, strict=True):
            own: Any = getattr(language, part)
            if own is not None:
                registry.add(code, own, owner)
                whole: Any = {part: None if code in registry.conflicts else getattr(known, part) or own}
                known = replace(known, **whole)
        self.known[code] = known

    def name(self, code: str) -> None:
        """Note a language of which there are word lists; its English name is that of its code."""
        if code not in self.known:
            from biascore.languages.language import Language
            from biascore.languages.names import language_name

            self.known[code] = Language(code, language_name(code))
