"""The optional parser behind the same interface: agreement with the speaker read off Universal Dependencies.

``pip install 'biascore-plugin-slavic[stanza]'``; stanza downloads its models by itself when asked to
(``stanza.download("sk")``), which this module never does.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

from biascore.api.languages import Gender, GenderEvidence, SpeakerGender, Trace, TracedWord, TraceStep
from biascore.errors import MissingExtraError, ModelLoadError

_GENDERS: Final = {"Masc": Gender.MASCULINE, "Fem": Gender.FEMININE}
# A noun has a gender of its own and agrees with nobody.
_AGREEING: Final = frozenset({"VERB", "AUX", "ADJ", "DET"})


class ParsedWord(Protocol):
    """What is read of a word of ``stanza``: ids count from 1, head 0 is the root."""

    id: int
    text: str
    upos: str
    feats: str | None
    head: int
    deprel: str
    start_char: int | None
    end_char: int | None
    parent: Any


Pipeline = Callable[[str], Any]
"""``stanza.Pipeline``, or anything that returns a document whose sentences have ``words`` like its."""


class StanzaDetector:
    """Reads the speaker's gender off the first sentence that a dependency parser finds.

    A word agrees with the speaker where it is the head of a verb form of the first person singular or of
    the subject "I", or an auxiliary of such a head, or is itself in the first person singular.
    """

    name = "stanza"

    def __init__(self, language: str, pipeline: Pipeline | None = None) -> None:
        self._parse = pipeline or _load(language)

    def detect(self, sentence: str) -> SpeakerGender:
        """The gender in which the first sentence of the text speaks of its speaker."""
        return self.trace(sentence).answer

    def trace(self, sentence: str) -> Trace:
        """What the parser says of each word, and why a word that shows a gender is not the speaker's."""
        sentences = self._parse(sentence).sentences
        words: Sequence[ParsedWord] = sentences[0].words if sentences else ()
        predicates, below = _agreeing_places(words)
        steps = []
        evidence = []
        for word in words:
            gender = _GENDERS.get(_features(word).get("Gender", ""))
            if gender is None:
                continue
            rule = "auxiliary of the speaker" if word.id in below - predicates else "predicate of the speaker"
            reason = _why_not(word, predicates | below)
            steps.append(TraceStep(rule, "", word.text, Gender.NONE if reason else gender, reason))
            if not reason:
                evidence.append(GenderEvidence(word.text, _span(word), gender, rule))
        return Trace(
            self.name,
            " ".join(word.text for word in words),
            SpeakerGender.of(evidence),
            tuple(TracedWord(word.text, _span(word), _analysis(word, words)) for word in words),
            tuple(steps),
            "" if predicates else 'the parser sees no verb of the first person singular and no subject "I"',
        )


def _load(language: str) -> Pipeline:
    try:
        stanza: Any = importlib.import_module("stanza")
    except ImportError as error:
        raise MissingExtraError(
            f"parsing {language} with stanza", "stanza", "biascore-plugin-slavic"
        ) from error
    try:
        pipeline: Pipeline = stanza.Pipeline(
            language, processors="tokenize,mwt,pos,lemma,depparse", download_method=None, verbose=False
        )
    # Stanza raises its own error for an absent model and FileNotFoundError for a part of one.
    except Exception as error:
        raise ModelLoadError(
            f"stanza has no usable model for {language} ({error}). "
            f"Get it with: python -c \"import stanza; stanza.download('{language}')\""
        ) from error
    return pipeline


def _agreeing_places(words: Sequence[ParsedWord]) -> tuple[set[int], set[int]]:
    """The ids of the speaker's predicates, and of the auxiliaries below them."""
    predicates: set[int] = set()
    for word in words:
        features = _features(word)
        if features.get("Person") != "1" or features.get("Number") != "Sing":
            continue
        if word.upos in {"VERB", "AUX"}:
            predicates |= {word.id} if word.upos == "VERB" or not word.head else {word.id, word.head}
        elif word.upos == "PRON" and word.deprel.partition(":")[0] == "nsubj":
            predicates.add(word.head)
    # "я была рада": the copula stands below the adjective, and shows the gender too.
    return predicates, {
        w.id for w in words if w.head in predicates and w.deprel.partition(":")[0] in {"aux", "cop"}
    }


def _why_not(word: ParsedWord, places: set[int]) -> str:
    """Why a word that shows a gender does not agree with the speaker; empty where it does."""
    if word.id not in places:
        return "neither a predicate of the speaker nor its auxiliary"
    if word.upos not in _AGREEING:
        return f"{word.upos} has a gender of its own"
    number = _features(word).get("Number")
    return "" if number == "Sing" else f"Number={number}"


def _analysis(word: ParsedWord, words: Sequence[ParsedWord]) -> tuple[str, ...]:
    shown = [
        f"{key}={value}" for key, value in _features(word).items() if key in {"Gender", "Number", "Person"}
    ]
    head = next((other.text for other in words if other.id == word.head), "")
    return (word.upos, *shown, f"{word.deprel} of {head!r}" if head else word.deprel)


def _features(word: ParsedWord) -> dict[str, str]:
    return dict(pair.split("=", 1) for pair in (word.feats or "").split("|") if "=" in pair)


def _span(word: ParsedWord) -> tuple[int, int]:
    """Where the word stands; a word cut out of a longer one ("-łem") has no place but that one's."""
    if word.start_char is None or word.end_char is None:
        return int(word.parent.start_char), int(word.parent.end_char)
    return word.start_char, word.end_char
