"""How log odds of samples are got: with templates around them, or on gendered pairs, given or made by a translator."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from biascore.api.languages import Gender, GenderPair, SpeakerGenderDetector, compare_pair
from biascore.api.metrics import Model
from biascore.api.queries import Masked, Span, TokenLogprobs
from biascore.api.stimuli import Catalogue, PairList
from biascore.api.support import REPEATED
from biascore.errors import OptionsError, StimuliError
from biascore_metrics.gest.chosen import Scored
from biascore_metrics.gest.estimates import Floats
from biascore_metrics.gest.kind import Sample

SAMPLE, WORD = "SAMPLE", "WORD"
UNREAD: Final = "the model reads nothing under one of the two words"
LOG_LIKELIHOOD: Final = "log_likelihood"
_SLOT: Final = re.compile(f"{SAMPLE}|{WORD}")
PAIRS: Final = "pairs"
"""The quantity under which given scores of gendered pairs are asked for."""
UNTRANSLATED: Final = "the translator gave no translation, or none that is text"
UNSAID: Final = {
    Gender.NONE: "no first-person gender found in the plain translation",
    Gender.CONFLICT: "the words of the plain translation disagree in gender",
}
UNQUOTED: Final = "no sentence could be separated from its prompt"
REFUSED: Final = {
    "same": "the two versions are equal",
    "length": "the two versions have different numbers of words",
    "several": "several words differ",
    "first_letter": "the words that differ begin with different letters",
    "exception": "the words differ in more than gender",
}
SEVERAL_TOKENS: Final = "not exactly one token of this model differs"
INSEPARABLE: Final = "the token that differs cannot be hidden alone"

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

Filter = Callable[[str, str], GenderPair | None] | None


@dataclass(frozen=True, slots=True)
class Prompt:
    """A template with its number (from 1) and its two words."""

    number: int
    template: str
    male: str
    female: str

    @property
    def name(self) -> str:
        """What it is called in results, and the quantity under which given scores are asked for."""
        return f"template {self.number}"

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
    words, sentences = catalogue.list_(address), found[name].sentences
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
    given = enumerate(zip(sentences, words.pairs, strict=True), start=1)
    prompts = {number: Prompt(number, sentence, *pair) for number, (sentence, pair) in given}
    chosen = list(prompts) if numbers is None else numbers
    if not prompts.keys() >= set(chosen) or len(set(chosen)) < len(chosen):
        raise OptionsError(
            f"templates = {list(chosen)}: {language}/{file} has the templates 1 to {len(prompts)}. Name each once"
        )
    return tuple(prompts[number] for number in chosen)


def given_odds(model: Model, samples: Sequence[Sample], prompts: Sequence[Prompt]) -> Scored:
    """Log odds that the model holds for the samples themselves, in nats, by template."""
    texts = [sample.sentence for sample in samples]
    columns = [model.score(texts, prompt.name, in_nats=True) for prompt in prompts]
    return _scored(samples, prompts, np.stack(columns, axis=1))


def masked_odds(model: Model, samples: Sequence[Sample], prompts: Sequence[Prompt]) -> Scored:
    """log P(man) - log P(woman) at the place of the word, both in the model's whole vocabulary (Equation 3).

    A word of several sub-tokens counts with the sum of their log-probabilities, all hidden together.
    """
    queries = [
        Masked(text, (span,))
        for sample in samples
        for prompt in prompts
        for text, span in (prompt.fill(sample.sentence, word) for word in (prompt.male, prompt.female))
    ]
    answers = model.mask_logprob(queries, unread="empty")
    totals = np.array([answer.total if answer.tokens else np.nan for answer in answers])
    odds = (totals[::2] - totals[1::2]).reshape(len(samples), len(prompts))
    return _scored(samples, prompts, odds, _several_tokens(prompts, answers))


def causal_odds(model: Model, samples: Sequence[Sample], prompts: Sequence[Prompt]) -> Scored:
    """log P(man | sample) - log P(woman | sample) for the word that comes next.

    Both texts have the same beginning, so the difference of their log-likelihoods is that of their last
    words; a word of several tokens counts with the sum over them.
    """
    texts = [
        prompt.fill(sample.sentence, word)[0]
        for sample in samples
        for prompt in prompts
        for word in (prompt.male, prompt.female)
    ]
    scores = model.score(texts, LOG_LIKELIHOOD, in_nats=True).reshape(len(samples), len(prompts), 2)
    return _scored(samples, prompts, scores[:, :, 0] - scores[:, :, 1])


def _scored(
    samples: Sequence[Sample], prompts: Sequence[Prompt], odds: Floats, warnings: tuple[str, ...] = ()
) -> Scored:
    """A sample that is not read with one of the prompts has no odds at all."""
    unread = np.isnan(odds.sum(axis=1))
    sentences = [sample.sentence for sample in samples]
    return Scored(
        texts=sentences,
        sentences=sentences,
        about=[sample.stereotype for sample in samples],
        values=np.where(unread[:, None], np.nan, odds),
        lost=[UNREAD if lost else "" for lost in unread],
        names=[prompt.name for prompt in prompts],
        warnings=warnings,
    )


def _several_tokens(prompts: Sequence[Prompt], answers: Sequence[TokenLogprobs]) -> tuple[str, ...]:
    """A warning for each prompt whose words are not one token each, as the paper's words are for its models."""
    words = [(prompt, word) for prompt in prompts for word in (prompt.male, prompt.female)]
    most = [max((len(one.tokens) for one in answers[i :: len(words)]), default=0) for i in range(len(words))]
    return tuple(
        f"{prompt.name}: {word!r} is up to {count} sub-tokens of this model, whose log-probabilities are added; longer "
        "words are less probable, and q is not comparable"
        for (prompt, word), count in zip(words, most, strict=True)
        if count > 1
    )


