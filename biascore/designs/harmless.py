"""Harmless groups: how many pairs of them, in the place of a test's own groups, reach its effect?

Men and women differ in every direction a little, and so do cyclists and campers; label permutations see either. An effect
that says something of the test's groups is larger than those of groups that nobody is harmed by. Where the test's groups are
people, these are people too; where they are topics (flowers and insects), topics.

Every list is represented by as many words: lists of unlike lengths scatter unlike, which alone would rank the effect
(benchmarks/bench_harmless.py). Groups are not matched to the test's own by nearness or frequency: that moves the level
more than what it removes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Final, Literal, NamedTuple

import numpy as np

from biascore.basics.frozen import Scalar
from biascore.basics.wording import counted
from biascore.designs.crossed import ATTRIBUTES, TARGETS, Crossed, Floats, Pair
from biascore.designs.diagnostics import NEARLY
from biascore.designs.effect import Sample
from biascore.designs.kept import made_once
from biascore.designs.options import NO_REFERENCE, OWN_KIND, ReferenceOptions, VectorOptions
from biascore.designs.words import RoleVectors, Vectors, embed_words
from biascore.errors import OptionsError, UnknownNameError
from biascore.models.model import Model
from biascore.results.caveat import Caveat
from biascore.results.specificity import Specificity
from biascore.stats.cosines import Cosines
from biascore.stats.exchange import both_reaching
from biascore.stats.harmless import (
    HarmlessPairs,
    Places,
    group_means,
    leave_two_out,
    mean_rank,
    p_of_groups,
    p_of_labels,
    pair_effects,
    rank,
)
from biascore.stimuli import Catalogue, Origin, Test, WordList

Kind = Literal["people", "topics"]
PEOPLE: Final = "people"
TOPICS: Final = "topics"
WORDS: Final = 12
"""Of each group so many words are asked."""
LONGEST: Final = 10
"""Longer lists are represented by so many of their words, drawn at random."""
MOST_OUT: Final = 0.1
"""At most this part of the groups is left out because it has fewer usable words than represent a list."""
SHORTEST: Final = 5
"""Fewer words do not represent a list."""
DRAWS: Final = 100
"""So often, for the share of a test, the words that represent the groups are drawn."""
OWN_DRAWS: Final = 20
"""And for each of these so often those of its own lists: the Monte-Carlo error of a share of .07 was then below .002."""
DRAWS_OF_PAIRS: Final = 20
"""So often, for the shares of pairs of harmless groups, of which there are many."""
LEAST: Final = 25
"""Fewer groups do not tell how large an effect harmless groups give."""
SHARED: Final = 2
"""A group with so many words of the test, or of a group before it, is left out."""
LABELLINGS: Final = 9_999
"""So many labellings give the p-values of pairs of harmless groups."""
NONE: Final = WordList("none", ())


@dataclass(frozen=True, slots=True)
class Groups:
    """The harmless groups that a test is compared with; ``problem`` says why there are none, ``lacking`` in six words.

    ``place``: the pair of lists whose place they take. ``asked`` are all their words, the same for all tests of a language
    that touch the same, so that a cache answers the next test. ``touched``: the groups that are left out because they are
    about what the test touches, or hold its words.
    """

    address: str
    place: Pair
    kind: Kind = TOPICS
    asked: WordList = NONE
    names: tuple[str, ...] = ()
    lists: tuple[tuple[str, ...], ...] = ()
    touched: tuple[str, ...] = ()
    problem: str = ""
    lacking: str = ""

    @classmethod
    def of(
        cls, test: Test, catalogue: Catalogue, options: ReferenceOptions, most: tuple[int, int] | None = None
    ) -> Groups:
        """Those of the file that the options name; raises OptionsError where another than the test's own kind has none.

        Left out are groups that are about what the test touches. ``most``: so many of the others, spread evenly over
        the file, and words of each, where a model answers one by one.
        """
        kind: Kind = PEOPLE if test.of_people else TOPICS
        place = TARGETS if test.of_people == "XY" else ATTRIBUTES
        if options.reference == NO_REFERENCE:
            return cls(
                "",
                place,
                kind,
                problem="reference=none asks for none",
                lacking="no harmless groups were asked for",
            )
        address = f"{test.language}/{kind if options.reference == OWN_KIND else options.reference}"
        found: list[WordList] = []
        with suppress(UnknownNameError):
            file = catalogue.file(test.language, address.partition("/")[2])
            found = [one for one in file.lists if isinstance(one, WordList)]
        if not found:
            if options.reference != OWN_KIND:
                raise OptionsError(
                    f"{test.id}: reference={options.reference!r}: there are no lists {address}.toml. Each list of a file is "
                    "a group; see what there is with: biascore list wordlists"
                )
            problem = f"there are no harmless groups; write them as lists of a stimuli file {address}.toml"
            return cls(address, place, kind, problem=problem, lacking="no harmless groups in this language")
        free = [one for one in found if not set(one.about) & set(test.touches)]
        own = frozenset(word.casefold() for role in test.roles.values() for word in role.words)
        asked, lists, again = _harmless(tuple(free), own, most or (len(free), WORDS))
        touched = tuple(one.name for one in found if one not in free or one.name in again)
        return cls(address, place, kind, asked, tuple(lists), tuple(lists.values()), touched)

    def read_from(self, catalogue: Catalogue) -> tuple[Origin, ...]:
        """The file that holds them, where there is one."""
        if self.problem:
            return ()
        language, _, stem = self.address.partition("/")
        return (catalogue.file(language, stem),)

    @property
    def stay(self) -> Pair:
        """The lists that stay."""
        return ATTRIBUTES if self.place == TARGETS else TARGETS

    def asked_of(self, test: Test, words: Mapping[str, Sequence[str]]) -> Test:
        """The test with these words in the lists that stay, and all words of the groups in place of the others."""
        first, second = self.place
        kept = {role: replace(test.roles[role], words=tuple(words[role])) for role in self.stay}
        return replace(test, roles={**kept, first: self.asked, second: NONE})


@lru_cache(maxsize=256)  # a test is checked, measured and recorded with the same groups
def _harmless(
    groups: tuple[WordList, ...], own: frozenset[str], most: tuple[int, int]
) -> tuple[WordList, Mapping[str, tuple[str, ...]], tuple[str, ...]]:
    """All words that are asked, by group those that are not the test's own, and the groups that hold too many of these."""
    count, width = most
    if len(groups) > count:
        groups = tuple(groups[round(place)] for place in np.linspace(0, len(groups) - 1, count).tolist())
    words = dict.fromkeys(word for one in groups for word in one.words[:width])
    tags = {word: tag for one in groups for word, tag in one.parts_of_speech.items() if word in words}
    lists: dict[str, tuple[str, ...]] = {}
    held: list[str] = []
    for one in groups:
        some = one.words[:width]
        again = any(len({*some} & {*other}) >= SHARED for other in lists.values())
        if again or sum(word.casefold() in own for word in one.words) >= SHARED:
            held.append(one.name)
        else:
            lists[one.name] = tuple(word for word in some if word.casefold() not in own)
    return WordList("harmless groups", tuple(words), parts_of_speech=tags), lists, tuple(held)


