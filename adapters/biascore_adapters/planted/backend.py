"""The planted model's answers to the four questions; each carries the declared effect in its own unit.

- ``embed``: unit vectors; the WEAT effect size in the population of words is the declared one.
- ``mask_logprob``: a softmax over the planted words of SCALE times the cosine with the visible words,
  so that the increased log-probability of Kurita et al. 2019 is SCALE times the cosine, up to a
  constant per attribute: LPBS has the same population effect size.
- ``translate``: a first-person frame in the target language around the source text, masculine with
  probability Phi(+-d / 2): the difference in probits between the poles of *gender*, and between samples of
  stereotypes about men and about women, is d.
- ``score``: ``log_likelihood`` from the same softmax, left to right; heads in [0, 1] whose logits
  differ between the poles by the effect size d, in units of their own noise.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.special import expit, log_softmax, ndtr

from biascore.errors import QuestionError
from biascore.plugins_api import Backend, Identity, Level, Masked, Text, TokenLogprobs, hookimpl
from biascore_adapters.planted.frames import FRAMES
from biascore_adapters.planted.lexicon import GENDER, NOISE_DIMENSIONS, Lexicon, generator

SCALE: Final = 20.0
HEADS: Final = ("anger", "fear", "joy", "sadness", "valence")
VERSION: Final = 2
Token = tuple[str, int, int]


class PlantedBackend(Backend):
    """Answers drawn, word by word, from the seed and the word alone: the same in any order and batch."""

    batch = 2048

    def __init__(self, lexicon: Lexicon, seed: int) -> None:
        self._lexicon = lexicon
        self._seed = seed
        phrases = sorted((w for w in lexicon.words if not re.fullmatch(r"\w+", w)), key=len, reverse=True)
        pattern = "|".join([*(rf"(?<!\w){re.escape(p)}(?!\w)" for p in phrases), r"\w+", r"[^\w\s]"])
        self._tokens = re.compile(pattern, re.IGNORECASE)
        self._vocabulary = {word: i for i, word in enumerate(lexicon.words)}
        self._word = lru_cache(maxsize=100_000)(self._draw)
        self._matrix: npt.NDArray[np.float64] | None = None
        self.identity = Identity(
            digest=f"planted-{VERSION}:{lexicon.digest()}-{seed}",
            sentence_vector="planted vector of the text, else the mean of its words' vectors",
            control=lexicon.declared,
            facts={
                "planted tests": len(lexicon.effects),
                "planted words": len(lexicon.words),
                "dimensions": len(lexicon.effects) + NOISE_DIMENSIONS,
            },
        )

    @hookimpl
    def embed(self, texts: tuple[Text, ...], level: Level) -> npt.NDArray[np.float32]:
        """Unit vectors of words; longer texts get the mean of their words', no word is out of vocabulary."""
        rows = []
        for text in texts:
            meant = text.text
            if level == "token":
                if text.span is None:
                    raise QuestionError(
                        f"{meant!r} has no span, and the token level needs one. Give Text(text, span)."
                    )
                meant = meant[text.span[0] : text.span[1]]
            rows.append(self._vector(meant))
        return np.stack(rows).astype(np.float32) if rows else np.empty((0, 1), np.float32)

    @hookimpl
    def mask_logprob(self, queries: tuple[Masked, ...]) -> tuple[TokenLogprobs, ...]:
        """Log-probabilities of the hidden words, in nats, given the words that are left visible."""
        return tuple(self._fill(query) for query in queries)

    @hookimpl
    def translate(self, texts: tuple[str, ...], source: str, target: str) -> tuple[str, ...]:
        """The text in a first-person frame of the target language that marks the speaker's gender."""
        if target not in FRAMES:
            raise QuestionError(
                f"planted: has no gendered frame for {target!r}; it translates to {', '.join(FRAMES)}. Choose one."
            )
        masculine, feminine = FRAMES[target]
        return tuple(
            (masculine if self._is_masculine(text, source, target) else feminine).format(text)
            for text in texts
        )

    @hookimpl
    def score(self, texts: tuple[str, ...], quantity: str) -> npt.NDArray[np.float64]:
        """``log_likelihood`` in nats, or one of the heads in [0, 1]."""
        if quantity == "log_likelihood":
            return np.array([self._log_likelihood(text) for text in texts], dtype=np.float64)
        if quantity not in HEADS:
            raise QuestionError(
                f"planted: has no output {quantity!r}; it has log_likelihood, {', '.join(HEADS)}."
            )
        return np.array([self._head(text, quantity) for text in texts], dtype=np.float64)

    def _split(self, text: str) -> list[Token]:
        return [(match[0], match.start(), match.end()) for match in self._tokens.finditer(text)]

    def _vector(self, text: str) -> npt.NDArray[np.float64]:
        if text.casefold() in self._vocabulary:
            return self._word(text.casefold())
        words = [self._word(word.casefold()) for word, _, _ in self._split(text)]
        if not words:
            raise QuestionError(f"{text!r} holds no word. Leave it out.")
        return words[0] if len(words) == 1 else np.mean(words, axis=0)

    def _draw(self, word: str) -> npt.NDArray[np.float64]:
        """The unit vector of one case-folded word: its axes first, then noise that fills it up to length 1."""
        rng = generator(self._seed, "vector", word)
        axes = np.zeros(len(self._lexicon.effects))
        noise = rng.standard_normal(NOISE_DIMENSIONS)
        for loading in self._lexicon.words.get(word, ()):
            # A deviate per test and word: a word's places in two tests are independent.
            deviate = generator(
                self._seed, "loading", self._lexicon.tests[loading.axis], word
            ).standard_normal()
            axes[loading.axis] += loading.mean + loading.spread * np.clip(deviate, -3, 3)
        noise *= math.sqrt(max(0.0, 1 - float(axes @ axes))) / float(np.linalg.norm(noise))
        return np.concatenate([axes, noise])

    def _all_vectors(self) -> npt.NDArray[np.float64]:
        # Not a property: pluggy evaluates every property of an object that it registers.
        if self._matrix is None:
            rows = [self._word(word) for word in self._vocabulary]
            width = len(self._lexicon.effects) + NOISE_DIMENSIONS
            self._matrix = np.stack(rows) if rows else np.empty((0, width))
        return self._matrix

    def _logprob(self, word: str, visible: list[str]) -> float:
        """log p(word | visible words): a softmax over the planted words and the word itself."""
        context = np.sum([self._word(other.casefold()) for other in visible], axis=0) if visible else None
        own = word.casefold()
        vectors = self._all_vectors()
        if own not in self._vocabulary:
            vectors = np.vstack([vectors, self._word(own)])
        logits = np.zeros(len(vectors)) if context is None else SCALE * (vectors @ context)
        return float(log_softmax(logits)[self._vocabulary.get(own, len(vectors) - 1)])

    def _fill(self, query: Masked) -> TokenLogprobs:
        tokens = self._split(query.text)
        asked = [i for i, token in enumerate(tokens) if query.spans is None or _covered(token, query.spans)]
        also = {i for i, token in enumerate(tokens) if _covered(token, query.also)}
        for span in (*(query.spans or ()), *query.also):
            if not any(_covered(token, (span,)) for token in tokens):
                raise QuestionError(
                    f"{query.text!r}: no word lies under the span {span}. Give the span of a word."
                )
        logprobs = []
        for i in asked:
            hidden = also | ({i} if query.one_at_a_time else set(asked))
            visible = [token[0] for j, token in enumerate(tokens) if j not in hidden]
            logprobs.append(self._logprob(tokens[i][0], visible))
        return TokenLogprobs(
            tuple(tokens[i][0] for i in asked),
            tuple((tokens[i][1], tokens[i][2]) for i in asked),
            tuple(logprobs),
        )

    def _log_likelihood(self, text: str) -> float:
        words = [word for word, _, _ in self._split(text)]
        return sum(self._logprob(word, words[:i]) for i, word in enumerate(words))

    def _lean(self, text: str, concept: str | None = None) -> float:
        """The declared effect of the first planted test that the text leans in, signed by its pole; else 0."""
        balance: dict[int, int] = {}
        for word, _, _ in self._split(text):
            for axis, sign in self._lexicon.poles(word).items():
                if concept is None or self._lexicon.concepts[axis] == concept:
                    balance[axis] = balance.get(axis, 0) + sign
        for axis, total in sorted(balance.items()):
            if total:
                return self._lexicon.effects[axis] if total > 0 else -self._lexicon.effects[axis]
        return 0.0

    def _is_masculine(self, text: str, source: str, target: str) -> bool:
        draw = generator(self._seed, "translate", source, target, text).random()
        planted = self._lexicon.samples.get(text)
        lean = self._lean(text, GENDER) if planted is None else planted
        return bool(draw < ndtr(lean / 2))

    def _head(self, text: str, quantity: str) -> float:
        lean = self._lean(text)
        distance = lean / math.sqrt(1 - lean**2 / 4)
        noise = generator(self._seed, "score", quantity, text).standard_normal()
        return float(expit(distance / 2 + noise))


def _covered(token: Token, spans: tuple[tuple[int, int], ...]) -> bool:
    return any(token[1] < end and start < token[2] for start, end in spans)