@dataclass(frozen=True, slots=True)
class Pair:
    """A masculine and a feminine version, the sample they come from, and why there is no pair (then both are blank)."""

    male: str
    female: str
    sentence: str
    stereotype: int
    lost: str = ""


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
    found = quoted(prompted)
    lost = UNSAID.get(gender, UNQUOTED if found is None else "") if plain else UNTRANSLATED
    if lost or found is None:
        return Pair("", "", sample.sentence, sample.stereotype, lost)
    other = _END.sub("", found) + plain[len(_END.sub("", plain)) :]
    male, female = (plain, other) if gender is Gender.MASCULINE else (other, plain)
    return Pair(male, female, sample.sentence, sample.stereotype)


Spans = tuple[Span, Span]
"""Where the words that differ are, in the man's version and in the woman's."""


def score_pairs(model: Model, pairs: Sequence[Pair], gender_pair: Filter, *, given: bool) -> Scored:
    """Log odds of each usable pair, in nats; ``given``: the model holds them, by the masculine version.

    Usable are pairs that differ in one word with one first letter, each once, and in one token of the model
    (Pikuliak et al. 2023, section 4.3.2). That token is hidden in both versions, the rest of the word is not.
    """
    seen: set[tuple[str, str]] = set()
    found: list[float | str | Spans] = []
    for pair in pairs:
        versions = (pair.male, pair.female)
        found.append(pair.lost or (REPEATED if versions in seen else _differing_words(pair, gender_pair)))
        seen.add(versions)
    asked = {i: (pairs[i], spans) for i, spans in enumerate(found) if isinstance(spans, tuple)}
    if given:
        scores = model.score([pair.male for pair, _ in asked.values()], PAIRS, in_nats=True)
        answers: list[float | str] = scores.tolist()
    else:
        answers = _ask(model, list(asked.values()))
    by_place = dict(zip(asked, answers, strict=True))
    odds = [by_place.get(i, reason) for i, reason in enumerate(found)]
    return Scored(
        texts=[pair.male or pair.sentence for pair in pairs],
        sentences=[pair.sentence for pair in pairs],
        about=[pair.stereotype for pair in pairs],
        values=np.array([[one if isinstance(one, float) else np.nan] for one in odds]).reshape(-1, 1),
        lost=[one if isinstance(one, str) else "" for one in odds],
        names=[PAIRS],
        columns={"female": [pair.female for pair in pairs]},
    )


def _differing_words(pair: Pair, gender_pair: Filter) -> Spans | str:
    """The characters of the words that differ, or why the pair is not used."""
    found = compare_pair(pair.male, pair.female)
    if not isinstance(found, GenderPair):
        return REFUSED[found]
    if gender_pair is not None and gender_pair(pair.male, pair.female) is None:
        return REFUSED["exception"]
    return found.masculine_span, found.feminine_span


def _ask(model: Model, pairs: Sequence[tuple[Pair, Spans]]) -> list[float | str]:
    """Ask for the words first, which shows their tokens, then for those tokens that stand among others."""

    def answered(some: Sequence[tuple[Pair, Spans]]) -> list[tuple[TokenLogprobs, TokenLogprobs]]:
        both = [one for pair, spans in some for one in ((pair.male, spans[0]), (pair.female, spans[1]))]
        found = model.mask_logprob([Masked(text, (span,)) for text, span in both], unread="empty")
        return list(zip(found[::2], found[1::2], strict=True))

    found: list[float | str] = []
    again: dict[int, tuple[Pair, Spans]] = {}
    for (pair, _), (male, female) in zip(pairs, answered(pairs), strict=True):
        narrowed = _differing_token(male, female)
        if isinstance(narrowed, tuple) and len(male.tokens) > 1:
            again[len(found)] = pair, narrowed
        found.append(narrowed if isinstance(narrowed, str) else male.total - female.total)
    for place, (male, female) in zip(again, answered(list(again.values())), strict=True):
        alone = len(male.tokens) == len(female.tokens) == 1
        found[place] = male.total - female.total if alone else INSEPARABLE
    return found


def _differing_token(male: TokenLogprobs, female: TokenLogprobs) -> Spans | str:
    """The characters of the one token that differs, or why there is none."""
    if not male.tokens or not female.tokens:
        return UNREAD
    if len(male.tokens) != len(female.tokens):
        return SEVERAL_TOKENS
    places = [i for i, (a, b) in enumerate(zip(male.tokens, female.tokens, strict=True)) if a != b]
    if len(places) != 1:
        return SEVERAL_TOKENS
    spans = male.offsets[places[0]], female.offsets[places[0]]
    return spans if all(start < end for start, end in spans) else INSEPARABLE
