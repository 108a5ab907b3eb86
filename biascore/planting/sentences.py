"""Planted sentences: those of the declared tests of sentences, each with what it carries.

- kind ``samples``: a sentence about oneself prefers a man as its speaker by +-d/2, + for stereotypes about men: in probits
  for ``translate``, and in decimal log odds of words for men over words for women, plus a normal deviate with sd 1.
- kind ``gender-pairs``: the same log odds, between the two versions of the sentence.
- kind ``sentence-pairs``: the difference of the scores of a pair is normal with mean d and sd 1, in nats.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Final

import numpy as np

from biascore.designs.pairs.test import SentencePair, SentencePairsTest
from biascore.errors import QuestionError, RefError
from biascore.languages.gender import GenderPair, compare_pair
from biascore.languages.language import SpeakerFrames
from biascore.planting.lexicon import generator
from biascore.planting.world import World, mixed
from biascore.stimuli import Catalogue, PairList, Test

TEN: Final = math.log(10.0)
"""A factor of ten, in nats."""
FLOOR: Final = -20.0
"""Log-probability, in nats, of what carries an effect where the effect is none; no effect makes up for it."""
CLIP: Final = 3.0
PREFIX: Final = 16
TOKEN: Final = re.compile(r"\w+|[^\w\s]")
"""A word, or a mark."""
Token = tuple[str, int, int]
"""A word or mark, and where it begins and ends."""
PAIRS_CARRY: Final = "mask_logprob of every token one at a time, and log_likelihood"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a declared test.

    ``value`` is in nats: the log odds of a sample, or what the score of one sentence of a pair has more than FLOOR. ``lean``
    of a sample is in probits. ``anchor`` is the token (its number) of a sentence pair that carries the value: both
    sentences share it. ``length`` of one, in tokens, where the world declares lengths. ``carries``: in what, in
    words.
    """

    text: str
    test: str
    kind: str
    value: float
    lean: float = 0.0
    anchor: int | None = None
    length: int = 0
    carries: str = ""


def plain(text: str) -> list[Token]:
    """The words and marks of a text."""
    return [(match[0], match.start(), match.end()) for match in TOKEN.finditer(text)]


def covered(token: Token, spans: tuple[tuple[int, int], ...]) -> bool:
    """Whether a token lies under one of the spans, in part at least."""
    return any(token[1] < end and start < token[2] for start, end in spans)


def cannot(sentence: Sentence, question: str) -> QuestionError:
    """That a sentence is asked for what does not carry its effect."""
    return QuestionError(
        f"planted: declares an effect for {sentence.test}, whose kind {sentence.kind} carries it in "
        f"{sentence.carries}. It cannot be planted in {question}. Leave {sentence.test} out of the declaration."
    )


