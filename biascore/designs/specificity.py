"""Specificity: how many pairs of unrelated topics, in the place of A and B, reach the effect?

Two topics differ in every direction a little, also in that from Y to X. So lists of metals and drinks are associated with X
and Y as well, and label permutations see it (Ethayarajh, Duvenaud & Hirst 2019, ACL). An effect that says something of A
and B is larger than those of unrelated topics. Topics are drawn as topics: random mixtures of words have no direction of
their own, and 8 to 17 % of harmless topics would pass for special at 5 %.

A and B count as two topics more: pairs of A with a topic, and of a topic with B, are ranked, too. So the share is
exact where A and B are topics like the others (tests/benchmarks/bench_specificity.py).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from biascore.basics.frozen import Scalar
from biascore.designs.frequency import Proxy, Rows, proxies_of
from biascore.designs.options import NO_TOPICS, TOPICS, TopicOptions, VectorOptions
from biascore.designs.words import RoleVectors, embed_words
from biascore.errors import OptionsError, UnknownNameError
from biascore.models.model import Model
from biascore.results.caveat import Caveat
from biascore.results.specificity import Specificity
from biascore.stats.cosines import Cosines
from biascore.stimuli import Catalogue, Origin, Test, WordList

LONGEST: Final = 8
"""Longer lists are represented by so many of their words, drawn at random: of 12 words of a topic 8 match them."""
DRAWS: Final = 20
"""So often, where lists are represented."""
LEAST: Final = 10
"""Fewer topics do not tell how large an effect unrelated topics give."""
WORDS: Final = 12
"""Of each topic so many words are asked."""
SHARED: Final = 2
"""A topic with so many words of the test is not unrelated to it."""
FAR: Final = 0.5
"""Standard deviations of the topics' words: words so far from A or B match them no more."""
NEAR: Final = 1e-9

CELLS: Final = 2**22
"""Scores that are held at once where all pairs of topics are compared."""
NONE: Final = WordList("none", ())

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Topics:
    """The topics of a test's language that share hardly a word with it; ``problem`` says why there are none.

    ``asked`` are all their words, the same for all tests of a language, so that a cache answers the next test.
    """

    address: str
    asked: WordList = NONE
    lists: tuple[tuple[str, ...], ...] = ()
    problem: str = ""

    @classmethod
    def of(
        cls, test: Test, catalogue: Catalogue, options: TopicOptions, most: tuple[int, int] | None = None
    ) -> Topics:
        """Those of the file that the options name; raises OptionsError where another than the default has none.

        ``most``: so many topics, spread evenly over the file, and words of each, where a model answers one by one.
        """
        address = f"{test.language}/{options.topics}"
        if options.topics == NO_TOPICS:
            return cls(address, problem="topics=none asks for none")
        found: list[WordList] = []
        with suppress(UnknownNameError):
            file = catalogue.file(test.language, options.topics)
            found = [one for one in file.lists if isinstance(one, WordList)]
        if not found:
            if options.topics != TOPICS:
                raise OptionsError(
                    f"{test.id}: topics={options.topics!r}: there are no lists {address}.toml. Each list of a file is a "
                    "topic; see what there is with: biascore list wordlists"
                )
            return cls(
                address, problem=f"there are no topics; write them as lists of a stimuli file {address}.toml"
            )
        own = frozenset(word.casefold() for role in test.roles.values() for word in role.words)
        asked, lists = _unrelated(tuple(found), own, most or (len(found), WORDS))
        return cls(address, asked, lists)

    def read_from(self, catalogue: Catalogue) -> tuple[Origin, ...]:
        """The file that holds them, where there is one."""
        if self.problem:
            return ()
        language, _, stem = self.address.partition("/")
        return (catalogue.file(language, stem),)


@lru_cache(maxsize=256)  # a test is checked, measured and recorded with the same topics
def _unrelated(
    topics: tuple[WordList, ...], own: frozenset[str], most: tuple[int, int]
) -> tuple[WordList, tuple[tuple[str, ...], ...]]:
    """All words that are asked, and by topic those that are not the test's own."""
    count, width = most
    if len(topics) > count:
        topics = tuple(topics[round(place)] for place in np.linspace(0, len(topics) - 1, count).tolist())
    words = dict.fromkeys(word for one in topics for word in one.words[:width])
    tags = {word: tag for one in topics for word, tag in one.parts_of_speech.items() if word in words}
    lists = tuple(
        tuple(word for word in one.words[:width] if word.casefold() not in own)
        for one in topics
        if sum(word.casefold() in own for word in one.words) < SHARED
    )
    return WordList("topics", tuple(words), parts_of_speech=tags), lists


