"""The planted model's answers to the six questions; each carries the declared effect in its own unit.

Words (tests of kind ``weat`` and ``fise``):

- ``embed``: unit vectors; the WEAT effect size in the population of words is the declared one, and so is the
  standardised mean bias of each dimension of FISE.
- ``mask_logprob``: a softmax over the planted words of SCALE times the cosine with the visible words,
  so that the increased log-probability of Kurita et al. 2019 is SCALE times the cosine, up to a
  constant per attribute: LPBS has the same population effect size.
- ``translate``: a first-person frame of the target language around the source text, masculine with
  probability Phi(+-d / 2): the difference in probits between the poles of *gender* is d.
- ``score``: ``log_likelihood`` from the same softmax, left to right; heads in [0, 1] whose logits
  differ between the poles by the effect size d, in units of their own noise.
- ``generate``: a short story about a man or a woman, as ``translate`` has the speaker.
- ``choose``: what `PlantedQuestions` says; of other questions the option whose words have the largest log-probability after
  the prompt, in the same softmax.

Sentence pairs carry what `Sentences` says, tests of other kinds what the `Part` says that they name (``Test.planted``), and
a question that cannot carry it is refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.api.adapters import Backend, Identity, hookimpl
from biascore.api.languages import Language, SpeakerFrames, find_language
from biascore.api.planting import (
    FLOOR,
    GENDER,
    TOKEN,
    WAYS,
    Sentence,
    cannot,
    chosen,
    covered,
    first,
    generator,
    plain,
)
from biascore.api.queries import (
    Choice,
    Chosen,
    Continuation,
    Familiarity,
    Level,
    Masked,
    Text,
    TokenLogprobs,
    Vocabulary,
    Way,
)
from biascore.api.writing import PlantedText, Prompt, Settings, Written
from biascore.errors import QuestionError
from biascore_adapters.planted.planting import Planted
from biascore_adapters.planted.vectors import PlantedWords, Softmax, Vectors

Token = tuple[str, int, int]
"""A word with its first and last place."""
HEADS: Final = ("anger", "fear", "joy", "sadness", "valence")
ORDINARY: Final = -5.0
"""Log-probability, in nats, of each token of a planted sentence that carries nothing."""
RANK_MEAN: Final = 7.0
"""Natural logarithm of the rank of a word of frequency 0; it falls by ``RANK_SLOPE`` for 1, ``RANK_SPREAD`` is chance."""
RANK_SLOPE: Final = 8.0
RANK_SPREAD: Final = 0.3
TOKEN_COUNT: Final = "token_count"


class PlantedBackend(Backend):
    """Answers drawn, word by word, from the seed and the word alone: the same in any order and batch."""

    batch = 2048

    def __init__(self, planted: Planted, languages: Mapping[str, Language], seed: int) -> None:
        self._lexicon = lexicon = planted.words
        self._sentences = planted.sentences
        self._parts = planted.parts
        self._languages, self._seed = languages, seed
        phrases = sorted((w for w in lexicon.words if not re.fullmatch(r"\w+", w)), key=len, reverse=True)
        pattern = "|".join([*(rf"(?<!\w){re.escape(p)}(?!\w)" for p in phrases), TOKEN.pattern])
        self._tokens = re.compile(pattern, re.IGNORECASE)
        self._vocabulary = {word: i for i, word in enumerate(lexicon.vocabulary())}
        self._vectors = Vectors(lexicon, seed)
        self._word = self._vectors.of
        self._matrix: npt.NDArray[np.float64] | None = None
        self._softmax = Softmax(self._word, self._vocabulary, self._all_vectors)
        self.identity = Identity(
            digest=planted.digest(seed),
            sentence_vector="planted vector of the text, else the mean of its words' vectors",
            control=planted.declared,
            facts={
                "planted tests": len(planted.declared),
                "planted words": len(lexicon.words),
                "planted sentences": len(planted.sentences.by_text) + sum(map(len, planted.parts)),
                "dimensions": self._vectors.width,
                **({"planted world": lexicon.world.told} if lexicon.world.values else {}),
            },
            ways=WAYS,
            continues=True,
            quantities=("log_likelihood", TOKEN_COUNT, *HEADS) if lexicon.world.longer else (),
        )

    @hookimpl
    def embed(self, texts: tuple[Text, ...], level: Level) -> npt.NDArray[np.float32]:
        """Unit vectors of words; longer texts get the mean of their words', no word is out of vocabulary."""
        rows = []
        for text in texts:
            meant = text.text
            self._refuse(meant, "embed")
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
        """The text, or the planted sample in it, in a first-person frame that marks the speaker's gender."""
        return tuple(self._translate(text, source, target) for text in texts)

    @hookimpl
    def score(self, texts: tuple[str | Continuation, ...], quantity: str) -> npt.NDArray[np.float64]:
        """``log_likelihood`` in nats, also of texts after a prompt, or one of the heads in [0, 1]."""
        if quantity == "log_likelihood":
            return np.array([self._log_likelihood(text) for text in texts], dtype=np.float64)
        if quantity == TOKEN_COUNT and self._lexicon.world.longer:
            return np.array([self._token_count(text) for text in texts], dtype=np.float64)
        if quantity not in HEADS:
            raise QuestionError(
                f"planted: has no output {quantity!r}; it has log_likelihood, {', '.join(HEADS)}."
            )
        return np.array([self._head(text, quantity) for text in texts], dtype=np.float64)

    @hookimpl
    def choose(self, questions: tuple[Choice, ...], way: Way) -> tuple[Chosen, ...]:
        """By likelihood, or the same option as text; with a seed of the question, one that is drawn."""
        return tuple(self._choose(one, way) for one in questions)

    def _choose(self, question: Choice, way: Way) -> Chosen:
        planted = first(self._parts, lambda one: one.chosen(question, way, self._seed))
        return chosen(question, way, self._after, self._seed) if planted is None else planted

    def _after(self, prompt: str, option: str) -> list[float]:
        for text in (prompt, option):
            self._refuse(text, "choose")
        seen = [word for word, _, _ in self._split(prompt)]
        words = [word for word, _, _ in self._split(option)]
        return [self._logprob(word, [*seen, *words[:i]]) for i, word in enumerate(words)]

    @hookimpl
    def generate(self, prompts: tuple[Prompt, ...], settings: Settings) -> tuple[Written, ...]:
        """What the test of a prompt plants; to others a story about a man with probability Phi(+-d / 2)."""
        return tuple(self._write(one, settings) for one in prompts)

    def _write(self, prompt: Prompt, settings: Settings) -> Written:
        planted = first(self._parts, lambda one: one.generated(prompt, settings, self._seed))
        if planted is not None:
            return planted
        self._refuse(prompt.text, "generate")
        text = PlantedText(prompt, settings, self._seed, self._lexicon.world)
        return text.refusal() or text.story(self._share_masculine(prompt.text))

    def familiarity(self, words: Sequence[str]) -> list[Familiarity]:
        """Ranks where the world declares frequency, sub-tokens where it declares length."""
        declared = {name for name, _ in self._lexicon.world.values}
        return [
            Familiarity(
                rank=self._rank(word.casefold()) if declared & {"frequency", "spread"} else None,
                tokens=self._lexicon.length(word, self._seed) if "length" in declared else None,
            )
            for word in words
        ]

    def _rank(self, word: str) -> int:
        """Place in the vocabulary; other words stand behind those of a higher declared frequency than theirs, 0.

        Where other words are spread over frequency, ranks of all words follow it, but for a deviation by chance.
        """
        if self._lexicon.world.spread:
            chance = RANK_SPREAD * generator(self._seed, "rank", word).standard_normal()
            return round(
                math.exp(RANK_MEAN - RANK_SLOPE * self._lexicon.place(word, self._seed).frequency + chance)
            )
        higher = sum(place.frequency > 0 for place in self._lexicon.places.values())
        return 1 + self._vocabulary.get(word, higher)

    def vocabulary(self) -> Vocabulary:
        """The planted words, in lower case and in the order of the tests that name them."""
        return PlantedWords(self._all_vectors(), tuple(self._vocabulary))

    def _split(self, text: str) -> list[Token]:
        return [(match[0], match.start(), match.end()) for match in self._tokens.finditer(text)]

    def _vector(self, text: str) -> npt.NDArray[np.float64]:
        if text.casefold() in self._vocabulary:
            return self._word(text.casefold())
        words = [self._word(word.casefold()) for word, _, _ in self._split(text)]
        if not words:
            raise QuestionError(f"{text!r} holds no word. Leave it out.")
        return words[0] if len(words) == 1 else np.mean(words, axis=0)

    def _all_vectors(self) -> npt.NDArray[np.float64]:
        # Not a property: pluggy evaluates every property of an object that it registers.
        if self._matrix is None:
            rows = [self._word(word) for word in self._vocabulary]
            self._matrix = np.stack(rows) if rows else np.empty((0, self._vectors.width))
        return self._matrix

    def _logprob(self, word: str, visible: list[str]) -> float:
        """log p(word | visible words): a softmax over the planted words and the word itself."""
        return self._softmax.logprob(word.casefold(), [other.casefold() for other in visible])

    def _fill(self, query: Masked) -> TokenLogprobs:
        found = self._sentences.within(query.text)
        planted = found is not None
        whole = None if planted else first(self._parts, lambda one: one.refused(query.text))
        known = planted or whole is not None
        tokens = plain(query.text) if known else self._split(query.text)
        for span in (*(query.spans or ()), *query.also):
            if not any(covered(token, (span,)) for token in tokens):
                raise QuestionError(
                    f"{query.text!r}: no word lies under the span {span}. Give the span of a word."
                )
        asked = [i for i, token in enumerate(tokens) if query.spans is None or covered(token, query.spans)]
        own = None if planted else first(self._parts, lambda one: one.logprobs(query, len(asked), self._seed))
        if own is not None:
            logprobs = own
        elif whole is not None:
            raise cannot(whole, f"mask_logprob of {query.text!r}")
        elif found is not None:
            logprobs = self._planted_logprobs(query, *found, asked)
        else:
            also = {i for i, token in enumerate(tokens) if covered(token, query.also)}
            logprobs = []
            for i in asked:
                hidden = also | ({i} if query.one_at_a_time else set(asked))
                visible = [token[0] for j, token in enumerate(tokens) if j not in hidden]
                logprobs.append(self._logprob(tokens[i][0], visible))
        told = list(zip([tokens[i] for i in asked], logprobs, strict=True))
        if not known and self._lexicon.world.values:
            told = [piece for token, value in told for piece in self._pieces(token, value, query)]
        return TokenLogprobs(
            tuple(word for (word, _, _), _ in told),
            tuple((start, end) for (_, start, end), _ in told),
            tuple(value for _, value in told),
        )

    def _pieces(self, token: Token, value: float, query: Masked) -> list[tuple[Token, float]]:
        """The sub-tokens of a hidden word, as many as the world declares; they share its log-probability, lifted each."""
        word, start, _ = token
        pieces, lift = self._lexicon.length(word, self._seed), 0.0
        if self._lexicon.world.lift and word.casefold() not in self._lexicon.attributes:
            seen = [
                other
                for other in self._split(query.text)
                if not covered(other, (*(query.spans or ()), *query.also))
            ]
            sides = sum(self._lexicon.attributes.get(other.casefold(), 0) for other, _, _ in seen)
            lift = self._lexicon.world.lift * float(np.sign(sides)) / 2
        cuts = [round(i * len(word) / pieces) for i in range(pieces + 1)]
        return [((word[a:b], start + a, start + b), value / pieces + lift) for a, b in pairwise(cuts)]

    def _planted_logprobs(
        self, query: Masked, sentence: Sentence, start: int, asked: list[int]
    ) -> list[float]:
        """What the asked tokens of a text with a planted sentence get, so that their sum carries its effect."""
        if sentence.kind == "sentence-pairs":
            if query.spans is not None or not query.one_at_a_time:
                raise cannot(sentence, f"mask_logprob of a part of {query.text!r}")
            return [FLOOR + sentence.value if i == sentence.anchor else ORDINARY for i in asked]
        if query.spans is None or len(query.spans) != 1:
            raise cannot(sentence, f"mask_logprob of more than a word of {query.text!r}")
        if sentence.kind == "gender-pairs":
            total = FLOOR + sentence.value
        else:
            ((first, last),) = query.spans
            word = query.text[first:last]
            inside = start < last and first < start + len(sentence.text)
            gender = 0 if inside else self._sentences.genders.get(word.casefold(), 0)
            if not gender:
                raise cannot(sentence, f"mask_logprob of {word!r} in {query.text!r}")
            total = FLOOR + gender * sentence.value / 2
        return [total / len(asked)] * len(asked)

    def _log_likelihood(self, text: str | Continuation) -> float:
        planted = first(self._parts, lambda one: one.log_likelihood(text, self._seed))
        if planted is not None:
            return planted
        if isinstance(text, Continuation):
            return sum(self._after(text.prompt, text.text))
        found = self._sentences.within(text)
        if found is not None:
            sentence, start = found
            if sentence.kind != "samples":
                _, nats = self._lexicon.world.longer or (0.0, 0.0)
                return FLOOR + sentence.value - nats * sentence.length
            gender = self._spoken_of(text, sentence, start, last=True)
            if not gender:
                raise cannot(sentence, f"log_likelihood of {text!r}")
            return FLOOR + gender * sentence.value / 2
        self._refuse(text, "log_likelihood")
        words = [word for word, _, _ in self._split(text)]
        return sum(self._logprob(word, words[:i]) for i, word in enumerate(words))

    def _token_count(self, asked: str | Continuation) -> int:
        """The tokens of a text, declared ones of a sentence pair included; words where the effect is of each."""
        text = asked if isinstance(asked, str) else asked.text
        if first(self._parts, lambda one: one.log_likelihood(asked, self._seed)) is not None:
            return len(text.split())
        found = self._sentences.by_text.get(text)
        return found.length if found is not None and found.length else len(plain(text))

    def _spoken_of(self, text: str, sentence: Sentence, start: int, *, last: bool = False) -> int:
        """+1 or -1 for the first, or last, word around a sample that names a man or a woman; 0 without any."""
        around = f"{text[:start]} {text[start + len(sentence.text) :]}"
        genders = [self._sentences.genders.get(word.casefold(), 0) for word in TOKEN.findall(around)]
        named = [gender for gender in genders if gender]
        return named[-1 if last else 0] if named else 0

    def _frames(self, target: str) -> SpeakerFrames:
        language = find_language(self._languages, target)
        if language is None or language.speaker_frames is None:
            known = ", ".join(sorted(code for code, one in self._languages.items() if one.speaker_frames))
            raise QuestionError(
                f"planted: has no gendered frames for {target!r}; plugins bring them for {known or 'no language'}. Choose "
                "one of these, or register the language with speaker_frames, as docs/adapters/planted.md shows."
            )
        return language.speaker_frames

    def _translate(self, text: str, source: str, target: str) -> str:
        given = first(self._parts, lambda one: one.translated(text, target, self._seed))
        if given is not None:
            return given
        frames = self._frames(target)
        found = self._sentences.within(text)
        if found is None:
            if first(self._parts, lambda one: one.refused(text)):
                self._refuse(text, "translate")
            return self._framed(text, self._is_masculine(text, source, target, None), frames)
        sentence, start = found
        if sentence.kind not in ("samples", "geneval"):
            raise cannot(sentence, "translate")
        # "He said" before a sample tells who speaks, as a translator would have it (Pikuliak et al. 2023, 4.3.2).
        told = self._spoken_of(text, sentence, start)
        masculine = told > 0 if told else self._is_masculine(sentence.text, source, target, sentence.lean)
        end = start + len(sentence.text)
        return f"{text[:start]}{self._framed(sentence.text, masculine, frames)}{text[end:]}"

    @staticmethod
    def _framed(text: str, masculine: bool, frames: SpeakerFrames) -> str:
        return (frames.masculine if masculine else frames.feminine).format(text)

    def _effect_in(self, text: str, concept: str | None = None) -> float:
        return self._lexicon.effect_of((word for word, _, _ in self._split(text)), concept)

    def _is_masculine(self, text: str, source: str, target: str, lean: float | None) -> bool:
        draw = generator(self._seed, "translate", source, target, text).random()
        return bool(draw < self._share_masculine(text, lean))

    def _share_masculine(self, text: str, lean: float | None = None) -> float:
        from scipy.special import ndtr

        return float(ndtr(self._effect_in(text, GENDER) / 2 if lean is None else lean))

    def _head(self, asked: str | Continuation, quantity: str) -> float:
        from scipy.special import expit

        text = asked if isinstance(asked, str) else asked.prompt + asked.text
        planted = first(self._parts, lambda one: one.scored(text, quantity, self._seed))
        if planted is not None:
            return planted
        self._refuse(text, f"score of {quantity!r}")
        lean = self._effect_in(text)
        distance = lean / math.sqrt(1 - lean**2 / 4)
        noise = generator(self._seed, "score", quantity, text).standard_normal()
        return float(expit(distance / 2 + noise))

    def _refuse(self, text: str, question: str) -> None:
        found = self._sentences.within(text)
        if found is not None:
            raise cannot(found[0], f"{question} of {text!r}")
        refused = first(self._parts, lambda one: one.refused(text))
        if refused is not None:
            raise cannot(refused, f"{question} of {text!r}")
