"""Crossed scores: every target with every attribute, which WEAT and its kin give, and what is odd about their lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from biascore.basics.frozen import Scalar
from biascore.designs.effect import Sample
from biascore.designs.words import Vectors, composed_caveat, coverage_caveats, exchange_of
from biascore.results.caveat import Caveat, caveats_of
from biascore.results.coverage import Coverage
from biascore.results.measurement import item_table
from biascore.stats.cosines import Cosines
from biascore.stats.exchange import Exchange, Named
from biascore.stimuli import Test

Floats = npt.NDArray[np.float64]
Pair = tuple[str, str]
TARGETS: Final[Pair] = ("X", "Y")
ATTRIBUTES: Final[Pair] = ("A", "B")
ROLES: Final = (*TARGETS, *ATTRIBUTES)
OF_USABLE_WORDS: Final = ("exchanged", "harmless groups")
"""Conventions that depend on which words a model knows, so that they may differ between two that are compared."""


@dataclass(frozen=True, slots=True)
class Crossed:
    """Associations of targets with attributes.

    ``words``: the usable words of X, Y, A and B, in list order, and ``coverage`` those that were lost. ``table`` (n, m):
    rows are those of X, then Y, columns those of A, then B; a `Cosines` where it is too large to be held. ``vectors``
    (k, d): those of the words of each role, where there are some; ``norms``: whether the length of one may tell how
    frequent its word is. ``counts``: where rows and columns are sentences, the number of each word. ``blocks``: by role,
    the kind of each word, within which words are exchanged. ``columns``: further columns of the item table. ``source``:
    what else the method needs of its answers.
    """

    words: Mapping[str, tuple[str, ...]]
    table: Floats | Cosines
    coverage: Coverage
    vectors: Mapping[str, Vectors] | None = None
    norms: bool = True
    counts: Mapping[str, Sequence[int]] | None = None
    blocks: Mapping[str, Sequence[str]] = field(default_factory=dict)
    columns: Mapping[str, Sequence[Scalar]] = field(default_factory=dict)
    source: Any = None

    def sample(
        self,
        test: Test,
        own: Pair = TARGETS,
        against: Pair = ATTRIBUTES,
        table: Floats | Cosines | None = None,
    ) -> Sample:
        """The table, or another one of its shape, with the words of ``own`` as observations."""
        table = self.table if table is None else table
        labels = ("target", "attribute")
        return Sample(
            table if own == TARGETS else table.T,
            self.size(own[0]),
            self.size(against[0]),
            self._exchange(test, own),
            self._exchange(test, against),
            labels if own == TARGETS else labels[::-1],
            "sentences" if self.counts else "words",
        )

    def thinned(self, most: int, rng: np.random.Generator) -> Crossed:
        """The same with ``most`` targets, drawn from X and Y in proportion; not where rows are sentences."""
        first, count = len(self.words["X"]), len(self.table)
        if count <= most or self.counts:
            return self
        sides = np.split(np.arange(count), [first])
        own = [np.sort(rng.permutation(side)[: max(2, round(most * len(side) / count))]) for side in sides]
        drawn = dict(zip(TARGETS, (own[0], own[1] - first), strict=True))
        words = {role: tuple(self.words[role][i] for i in places.tolist()) for role, places in drawn.items()}
        vectors = self.vectors and {role: self.vectors[role][places] for role, places in drawn.items()}
        return replace(
            self,
            words={**self.words, **words},
            table=self.table[np.concatenate(own)],
            vectors=self.vectors and {**self.vectors, **(vectors or {})},
        )

    def attribute_words(self) -> Floats | Cosines:
        """The table with one column for each attribute word: the mean over its sentences."""
        counts = [count for role in ATTRIBUTES for count in self.counts[role]] if self.counts else []
        return means(np.asarray(self.table).T, counts).T if counts else self.table

    def target_words(self) -> Floats | Cosines:
        """The table with one row for each target word: the mean over its sentences."""
        counts = [count for role in TARGETS for count in self.counts[role]] if self.counts else []
        return means(np.asarray(self.table), counts) if counts else self.table

    def items(self, test: Test, sample: Sample, own: Pair, more: Mapping[str, Sequence[Scalar]]) -> pa.Table:
        """The item table: the score of each word of ``own``, the mean over its sentences."""
        values = list(sample.scores)
        if self.counts:
            values = [means(some, self.counts[role]) for some, role in zip(values, own, strict=True)]
        return item_table(
            item=[word for role in own for word in self.words[role]],
            group=[test.roles[role].name for role in own for _ in self.words[role]],
            value=[float(value) for some in values for value in some],
            more=more,
        )

    def size(self, role: str) -> int:
        """The number of rows, or columns, of a role: of its words, or of their sentences."""
        return sum(self.counts[role]) if self.counts else len(self.words[role])

    def _exchange(self, test: Test, roles: Pair) -> Exchange:
        one, other = ([*self.blocks.get(role, ())] for role in roles)
        if self.counts is None:
            return exchange_of_roles(test, self.words, roles, (one, other))
        # Families and counterparts are of words.
        repeated = [
            [kind for kind, count in zip(some, self.counts[role], strict=False) for _ in range(count)]
            for role, some in zip(roles, (one, other), strict=True)
        ]
        return Exchange.of((self.size(roles[0]), self.size(roles[1])), blocks=(repeated[0], repeated[1]))


def means(values: Floats, counts: Sequence[int]) -> Floats:
    """Means over the sentences of each word: (sentences, ...) gives (words, ...)."""
    ends = np.cumsum(counts)
    return np.stack([values[end - count : end].mean(axis=0) for end, count in zip(ends, counts, strict=True)])


def exchange_of_roles(
    test: Test, words: Mapping[str, Sequence[str]], roles: Pair, blocks: Named = ((), ())
) -> Exchange:
    """What of the usable words of two roles may be exchanged, by their lists; ``blocks`` as of `Exchange.of`."""
    one, other = roles
    return exchange_of((test.roles[one], test.roles[other]), (words[one], words[other]), blocks)


def role_caveats(
    words: Mapping[str, Sequence[str]], coverage: Coverage, *, brief: bool = True
) -> tuple[Caveat, ...]:
    """Of the lists of a WEAT test: small or lost ones, words in two of them, unequal targets."""
    found, crossing = list[str](), list[Caveat]()
    for one, other in combinations(ROLES, 2):
        others = set(words[other])
        both = [word for word in dict.fromkeys(words[one]) if word in others]
        told = f"in both {one} and {other}: {', '.join(both)}"
        if both and one in "XY" and other in "AB":
            # The cosine of a word with itself is 1 in every model.
            crossing.append(Caveat(told, short=told))
        elif both:
            found.append(told)
    if len(words["X"]) != len(words["Y"]):
        found.append(
            f"X and Y differ in size ({len(words['X'])} and {len(words['Y'])}); "
            "the permutation test keeps these sizes, where the papers assume equal ones"
        )
    details = (*caveats_of(found, verdict=False), *composed_caveat(coverage))
    return (*crossing, *coverage_caveats(coverage, brief=brief), *details)
