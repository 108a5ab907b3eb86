"""A language that stimuli exist for, and what a plugin knows of its grammar."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from biascore.basics.tags import canonical_tag
from biascore.installation import install_plugin

if TYPE_CHECKING:
    from biascore.languages.gender import GenderPair, SpeakerGenderDetector

_A_PLUGIN: Final = "biascore-plugin-slavic"
_OF_THE_PLUGIN: Final = frozenset({"be", "cs", "hr", "pl", "ru", "sk", "sl", "sr", "uk"})


@dataclass(frozen=True, slots=True)
class SpeakerFrames:
    """A sentence around ``{}`` as a man says it of himself, and as a woman does: ``Sono venuto a dirlo: «{}»``.

    Raises ValueError unless each holds ``{}`` once and no other brace, and the two differ.
    """

    masculine: str
    feminine: str

    def __post_init__(self) -> None:
        for frame in (self.masculine, self.feminine):
            if frame.count("{}") != 1 or set("{}") & set(frame.replace("{}", "")):
                raise ValueError(f"the frame {frame!r} must hold {{}} once, where the sentence goes")
        if self.masculine == self.feminine:
            raise ValueError(f"the frames of a man and of a woman are both {self.masculine!r}")


@dataclass(frozen=True, slots=True)
class Language:
    """A language by its BCP 47 tag (``"it"``) and its English name (``"Italian"``).

    ``speaker_gender`` makes the detector of the gender in which a sentence speaks of its speaker; it is a
    factory, so that registering a language reads no file. ``gender_pair(masculine, feminine)`` says whether
    two sentences are versions of one that differ in gender alone. ``speaker_frames`` are sentences with which a model
    of known bias (``planted:``) speaks the language. ``readers`` is the TOML file of the words by which texts are
    read; it is opened when a reader is.
    """

    code: str
    name: str
    speaker_gender: Callable[[], SpeakerGenderDetector] | None = None
    gender_pair: Callable[[str, str], GenderPair | None] | None = None
    speaker_frames: SpeakerFrames | None = None
    readers: Path | None = None


def find_language(languages: Mapping[str, Language], tag: str) -> Language | None:
    """The language of a BCP 47 tag: its own entry, else that of a shorter tag (``sr-Latn``, then ``sr``)."""
    known = {canonical_tag(code): language for code, language in languages.items()}
    return next((known[code] for code in shorter_tags(tag) if code in known), None)


def shorter_tags(tag: str) -> list[str]:
    """The tag and those it begins with, longest first: ``sr-Latn``, ``sr``."""
    parts = canonical_tag(tag).split("-")
    return ["-".join(parts[:length]) for length in range(len(parts), 0, -1)]


def no_detector(languages: Mapping[str, Language], tag: str, not_loaded: Collection[str] = ()) -> str:
    """What to tell a user who needs the speaker's gender in a language without a detector, and what to do.

    ``not_loaded``: what is to be said of plugins that may have one and were not loaded.
    """
    known = ", ".join(sorted(code for code, one in languages.items() if one.speaker_gender))
    none = (
        f"no plugin tells the speaker's gender in {tag!r}; there are detectors for {known or 'no language'}. "
    )
    if not_loaded:
        return none + f"{'; '.join(not_loaded)}. Fix it or allow it to load; see: biascore plugins"
    if tag.partition("-")[0] in _OF_THE_PLUGIN:
        return none + f"Install: {install_plugin(_A_PLUGIN, _A_PLUGIN)}"
    return (
        none
        + "Install a plugin for it, or write its rules: docs/speaker-gender.md shows a language in 50 lines"
    )
