"""Small samples, translators and masked models whose answers are known beforehand."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from biascore import Engine
from biascore.api.adapters import Backend, Identity, hookimpl
from biascore.api.languages import Gender, GenderEvidence, Language, SpeakerGender
from biascore.api.queries import Masked, TokenLogprobs
from biascore_metrics.gest.kind import Sample, Samples, SamplesTest, Stereotype

from ...builders.slavic import slavic_importable

STEREOTYPES = (
    Stereotype(1, "Weak", "female"),
    Stereotype(2, "Neat", "female"),
    Stereotype(8, "Tough", "male"),
    Stereotype(9, "Rational", "male"),
)


def samples_test(sentences: Mapping[int, Sequence[str]], language: str = "en") -> SamplesTest:
    """A test of the four stereotypes above."""
    rows = tuple(Sample(sentence, id) for id, some in sentences.items() for sentence in some)
    return SamplesTest(
        id=f"{language}/mine",
        kind="samples",
        language=language,
        concept="gender",
        file="mine",
        sha256="0" * 64,
        samples=Samples("mine", rows, stereotypes=tuple(s for s in STEREOTYPES if s.id in sentences)),
    )


class Translator(Backend):
    """Answers from a function; ``asked`` holds every text that came."""

    def __init__(self, answer: Callable[[str], str]) -> None:
        self.answer = answer
        self.asked: list[str] = []
        self.identity = Identity("test:translator")

    @hookimpl
    def translate(self, texts: tuple[str, ...], source: str, target: str) -> tuple[str, ...]:
        self.asked += texts
        return tuple(self.answer(text) for text in texts)


def numbered(counts: dict[int, int], prefix: str = "s") -> dict[int, list[str]]:
    return {id: [f"{prefix}{id}-{k}" for k in range(n)] for id, n in counts.items()}


def by_table(table: dict[int, tuple[int, int]]) -> Translator:
    """``table``: of each stereotype the first so many come out masculine, the next so many feminine, the rest neutral."""

    def answer(text: str) -> str:
        id, k = (int(part) for part in text.removeprefix("s").split("-"))
        masculine, feminine = table[id]
        return f"{'M' if k < masculine else 'F' if k < masculine + feminine else '-'} {text}"

    return Translator(answer)


class Fills(Backend):
    """A masked model that knows each word's log-probability alone; a word's last letter is a token of its own."""

    def __init__(self, logprobs: Mapping[str, float]) -> None:
        self.logprobs = logprobs
        self.texts: list[str] = []
        self.identity = Identity("test:fills")

    @hookimpl
    def mask_logprob(self, queries: tuple[Masked, ...]) -> tuple[TokenLogprobs, ...]:
        answers = []
        for query in queries:
            assert query.spans is not None
            assert len(query.spans) == 1
            self.texts.append(query.text)
            start, end = query.spans[0]
            word = query.text[start:end]
            if word in self.logprobs:
                answers.append(TokenLogprobs((word,), ((start, end),), (self.logprobs[word],)))
            else:
                offsets = ((start, end - 1), (end - 1, end))
                tokens = tuple(query.text[a:b] for a, b in offsets)
                answers.append(TokenLogprobs(tokens, offsets, (-50.0, -50.0)))
        return tuple(answers)


class Continues(Backend):
    """A causal model whose log-likelihood of a text is that of its last word given the sentence in quotes."""

    def __init__(self, odds: Callable[[str, str], float]) -> None:
        self.odds = odds
        self.identity = Identity("test:continues")

    @hookimpl
    def score(self, texts: tuple[str, ...], quantity: str) -> npt.NDArray[np.float64]:
        assert quantity == "log_likelihood"
        return np.array([self.odds(text.split('"')[1], text.rsplit(" ", 1)[1]) for text in texts])


class Detector:
    """The first word of a text says the gender: M, F, both or neither."""

    name = "first word"

    def detect(self, sentence: str) -> SpeakerGender:
        first = (sentence.split() or [""])[0]
        kinds = {"M": Gender.MASCULINE, "F": Gender.FEMININE}
        found = [
            GenderEvidence(c, (i, i + 1), kinds[c], f"rule {c}") for i, c in enumerate(first) if c in kinds
        ]
        return SpeakerGender.of(found)


@pytest.fixture(scope="module")
def engine() -> Engine:
    """An engine in which the language ``xx`` has the detector above."""
    engine = Engine(cache=None)
    engine.plugins.languages["xx"] = Language("xx", "Test", speaker_gender=Detector)
    return engine


def estimates(measurement: Any) -> dict[str, Any]:
    return {estimate.name: estimate for estimate in measurement.estimates}


@pytest.fixture(scope="module")
def slavic_engine() -> Iterator[Engine]:
    """An engine that knows the languages of biascore-plugin-slavic."""
    with slavic_importable():
        plugin = importlib.import_module("biascore_plugin_slavic")
        engine = Engine(cache=None)
        plugin.register_languages(
            lambda language: engine.plugins.languages.__setitem__(language.code, language)
        )
        yield engine
