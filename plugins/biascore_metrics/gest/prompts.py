"""The prompts of a language: sentences around a sample with a word for a man or for a woman."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from biascore.api.queries import Span
from biascore.api.stimuli import Catalogue, PairList
from biascore.errors import OptionsError, StimuliError

SAMPLE, WORD = "SAMPLE", "WORD"
_SLOT: Final = re.compile(f"{SAMPLE}|{WORD}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A template with its number (from 1) and its two words."""

    number: int
    template: str
    male: str
    female: str

    def fill(self, sample: str, word: str) -> tuple[str, Span]:
        """The sentence about a sample, and where the word is in it."""
        text, at = "", (0, 0)
        start = 0
        for slot in _SLOT.finditer(self.template):
            text += self.template[start : slot.start()]
            if slot.group() == WORD:
                at = (len(text), len(text) + len(word))
            text += word if slot.group() == WORD else sample
            start = slot.end()
        return text + self.template[start:], at


def load_prompts(
    catalogue: Catalogue, language: str, file: str, name: str, numbers: Sequence[int] | None
) -> tuple[Prompt, ...]:
    """The prompts ``[templates.NAME]`` of a file with the words ``[pairs.NAME_words]``, one pair a template.

    Raises UnknownNameError where the language has none, OptionsError for a number that there is not,
    StimuliError where templates and words do not fit.
    """
    found = catalogue.templates(language, file)
    if name not in found:
        raise StimuliError(
            f"{language}/{file} has no [templates.{name}]. Write them as biascore_wordlists/en/gest.toml does"
        )
    address = f"{language}/{file}/{name}_words"
    words = catalogue.list_(address)
    sentences = found[name].sentences
    if not isinstance(words, PairList) or len(words.pairs) != len(sentences):
        raise StimuliError(
            f"{address} must hold a pair of words, for a man and for a woman, for each of the {len(sentences)} templates. "
            "Correct the file"
        )
    for sentence in sentences:
        if sorted(_SLOT.findall(sentence)) != [SAMPLE, WORD]:
            raise StimuliError(
                f"{language}/{file}: {sentence!r} must hold {SAMPLE} and {WORD} once. Correct it"
            )
    if words.sides != ("male", "female"):
        raise StimuliError(
            f'{address}: sides is {list(words.sides)}, and must be ["male", "female"]. Correct the file'
        )
    prompts = [
        Prompt(i + 1, s, *pair) for i, (s, pair) in enumerate(zip(sentences, words.pairs, strict=True))
    ]
    if numbers is None:
        return tuple(prompts)
    unknown = [number for number in numbers if not 1 <= number <= len(prompts)]
    if unknown or len(set(numbers)) < len(numbers):
        raise OptionsError(
            f"templates = {list(numbers)}: {language}/{file} has the templates 1 to {len(prompts)}. Name each once"
        )
    return tuple(prompts[number - 1] for number in numbers)
