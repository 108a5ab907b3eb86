"""Why a detector of the speaker's gender answers as it does: what each word is to it, and what each rule did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar, runtime_checkable

from biascore.basics.guard import guarded
from biascore.basics.wording import quoted
from biascore.errors import At, Owner
from biascore.languages.gender import Gender, SpeakerGender, SpeakerGenderDetector
from biascore.models.questions.questions import Span

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TracedWord:
    """A word of the first sentence, its span in the text, and what the detector takes it for."""

    word: str
    span: Span
    known_as: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One attempt of a rule, from ``anchor`` (empty: from no word) to ``word`` (empty: to none).

    ``gender`` is what the attempt found, ``none`` where it found nothing; ``reason`` says why it did not.
    """

    rule: str
    anchor: str
    word: str
    gender: Gender
    reason: str


@dataclass(frozen=True, slots=True)
class Trace:
    """A detector's answer and how it came to it, in the order in which its rules were tried.

    ``text`` is what was read: the first sentence. ``note`` is what else a reader should know, such as that
    the detector shows no attempts.
    """

    detector: str
    text: str
    answer: SpeakerGender
    words: tuple[TracedWord, ...] = ()
    steps: tuple[TraceStep, ...] = ()
    note: str = ""


@runtime_checkable
class TracingDetector(SpeakerGenderDetector, Protocol):
    """A detector that can say how it came to its answer."""

    def trace(self, sentence: str) -> Trace:
        """What the detector tried; its ``answer`` is that of ``detect``."""


def trace_gender(detector: SpeakerGenderDetector, sentence: str) -> Trace:
    """How a detector comes to its answer; of one that keeps no trace, the words that decided."""
    if isinstance(detector, TracingDetector):
        return detector.trace(sentence)
    answer = _a(SpeakerGender, detector.detect(sentence))
    return Trace(
        detector.name,
        sentence,
        answer,
        tuple(TracedWord(found.word, found.span, (found.gender.value,)) for found in answer.evidence),
        tuple(TraceStep(found.rule, "", found.word, found.gender, "") for found in answer.evidence),
        f"the detector {detector.name!r} shows only the words that decide, not what it tried",
    )


class OwnedDetector:
    """The detector of a plugin: what goes wrong in it is reported as the plugin's, and its answers are checked."""

    def __init__(self, detector: SpeakerGenderDetector, owner: Owner) -> None:
        self.name = detector.name
        self._detector = detector
        self._owner = owner

    def detect(self, sentence: str) -> SpeakerGender:
        """What the plugin's detector answers; raises PluginFailedError where it fails."""
        return guarded(self._at(sentence), lambda: _a(SpeakerGender, self._detector.detect(sentence)))

    def trace(self, sentence: str) -> Trace:
        """What the plugin's detector tried; raises PluginFailedError where it fails."""
        return guarded(self._at(sentence), lambda: _a(Trace, trace_gender(self._detector, sentence)))

    def _at(self, sentence: str) -> At:
        return At(self._owner, "answering", f"telling the speaker's gender in {quoted(sentence)}")


def _a(kind: type[T], answer: object) -> T:
    if not isinstance(answer, kind):
        raise TypeError(f"answered {quoted(answer)}, which is no {kind.__name__}")
    return answer