class OfGroups(NamedTuple):
    """Associations (n, m) of the words of the lists that stay with the m usable ``words`` of the groups.

    ``vectors`` (m, d): those of these words, where there are some. ``queries``: so many more were needed, at most.
    """

    words: Sequence[str]
    scores: Floats
    vectors: Vectors | None = None
    queries: int = 0


@dataclass(frozen=True, slots=True)
class Compared:
    """An effect among those of pairs of harmless groups; ``told`` says how they were compared, as a convention."""

    found: Specificity
    told: str
    pairs: Callable[[], HarmlessPairs] | None = None

    @classmethod
    def without(cls, groups: Groups, problem: str = "", lacking: str = "") -> Compared:
        """No comparison, and why, in full and in six words."""
        problem, lacking = problem or groups.problem, lacking or groups.lacking
        found = Specificity(pool=groups.address, kind=groups.kind, problem=problem, lacking=lacking)
        return cls(found, f"none: {problem}")

    @classmethod
    def of(
        cls,
        groups: Groups,
        of_groups: OfGroups,
        crossed: Crossed,
        sample: Sample,
        options: ReferenceOptions,
        rng: np.random.Generator,
        own: Pair = TARGETS,
    ) -> Compared:
        """Rank the effect of a table of associations; ``sample`` is what the test of the labels of ``own`` is of."""
        table, first, cut = _units(crossed, groups.place)
        sides = np.arange(cut), np.arange(cut, table.shape[1])
        shorter = min(map(len, sides))
        if shorter < SHORTEST:
            problem = f"one of {' and '.join(groups.place)} has {counted(shorter, 'usable word')}, and {SHORTEST} are needed"
            return cls.without(groups, problem, "lists too short for harmless groups")
        length, names, usable = _usable(groups, of_groups, min(LONGEST, shorter))
        if len(usable) < LEAST:
            problem = (
                f"{groups.address} has {len(usable)} groups with {length} words that the model knows and the test does not "
                f"hold or touch, and {LEAST} are needed"
            )
            return cls.without(groups, problem, "no harmless groups in this vocabulary")
        scores = of_groups.scores
        transposed = groups.place == own
        whole = np.column_stack([table[:, some].mean(axis=1) for some in sides])
        effect = float(pair_effects(whole, first, options.ddof)[0, 1])
        ranks = []
        for _ in range(DRAWS):
            effects = pair_effects(group_means(scores, usable, length, rng), first, options.ddof)
            own_words = group_means(table, sides * OWN_DRAWS, length, rng).reshape(-1, OWN_DRAWS, 2)
            drawn = pair_effects(np.ascontiguousarray(own_words.swapaxes(0, 1)), first, options.ddof)[:, 0, 1]
            ranks.append(rank(drawn, effects, options.alternative))
        found = mean_rank(ranks)
        specificity = Specificity(
            share=found.share,
            pairs=found.pairs,
            groups=len(usable),
            pool=groups.address,
            kind=groups.kind,
            low=found.low,
            high=found.high,
            transposed=effect if transposed else None,
            near=_nearness(crossed, groups, of_groups, usable),
        )
        told = (
            f"{found.pairs:,} pairs of {len(usable)} groups of {groups.address} in the place of "
            f"{' and '.join(groups.place)}, each list represented by {length} words, mean of {DRAWS} draws, and in each of "
            f"{OWN_DRAWS} of the test's own words"
            + _left_out(groups, names)
            + (f"; {of_groups.queries:,} queries more, at most" if of_groups.queries else "")
        )
        pairs = partial(
            _pairs,
            names,
            usable,
            scores,
            first,
            length,
            options,
            rng.spawn(1)[0],
            None if transposed else sample,
        )
        return cls(specificity, told, pairs)

    def further(self, told: str) -> Compared:
        """The same, with more to state where there is a comparison."""
        return self if self.found.share is None else replace(self, told=f"{self.told}, {told}")

    def caveats(self) -> tuple[Caveat, ...]:
        """That one group of the pool decides whether the share is below its level."""
        found = self.found
        if found.low is None or found.high is None or not found.low <= found.level < found.high:
            return ()
        text = (
            f"the share of harmless pairs is {found.low:z.3f} to {found.high:z.3f}, by which of {found.pool} is left out: "
            f"one group decides whether it is at most {found.level:g}"
        )
        return (Caveat(text),)

    def stated(self) -> dict[str, Scalar]:
        """The convention on harmless groups."""
        return {"harmless groups": self.told}