@dataclass(frozen=True, slots=True)
class Compared:
    """An effect among those of topics; ``found`` is None where there is a ``problem``.

    ``told`` says how the topics were matched to A and B, ``far`` in what they could not be.
    """

    address: str
    found: Specificity | None = None
    problem: str = ""
    told: str = ""
    far: str = ""

    @classmethod
    def of(
        cls,
        topics: Topics,
        words: Sequence[str],
        scores: Floats,
        table: Floats | Cosines,
        sizes: tuple[int, int],
        options: TopicOptions,
        rng: np.random.Generator,
        frequency: Proxy | None = None,
    ) -> Compared:
        """Rank the effect of a table of associations among those of topics.

        ``scores`` (n, m) are the associations of the n targets with the m usable ``words`` of the topics, and ``table``
        (n, a + b) those with the words of A and B; ``sizes`` are how many targets are of X, and how many words of A.
        ``frequency`` has the roles A, B and topics.
        """
        first, a = sizes
        lengths = [min(size, LONGEST) for size in (a, table.shape[1] - a)]
        place = {word: number for number, word in enumerate(words)}
        usable = [[place[word] for word in one if word in place] for one in topics.lists]
        usable = [one for one in usable if len(one) >= max(lengths)]
        if len(usable) < LEAST:
            return cls(
                topics.address,
                problem=f"{topics.address} has {len(usable)} topics with {max(lengths)} usable words that are not in the "
                f"test, and {LEAST} are needed",
            )
        of_words, of_own = _features(scores, table, frequency)
        width = max(map(len, usable))
        index = np.array([[*one, *[one[0]] * (width - len(one))] for one in usable])
        free = np.array([[k < len(one) for k in range(width)] for one in usable])
        attributes = np.arange(a), np.arange(a, table.shape[1])
        represented = any(len(of) > LONGEST for of in attributes)
        shares, placed = [], []
        for _ in range(DRAWS if represented else 1):
            own = [rng.permutation(of)[:length] for of, length in zip(attributes, lengths, strict=True)]
            chosen = [_choose(of_words[index], free, of_own[one], rng) for one in own]
            chosen = [np.take_along_axis(index, one, axis=1) for one in chosen]
            in_a, in_b = (
                np.column_stack([scores[:, some].mean(axis=2), table[:, one].mean(axis=1)])
                for some, one in zip(chosen, own, strict=True)
            )
            effects = _effects(in_a, in_b, first, options)
            count = effects.size - 1
            reached = int(np.count_nonzero(effects[:-1] >= effects[-1] - NEAR))
            shares.append((1 + reached) / (1 + count))
            placed.append(
                [
                    of_words[some].mean(axis=(0, 1)) - of_own[one].mean(axis=0)
                    for some, one in zip(chosen, own, strict=True)
                ]
            )
        names = ["nearness to the targets", *([frequency.shown] if frequency else [])]
        apart = np.abs(np.mean(placed, axis=0))
        far = [name for name, distance in zip(names, apart.max(axis=0), strict=True) if distance >= FAR]
        how = f"{lengths[0]} + {lengths[1]} words each" + (f", {DRAWS} draws" if represented else "")
        return cls(
            topics.address,
            Specificity(share=float(np.mean(shares)), pairs=count, topics=len(usable), pool=topics.address),
            told=f"{count} pairs of {len(usable)} topics of {topics.address}, A and B among them, {how}, matched to A and B "
            f"in {' and '.join(names)}",
            far=" and ".join(far),
        )

    def caveats(self) -> tuple[Caveat, ...]:
        """That the topics are no match, where the effect passes for specific."""
        if self.found is None or not self.found.specific or not self.far:
            return ()
        text = (
            f"the topics have no words like those of A and B in {self.far}, which may be a part of why the effect is larger "
            "than theirs"
        )
        return (Caveat(text),)

    def stated(self) -> dict[str, Scalar]:
        """The convention on specificity."""
        return {"specificity": self.told or f"none: {self.problem}"}


