"""Gendered pairs made by a translator: the other gender is asked for with "He said" or "She said"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from biascore.api.languages import Gender, SpeakerGenderDetector
from biascore.api.metrics import Model
from biascore_metrics.gest.kind import Sample
from biascore_metrics.gest.pairs import Pair
from biascore_metrics.gest.prompts import Prompt

PROMPTED: Final = "prompted"
UNTRANSLATED: Final = "the translator gave no translation, or none that is text"
NO_GENDER: Final = "no first-person gender found in the plain translation"
CONFLICT: Final = "the words of the plain translation disagree in gender"
UNQUOTED: Final = "no sentence could be separated from its prompt"

_QUOTES: Final = {
    "„": '“”"‟',
    "“": '”“"',
    "”": "”",
    "«": "»",
    "»": "«»",
    "‚": "‘’",
    "‘": "’‘",
    '"': '"”“',
    "'": "'’",
}
"""Opening quotation marks with those that may close them, in the languages of Europe."""
_END: Final = re.compile(r"[\s.,;:!?…]*\Z")


def translated_pairs(
    translator: Model,
    samples: Sequence[Sample],
    prompt: Prompt,
    languages: tuple[str, str],
    detector: SpeakerGenderDetector,
) -> list[Pair]:
    """A pair for each sample, or why there is none (Pikuliak et al. 2023, section 4.3.2).

    The plain translation has one gender; the other version comes from the sample within the prompt of the other
    gender. ``languages`` are source and target. What ends the sentence is taken from the plain translation,
    since quotation moves full stops and commas about.
    """
    sentences = list(dict.fromkeys(sample.sentence for sample in samples))
    plain = dict(zip(sentences, translator.translate(sentences, *languages, unusable="empty"), strict=True))
    genders = {sentence: detector.detect(text).gender for sentence, text in plain.items()}
    gendered = [s for s in sentences if genders[s] in (Gender.MASCULINE, Gender.FEMININE)]
    other = {Gender.MASCULINE: prompt.female, Gender.FEMININE: prompt.male}
    asked = [prompt.fill(sentence, other[genders[sentence]])[0] for sentence in gendered]
    prompted = dict(zip(gendered, translator.translate(asked, *languages, unusable="empty"), strict=True))
    return [
        _pair(sample, plain[sample.sentence], genders[sample.sentence], prompted.get(sample.sentence, ""))
        for sample in samples
    ]


def quoted(text: str) -> str | None:
    """What is in quotation marks, or after the first colon, or None."""
    for start, mark in enumerate(text):
        if text[start - 1 : start].isalnum():  # an apostrophe within a word
            continue
        end = max((text.rfind(closing, start + 1) for closing in _QUOTES.get(mark, "")), default=-1)
        if end > start + 1:
            return text[start + 1 : end].strip()
    _, colon, rest = text.partition(":")
    return rest.strip() or None if colon else None


def _pair(sample: Sample, plain: str, gender: Gender, prompted: str) -> Pair:
    if not plain:
        return _lost(sample, UNTRANSLATED)
    if gender is Gender.NONE or gender is Gender.CONFLICT:
        return _lost(sample, NO_GENDER if gender is Gender.NONE else CONFLICT)
    found = quoted(prompted)
    if found is None:
        return _lost(sample, UNQUOTED)
    end = _END.search(plain)
    other = _END.sub("", found) + (end.group() if end else "")
    male, female = (plain, other) if gender is Gender.MASCULINE else (other, plain)
    return Pair(male, female, sample.sentence, sample.stereotype)


def _lost(sample: Sample, reason: str) -> Pair:
    return Pair("", "", sample.sentence, sample.stereotype, reason)
