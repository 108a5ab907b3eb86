"""The optional parser behind the same interface: agreement with the speaker read off Universal Dependencies.

``pip install 'biascore-plugin-slavic[stanza]'``; stanza downloads its models by itself when asked to
(``stanza.download("sk")``), which this module never does.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Protocol

from biascore.errors import MissingExtraError, ModelLoadError
from biascore.plugins_api import Gender, GenderEvidence, SpeakerGender

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
        sentences = self._parse(sentence).sentences
        return SpeakerGender.of(list(_evidence(sentences[0].words)) if sentences else [])


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


def _evidence(words: Sequence[ParsedWord]) -> Iterator[GenderEvidence]:
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
    below = {w.id for w in words if w.head in predicates and w.deprel.partition(":")[0] in {"aux", "cop"}}
    for word in words:
        gender = _GENDERS.get(_features(word).get("Gender", ""))
        if word.id not in predicates | below or word.upos not in _AGREEING or gender is None:
            continue
        if _features(word).get("Number") == "Sing":
            rule = "predicate of the speaker" if word.id in predicates else "auxiliary of the speaker"
            yield GenderEvidence(word.text, _span(word), gender, rule)


def _features(word: ParsedWord) -> dict[str, str]:
    return dict(pair.split("=", 1) for pair in (word.feats or "").split("|") if "=" in pair)


def _span(word: ParsedWord) -> tuple[int, int]:
    """Where the word stands; a word cut out of a longer one ("-łem") has no place but that one's."""
    if word.start_char is None or word.end_char is None:
        return int(word.parent.start_char), int(word.parent.end_char)
    return word.start_char, word.end_char