_KEPT: Final[WeakKeyDictionary[Model, dict[Hashable, tuple[RoleVectors, Floats]]]] = WeakKeyDictionary()


def vectors_of(model: Model, topics: Topics, options: VectorOptions) -> tuple[tuple[str, ...], Rows, Floats]:
    """The usable words of the topics, their vectors, and these at length 1.

    Asked once of an opened model, for every test of a language asks the same.
    """
    kept = _KEPT.setdefault(model, {})
    key = (topics.asked.words, options.level, options.unseen)
    if key not in kept:
        keep = options.model_copy(update={"duplicates": "keep"})  # they are no observations
        asked = embed_words(model, {"topics": topics.asked.words}, options.level, keep)
        exact = asked.vectors["topics"].astype(np.float64)
        kept[key] = asked, exact / np.linalg.norm(exact, axis=1, keepdims=True)
    found, unit = kept[key]
    return found.words["topics"], found.vectors["topics"], unit


def without(topics: Topics, problem: str = "") -> Compared:
    """No specificity, and why."""
    return Compared(topics.address, problem=problem or topics.problem)


def proxy_of(
    model: Model,
    own: tuple[Sequence[str], Sequence[str]],
    words: Sequence[str],
    vectors: tuple[Rows, Rows, Rows] | None = None,
) -> Proxy | None:
    """The best proxy of word frequency for A, B and the topics' words that a model has; asks it nothing."""
    roles = ("A", "B", "topics")
    lists = dict(zip(roles, (*own, words), strict=True))
    if not all(lists.values()):
        return None
    rows = None if vectors is None else dict(zip(roles, vectors, strict=True))
    return next(proxies_of(model, lists, rows), None)


def _features(scores: Floats, table: Floats | Cosines, frequency: Proxy | None) -> tuple[Floats, Floats]:
    """What topics are matched by, in standard deviations of their words: (m, k) of these, (a + b, k) of A and B."""
    pairs = [(scores.mean(axis=0), table.mean(axis=0))]
    if frequency is not None:
        values = frequency.values
        pairs.append((values["topics"], np.concatenate([values["A"], values["B"]])))
    spreads = [float(of_words.std()) or 1.0 for of_words, _ in pairs]
    first, second = (
        np.column_stack([pair[side] / spread for pair, spread in zip(pairs, spreads, strict=True)])
        for side in (0, 1)
    )
    return first, second


def _choose(
    features: Floats, free: npt.NDArray[np.bool_], wanted: Floats, rng: np.random.Generator
) -> Places:
    """Of each topic (t, w, k) the word nearest to each wanted one (l, k), none twice: their places (t, l)."""
    left, rows = free.copy(), np.arange(len(free))
    chosen = np.empty((len(free), len(wanted)), dtype=np.intp)
    for place in rng.permutation(len(wanted)):
        apart = np.where(left, np.abs(features - wanted[place]).sum(axis=2), np.inf)
        chosen[:, place] = apart.argmin(axis=1)
        left[rows, chosen[:, place]] = False
    return chosen


def _effects(in_a: Floats, in_b: Floats, first: int, options: TopicOptions) -> Floats:
    """The effect of each pair of two lists, that of A and B last.

    ``in_a`` and ``in_b`` (n, t + 1) are mean associations with the lists in the place of A and of B, the own one last.
    """
    count = in_a.shape[1]
    one, other = np.nonzero(~np.eye(count, dtype=np.bool_))
    one, other = np.append(one, count - 1), np.append(other, count - 1)
    difference, spread, largest = np.empty(one.size), np.empty(one.size), 0.0
    step = max(1, CELLS // len(in_a))
    for start in range(0, one.size, step):
        part = slice(start, start + step)
        s = in_a[:, one[part]] - in_b[:, other[part]]
        difference[part] = s[:first].mean(axis=0) - s[first:].mean(axis=0)
        spread[part] = s.std(axis=0, ddof=options.ddof)
        largest = max(largest, float(np.abs(s).max()))
    with np.errstate(invalid="ignore", divide="ignore"):
        # Without variance there is no effect size; to reach the effect is the cautious way to count it.
        d: Floats = np.where(spread > NEAR * largest, difference / spread, np.inf)
    return np.abs(d) if options.alternative == "two-sided" else d
