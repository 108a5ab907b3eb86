"""The contract of a language: ``check_language("sk", {"Bola som doma.": "feminine"})``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from biascore.engine.engine import Engine
from biascore.errors import BiascoreError
from biascore.languages.gender import Gender, SpeakerGender, SpeakerGenderDetector
from biascore.languages.language import find_language
from biascore.testing.contract import Contract, NotAskedError, check_all, hold
from biascore.testing.queries import LENGTH, SCRIPTS


@dataclass
class LanguageContract(Contract):
    """What ``check_language`` takes."""

    kind = "language"
    tag: str
    sentences: Mapping[str, str]
    engine: Engine = field(default_factory=lambda: Engine(cache=None))

    def check_registered(self) -> None:
        found = find_language(self.engine.plugins.languages, self.tag)
        known = ", ".join(sorted(self.engine.plugins.languages))
        hold(found is not None and found.name, f"{self.tag} is not among the languages: {known}")

    @property
    def _detector(self) -> SpeakerGenderDetector:
        try:
            return self.engine.plugins.speaker_gender.get(self.tag)()
        except BiascoreError as error:
            raise NotAskedError(f"{self.tag} has no detector: {error}") from error

    def _detected(self, sentence: str) -> SpeakerGender:
        detector = self._detector
        try:
            return detector.detect(sentence)
        except Exception as error:
            raise AssertionError(f"{sentence[:80]!r} raises {type(error).__name__}: {error}") from error

    def check_detects(self) -> None:
        _ = self._detector  # without one, no sentence is expected
        hold(self.sentences, "no sentence is given, so nothing is checked")
        found = {sentence: self._detected(sentence).gender for sentence in self.sentences}
        wrong = [f"{s!r} is {found[s]}, not {g}" for s, g in self.sentences.items() if found[s] != Gender(g)]
        hold(not wrong, "; ".join(wrong))

    def check_evidence(self) -> None:
        _ = self._detector
        if not any(
            one.evidence or one.gender is not Gender.NONE for one in map(self._detected, self.sentences)
        ):
            raise NotAskedError("no answer: no sentence has evidence")
        for sentence in self.sentences:
            found = self._detected(sentence)
            for one in found.evidence:
                there = sentence[slice(*one.span)]
                hold(
                    there == one.word, f"{sentence!r}: {one.word!r} stands at {one.span}, where {there!r} is"
                )
            hold(
                found == SpeakerGender.of(found.evidence),
                f"{sentence!r} is {found.gender} with the evidence {found.evidence}",
            )

    def check_any_text(self) -> None:
        """Empty, other scripts, long, and with characters that end sentences alone."""
        for text in (
            "",
            " ",
            "...",
            *SCRIPTS,
            " ".join(self.sentences) * (1 + LENGTH // 100),
            "\u202eabc",
            "a\nb\tc",
        ):
            found = self._detected(text)
            hold(found.gender is Gender.NONE or any(c.isalpha() for c in text), f"{text!r} is {found.gender}")

    def check_same(self) -> None:
        one = self._detector
        if not self.sentences:
            raise NotAskedError("no answer: no sentence is given")
        before = [one.detect(sentence) for sentence in self.sentences]
        hold(
            [one.detect(s) for s in reversed([*self.sentences])] == before[::-1],
            "in another order, answers differ",
        )
        hold([self._detected(s) for s in self.sentences] == before, "of a new detector, answers differ")

    def check_frames(self) -> None:
        language = find_language(self.engine.plugins.languages, self.tag)
        frames = language.speaker_frames if language else None
        if frames is None:
            raise NotAskedError(f"{self.tag} has no speaker_frames")
        for frame, gender in ((frames.masculine, Gender.MASCULINE), (frames.feminine, Gender.FEMININE)):
            found = self._detected(frame.format("1")).gender
            hold(found is gender, f"the frame {frame!r} is {found}, not {gender}")


def check_language(tag: str, sentences: Mapping[str, str], *, engine: Engine | None = None) -> dict[str, str]:
    """Check the language of a tag: ``sentences`` with the gender that each shows of its speaker.

    That is "masculine", "feminine", "none" or "conflict". Raises AssertionError, which lists each clause that is broken.
    Returns those that were skipped, each with the reason.
    """
    return check_all(LanguageContract(tag, sentences, engine or Engine(cache=None)).clauses())
