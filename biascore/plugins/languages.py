"""The languages that plugins bring: one plugin may bring the word lists of a language, another its grammar."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from biascore.basics.guard import guarded
from biascore.errors import At, Owner, UnknownNameError
from biascore.plugins.registry import Plugin, PluginRecord, Registry

if TYPE_CHECKING:
    from biascore.languages.gender import GenderPair, SpeakerGenderDetector
    from biascore.languages.language import Language, SpeakerFrames

_PARTS: Final = ("speaker_gender", "gender_pair", "speaker_frames", "readers")


class Languages:
    """What is known of each language by its code, without the parts that two plugins claim."""

    def __init__(self) -> None:
        self.known: dict[str, Language] = {}
        self.speaker_gender: Registry[Callable[[], SpeakerGenderDetector]] = Registry(
            "speaker-gender detector"
        )
        self.gender_pair: Registry[Callable[[str, str], GenderPair | None]] = Registry("gender-pair filter")
        self.speaker_frames: Registry[SpeakerFrames] = Registry("speaker frames")
        self.readers: Registry[Path] = Registry("words for readers")

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

    def detector(self, tag: str, records: Iterable[PluginRecord]) -> SpeakerGenderDetector:
        """The detector of a language, as `Plugins.detector` says; ``records`` are of all plugins."""
        from biascore.languages.gender_trace import OwnedDetector
        from biascore.languages.language import find_language, no_detector, shorter_tags

        language = find_language(self.known, tag)
        if language is not None and language.speaker_gender is not None:
            code = language.code
            owner = self.speaker_gender.owner(code).owner if code in self.speaker_gender.known else Owner()
            at = At(owner, "checking", f"opening the detector of the speaker's gender in {code!r}")
            opened = language.speaker_gender
            return guarded(at, lambda: OwnedDetector(opened(), owner))
        if language is not None and language.code in self.speaker_gender.conflicts:
            return self.speaker_gender.get(language.code)()  # raises
        absent = [record for record in records if record.status in ("failed", "blocked")]
        # Of a plugin that failed late it is known what it would have told; of the others it is not.
        mine = [record for record in absent if set(record.gender_languages) & set(shorter_tags(tag))]
        perhaps = "" if mine else "perhaps it is in what is not loaded: "
        shown = [
            f"{perhaps}the {record.shown} is {record.status}: {record.reason}"
            for record in mine or absent[:3]
        ]
        raise UnknownNameError(no_detector(self.known, tag, shown))