def _left_out(groups: Groups, names: Sequence[str]) -> str:
    """The groups that were not compared, by name."""
    lacking = [name for name in groups.names if name not in names]
    of = {"the test touches or holds them": groups.touched, "too few words, or as another": lacking}
    return "".join(f"; left out, {why}: {', '.join(some)}" for why, some in of.items() if some)


def _pairs(
    names: tuple[str, ...],
    usable: Sequence[Places],
    scores: Floats,
    first: int,
    length: int,
    options: ReferenceOptions,
    rng: np.random.Generator,
    sample: Sample | None,
) -> HarmlessPairs:
    """What each pair of groups gives in the place of the test's own; without ``sample`` their words are what is permuted."""
    shares = [
        leave_two_out(pair_effects(group_means(scores, usable, length, rng), first, options.ddof))
        for _ in range(DRAWS_OF_PAIRS)
    ]
    if sample is None:
        s = scores[:first].mean(axis=0) - scores[first:].mean(axis=0)
        p_values = p_of_groups([s[some] for some in usable], LABELLINGS, rng)
    else:
        means = group_means(scores, usable, WORDS, rng)
        p_values = p_of_labels(means, *_labellings(sample, options.alpha, rng))
    one, other = np.triu_indices(len(usable), 1)
    return HarmlessPairs(names, one, other, np.mean(shares, axis=0), p_values)


