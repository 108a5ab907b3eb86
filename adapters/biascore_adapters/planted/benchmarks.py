"""Planted answers to benchmarks that ask for a text after a prompt, or for a word of a sentence.

- kind ``winobias``: the log odds of the right mention, and the log-probability of the pronoun, differ between the two
  sentences of a pair by the effect d plus a normal deviate with sd 1, in nats.
- kind ``winogender``: the log odds of the occupation, she - he, rise by d nats from 0 to 100 % women, plus such a deviate.
- kind ``stereoset``: stereotype and anti-stereotype differ by d plus such a deviate, in nats for each token; what is
  unrelated is far below both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from biascore.api.queries import Continuation, Masked, Span
from biascore.api.stimuli import Test
from biascore_adapters.planted.part import Part
from biascore_adapters.planted.sentences import FLOOR, TOKEN, Sentence, cannot, deviate
from biascore_metrics.coreference.winobias_items import WinoBiasTest
from biascore_metrics.coreference.winogender_items import WinogenderTest
from biascore_metrics.stereoset.items import StereoSetTest, Triple

EACH: Final = -6.0
"""Log-probability, in nats, of each token of a stereotype and an anti-stereotype, on average."""
FAR: Final = 2 * EACH
"""That of each token of what is unrelated."""


@dataclass(slots=True)
class Benchmarks(Part):
    """What is planted, by the sentence that carries it, and the test and kind of each sentence.

    ``hidden``: the place that is asked for, and its value for each token; ``after``: of texts after a prompt that begins so;
    ``whole``: of the whole sentence, for each word.
    """

    sentences: dict[str, Sentence] = field(default_factory=dict)
    hidden: dict[str, tuple[Span, float]] = field(default_factory=dict)
    after: dict[str, dict[str, float]] = field(default_factory=dict)
    whole: dict[str, float] = field(default_factory=dict)
    _lengths: list[int] = field(default_factory=list)

    def plant(self, test: Test, effect: float, seed: int) -> bool:
        """Plant a test of kind ``winobias``, ``winogender`` or ``stereoset``."""
        if isinstance(test, WinoBiasTest):
            for pair in test.pairs.rows:
                gap = effect + deviate(seed, "referent", test.id, pair.item)
                own = deviate(seed, "sentence", test.id, pair.item)
                for side, said in ((1, pair.pro), (-1, pair.anti)):
                    mentions = {
                        said.mention: (own + side * gap / 2) / 2,
                        pair.other: -(own + side * gap / 2) / 2,
                    }
                    self._refer(test, said.text, mentions)
                    self.hidden.setdefault(said.text, (said.pronouns[0], FLOOR + side * gap / 2))
        elif isinstance(test, WinogenderTest):
            for schema in test.samples.rows:
                gap = effect * (schema.women / 100 - 0.5) + deviate(seed, "referent", test.id, schema.item)
                own = deviate(seed, "sentence", test.id, schema.item)
                for side, text in zip((-1, 1, 0), schema.sentences, strict=True):
                    odds = own + side * gap / 2
                    self._refer(test, text, {schema.occupation: odds / 2, schema.participant: -odds / 2})
        elif isinstance(test, StereoSetTest):
            for triple in test.samples.rows:
                gap = effect + deviate(seed, "triple", test.id, triple.item)
                for place, value in enumerate((EACH + gap / 2, EACH - gap / 2, FAR)):
                    self._fill(test, triple, place, value)
        else:
            return False
        self._lengths = sorted({len(text) for text in self.after}, reverse=True)
        return True

    def logprobs(self, query: Masked, asked: int) -> list[float] | None:
        """Those of the asked tokens; raises QuestionError for another place than is planted."""
        found = self.hidden.get(query.text)
        if found is None:
            return None
        (start, end), value = found
        if query.spans is None or any(one < start or other > end for one, other in query.spans):
            raise cannot(self.sentences[query.text], f"mask_logprob of another part of {query.text!r}")
        return [value] * asked

    def log_likelihood(self, text: str | Continuation, seed: int) -> float | None:  # noqa: ARG002
        """In nats; raises QuestionError for another text after a planted prompt than is planted."""
        if isinstance(text, str):
            if text in self.whole:
                return self.whole[text] * len(text.split())
            return None
        length = next((k for k in self._lengths if text.prompt[:k] in self.after), None)
        if length is None:
            return None
        planted = text.prompt[:length]
        options = self.after[planted]
        if text.text.strip() not in options:
            raise cannot(self.sentences[planted], f"log_likelihood of {text.text!r} after {planted!r}")
        return options[text.text.strip()]

    def refused(self, text: str) -> Sentence | None:
        """A planted sentence."""
        return self.sentences.get(text)

    def __len__(self) -> int:
        return len(self.sentences)

    def told(self) -> list[str]:
        """All that is planted as lines, for a digest."""
        parts: Sequence[Mapping[str, object]] = (self.hidden, self.after, self.whole)
        return [
            f"{text}\t{value}"
            for part in parts
            for text, value in sorted(part.items(), key=lambda one: one[0])
        ]

    def _refer(self, test: Test, text: str, mentions: Mapping[str, float]) -> None:
        self._know(test, text)
        self.after.setdefault(text, {mention: FLOOR + value for mention, value in mentions.items()})

    def _fill(self, test: Test, triple: Triple, place: int, value: float) -> None:
        sentence = triple.sentences[place]
        if not triple.words:
            self._know(test, triple.context)
            options = self.after.setdefault(triple.context, {})
            options.setdefault(sentence, value * len(sentence.split()))
            return
        self._know(test, sentence)
        self.whole.setdefault(sentence, value)
        filled, start = triple.filled(place), triple.start
        end = start + len(triple.words[place])
        # Asked sub-token by sub-token, the rest of the word is absent.
        for token in TOKEN.finditer(triple.words[place]):
            text = filled[: start + token.end()] + filled[end:]
            self._know(test, text)
            self.hidden.setdefault(text, ((start, start + token.end()), value))

    def _know(self, test: Test, text: str) -> None:
        self.sentences.setdefault(text, Sentence(text, test.id, test.kind, 0.0))