@dataclass(slots=True)
class Sentences:
    """Planted sentences by their text, and the words that name a man (+1) or a woman (-1) around them."""

    world: World = field(default_factory=World)
    by_text: dict[str, Sentence] = field(default_factory=dict)
    genders: dict[str, int] = field(default_factory=dict)
    _by_prefix: dict[str, list[Sentence]] = field(default_factory=dict)
    _lengths: set[int] = field(default_factory=set)

    def plant(self, test: SentencePairsTest, effect: float, seed: int) -> None:
        """Plant a test of sentence pairs; a sentence of two tests carries what the first gives it."""
        self.world.meet_pairs()
        size, share = self.world.templates
        for position, two in enumerate(test.pairs.rows):
            own = deviate(seed, "pair", test.id, two.sent_more, two.sent_less)
            if share:
                own = mixed(deviate(seed, "template", test.id, str(position // size)), own, share)
            self._add_pair(two, test, effect + own, self._extra(two, test, seed))

    def within(self, text: str) -> tuple[Sentence, int] | None:
        """The longest planted sentence that the text is, or, if a sample, holds; and where it starts."""
        if text in self.by_text:
            return self.by_text[text], 0
        if not self._lengths:
            return None
        found = [
            (sample, start)
            for start in range(len(text))
            for length in self._lengths
            for sample in self._by_prefix.get(text[start : start + length], ())
            if text.startswith(sample.text, start) and _stands_alone(text, start, start + len(sample.text))
        ]
        return max(found, key=lambda one: len(one[0].text), default=None)

    def told(self) -> list[str]:
        """All sentences as lines, for a digest."""
        return [f"{s.text}\t{s.test}\t{s.value}\t{s.lean}" for _, s in sorted(self.by_text.items())]

    def name_genders(self, catalogue: Catalogue, frames: Iterable[SpeakerFrames]) -> None:
        """Learn who is a man and who is a woman: pairs with the sides male and female, and what differs in frames."""
        pairs = [
            dict(zip(stimuli.sides, pair, strict=True))
            for stimuli in catalogue.lists(section="pairs").values()
            if isinstance(stimuli, PairList) and set(stimuli.sides) == {"male", "female"}
            for pair in stimuli.pairs
        ]
        both = [(pair["male"], pair["female"]) for pair in pairs]
        for frame in frames:
            found = compare_pair(frame.masculine, frame.feminine)
            both += [found.words] if isinstance(found, GenderPair) else []
        men, women = ({pair[side].casefold() for pair in both} for side in (0, 1))
        self.genders = dict.fromkeys(men - women, 1) | dict.fromkeys(women - men, -1)

    def add(self, sentence: Sentence) -> None:
        """Plant a sentence, unless it is planted already."""
        if sentence.text in self.by_text:
            return
        self.by_text[sentence.text] = sentence
        if sentence.kind == "samples" and sentence.text.strip():
            prefix = sentence.text[:PREFIX]
            self._by_prefix.setdefault(prefix, []).append(sentence)
            self._lengths.add(len(prefix))

    def _extra(self, pair: SentencePair, test: Test, seed: int) -> int:
        """How many tokens more the more stereotypical sentence has, where lengths are declared."""
        share, _ = self.world.longer or (0.0, 0.0)
        return int(generator(seed, "longer", test.id, pair.sent_more, pair.sent_less).random() < share)

    def _add_pair(self, pair: SentencePair, test: Test, difference: float, extra: int = 0) -> None:
        if pair.sent_more == pair.sent_less:
            return
        known = [self.by_text.get(text) for text in (pair.sent_more, pair.sent_less)]
        more, less = difference / 2, -difference / 2
        if known[0] is not None and known[1] is not None:
            return
        if known[0] is not None:
            less = known[0].value - difference
        if known[1] is not None:
            more = known[1].value + difference
        if max(abs(more), abs(less)) >= -FLOOR:
            raise RefError(
                f"planted: the pairs of {test.id} share too many of their sentences, such as {pair.sent_more!r}. Declare "
                "another test"
            )
        anchors = _shared_token(pair)
        length = len(TOKEN.findall(pair.sent_less))
        texts, values, lengths = (pair.sent_more, pair.sent_less), (more, less), (length + extra, length)
        for text, value, anchor, tokens in zip(texts, values, anchors, lengths, strict=True):
            self.add(
                Sentence(text, test.id, test.kind, value, anchor=anchor, length=tokens, carries=PAIRS_CARRY)
            )


def deviate(seed: int, *parts: str) -> float:
    """A standard normal number within +-3 that depends on the seed and the texts alone."""
    return float(np.clip(generator(seed, *parts).standard_normal(), -CLIP, CLIP))


def _stands_alone(text: str, start: int, end: int) -> bool:
    return not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum())


def _shared_token(pair: SentencePair) -> tuple[int, int] | tuple[None, None]:
    """A token that both sentences share in whatever order they are matched: its number in each, or None."""
    more, less = (TOKEN.findall(text) for text in (pair.sent_more, pair.sent_less))
    one, other = _matched(more, less), {(i, j) for j, i in _matched(less, more)}
    return min(one & other, default=(None, None))


def _matched(one: list[str], other: list[str]) -> set[tuple[int, int]]:
    # Between a beginning and an end that match, as in a model's special tokens: they move what is matched first.
    a, b = (["\0<", *tokens, "\0>"] for tokens in (one, other))
    blocks = SequenceMatcher(None, a, b).get_matching_blocks()
    found = {(block.a + k - 1, block.b + k - 1) for block in blocks for k in range(block.size)}
    return {(i, j) for i, j in found if 0 <= i < len(one) and 0 <= j < len(other)}