def _units(crossed: Crossed, place: Pair) -> tuple[Floats | Cosines, int, int]:
    """The table with units of the lists that stay as rows and words of the groups as columns, and where each is parted."""
    if place == ATTRIBUTES:
        return crossed.attribute_words(), crossed.size("X"), len(crossed.words["A"])
    return crossed.target_words().T, crossed.size("A"), len(crossed.words["X"])


def _usable(groups: Groups, of_groups: OfGroups, most: int) -> tuple[int, tuple[str, ...], list[Places]]:
    """How many words represent a list, ``most`` or fewer, and the groups with so many usable ones: their words' places.

    Of groups that are nearly one to the model the first counts.
    """
    place = {word: number for number, word in enumerate(of_groups.words)}
    every = [np.array([place[word] for word in one if word in place], dtype=np.intp) for one in groups.lists]
    sizes = sorted(map(len, every)) or [0]
    length = min(most, max(SHORTEST, sizes[math.floor(MOST_OUT * len(sizes))]))
    kept = [number for number, some in enumerate(every) if len(some) >= length]
    if of_groups.vectors is not None and len(kept) > 1:
        centres = _centres(of_groups.vectors, [every[number] for number in kept])
        apart = np.sqrt(np.maximum(2.0 - 2.0 * centres @ centres.T, 0.0))
        usual = np.sqrt((apart**2).sum() / (len(kept) * (len(kept) - 1)))
        alone: list[int] = []
        for number in range(len(kept)):
            if not alone or apart[number, alone].min() >= NEARLY * usual:
                alone.append(number)
        kept = [kept[number] for number in alone]
    return length, tuple(groups.names[number] for number in kept), [every[number] for number in kept]


def _centres(vectors: Vectors, lists: Sequence[Places]) -> Floats:
    """The directions (t, d) of the means of lists of vectors at length 1."""
    exact = vectors.astype(np.float64)
    exact /= np.linalg.norm(exact, axis=1, keepdims=True)
    found: Floats = np.stack([exact[some].mean(axis=0) for some in lists])
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    return found


def _nearness(
    crossed: Crossed, groups: Groups, of_groups: OfGroups, usable: Sequence[Places]
) -> tuple[float, float] | None:
    """The cosine of the centres of the test's two groups, and the mean of those of two harmless groups."""
    if of_groups.vectors is None or crossed.vectors is None:
        return None
    first, second = (crossed.vectors[role] for role in groups.place)
    both = np.concatenate([first, second])
    own = _centres(both, [np.arange(len(first)), np.arange(len(first), len(both))])
    others = _centres(of_groups.vectors, usable)
    cosines = (others @ others.T)[np.triu_indices(len(others), 1)]
    return float(own[0] @ own[1]), float(cosines.mean())


def _labellings(sample: Sample, alpha: float, rng: np.random.Generator) -> tuple[Iterator[Floats], Floats]:
    """Random labellings as the test of the effect exchanges them, as weights of the units, and those of the observed one."""
    exchange, _ = both_reaching(sample.exchange, sample.across, alpha)
    observed = exchange.weights(np.array([exchange.first], dtype=np.float64))[0]
    drawn = exchange.drawn(LABELLINGS, rng, len(exchange.unit))
    return (exchange.weights(some) for some in drawn), observed


def vectors_of(
    model: Model, groups: Groups, options: VectorOptions
) -> tuple[tuple[str, ...], Vectors, Floats]:
    """The usable words of the groups, their vectors, and these at length 1.

    Asked once of an opened model, for every test of a language that touches the same asks the same.
    """

    def asked() -> tuple[RoleVectors, Floats]:
        keep = options.model_copy(update={"duplicates": "keep"})  # they are no observations
        found = embed_words(model, {"groups": groups.asked.words}, options.level, keep)
        exact = found.vectors["groups"].astype(np.float64)
        return found, exact / np.linalg.norm(exact, axis=1, keepdims=True)

    found, unit = made_once(model, (groups.asked.words, options.level, options.unseen), asked)
    return found.words["groups"], found.vectors["groups"], unit
