"""A language that stimuli exist for, and what a plugin knows of its grammar."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from biascore.gender import GenderPair, SpeakerGenderDetector


@dataclass(frozen=True, slots=True)
class Language:
    """A language by its BCP 47 tag (``"it"``) and its English name (``"Italian"``).

    ``speaker_gender`` makes the detector of the gender in which a sentence speaks of its speaker; it is a
    factory, so that registering a language reads no file. ``gender_pair(masculine, feminine)`` says whether
    two sentences are versions of one that differ in gender alone.
    """

    code: str
    name: str
    speaker_gender: Callable[[], SpeakerGenderDetector] | None = None
    gender_pair: Callable[[str, str], GenderPair | None] | None = None
