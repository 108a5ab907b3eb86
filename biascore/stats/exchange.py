"""What may be exchanged between two lists of words.

Exchanging words one by one is right where they are independent observations of two lists, alike but for the labels:

- *families*: words that are nearly the same ("bianco", "bianca") are one observation. Exchanged one by one they make a
  true null hypothesis rejected far too often; families are exchanged as a whole.
- *blocks*: words are exchanged only within a block. Where the i-th words of two lists are counterparts ("he", "she"), each
  pair is a block, and what both have in common cancels; where words are in unlike sentences, each kind is one.
- *studentized*: where the lists differ in size and scatter, differences of means are exchangeable only over their standard
  error (Romano 1990; Chung & Romano 2013, Annals of Statistics 41:484).

A mean is always one over words, so exchanging families of unequal size changes its denominators.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from biascore.stats._checks import Floats

KEPT_LABELLINGS: Final = 20_000
"""Choices of no more units than that are kept for the next test of lists of these sizes (C(16, 8) are 12,870)."""
UNEQUAL: Final = 1.5
"""Lists whose numbers of units differ by more than this factor are tested with the studentized difference."""
SPARE: Final = 5
"""Blocks must allow a p so many times below alpha: a run decides on adjusted p-values, and 6 pairs give none below .031."""

_CHUNK: Final = 2**20  # numbers held at once: 8 MiB

Named = tuple[Sequence[Hashable], Sequence[Hashable]]
"""A name for each word of the first list and for each of the second; both empty where nothing is declared."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """Words of two lists, those of the first list first, in units that are exchanged within blocks."""

    unit: tuple[int, ...]
    """The unit (family) of each word, numbered from 0 in the order of the words."""
    first: tuple[bool, ...]
    """Whether each unit is of the first list."""
    block: tuple[int, ...]
    """The block of each unit, numbered from 0."""
    paired: bool = False
    """Whether blocks are pairs of counterparts."""
    coarser: tuple[Exchange, ...] = ()
    """The same with fewer blocks, for `reaching`: of kinds alone, of counterparts alone, none."""

    @classmethod
    def of(
        cls,
        sizes: tuple[int, int],
        *,
        families: Named = ((), ()),
        blocks: Named = ((), ()),
        counterparts: Named = ((), ()),
    ) -> Exchange:
        """Of two lists of these sizes. A family is of one list, whatever its name; a block may be of both.

        A family whose words are of several blocks is exchanged with families of just these. ``counterparts`` gives both
        words of a pair one name, and None to a word without; pairs that share a family are one block, and words without
        a counterpart are a block of their own. Blocks and counterparts can be combined: then labels are exchanged
        within both. Raises ValueError for a wrong number of names.
        """
        for what, named in (("families", families), ("blocks", blocks), ("counterparts", counterparts)):
            for names, size in zip(named, sizes, strict=True):
                if len(names) not in (0, size):
                    raise ValueError(f"{what} names {len(names)} of {size} words; pass one name per word")
        own: dict[Hashable, int] = {}
        unit: list[int] = []
        first: list[bool] = []
        for side, (names, size) in enumerate(zip(families, sizes, strict=True)):
            for name in names or range(size):
                number = own.setdefault((side, name), len(own))
                unit.append(number)
                if number == len(first):
                    first.append(side == 0)
        keys: list[set[Hashable]] = [set() for _ in first]
        for number, key in zip(unit, [*blocks[0], *blocks[1]], strict=False):
            keys[number].add(key)
        pairs = _joined(unit, [*counterparts[0], *counterparts[1]], len(first))
        kinds = [frozenset(key) for key in keys]
        paired = any(pair is not None for pair in pairs)
        words = tuple(unit), tuple(first)
        coarser = (
            cls(*words, _numbered(kinds)),
            cls(*words, _numbered(pairs), paired),
            cls(*words, (0,) * len(first)),
        )
        return cls(*words, _numbered(list(zip(kinds, pairs, strict=True))), paired, coarser)

    @property
    def units(self) -> tuple[int, int]:
        """Numbers of units of the first list and of the second."""
        return sum(self.first), len(self.first) - sum(self.first)

    @property
    def together(self) -> tuple[int, ...]:
        """The number of what a bootstrap resamples as one, for each word: its pair of counterparts, or else its unit."""
        sides: dict[int, set[bool]] = {}
        for block, of_first in zip(self.block, self.first, strict=True):
            sides.setdefault(block, set()).add(of_first)
        units = len(self.first)
        return tuple(
            units + self.block[unit] if self.paired and len(sides[self.block[unit]]) > 1 else unit
            for unit in self.unit
        )

    @property
    def plain(self) -> bool:
        """Whether words are exchanged one by one and without limits."""
        return len(self.first) == len(self.unit) and not any(self.block)

    @property
    def independent(self) -> bool:
        """Whether every word is an observation of its own: no families and no pairs."""
        return len(self.first) == len(self.unit) and not self.paired

    @property
    def unequal(self) -> bool:
        """Whether one list has more than `UNEQUAL` times the units of the other, each two at least, in one block."""
        small, large = sorted(self.units)
        return small > 1 and large > UNEQUAL * small and not any(self.block)

    @property
    def exchanging(self) -> int:
        """Number of blocks that hold units of both lists; the others keep their labels."""
        return sum(0 < of_first < size for of_first, size in self._sizes())

    @property
    def labellings(self) -> int:
        """Number of ways to label the units, as many of each block to the first list as there are."""
        return math.prod(math.comb(size, of_first) for of_first, size in self._sizes())

    @property
    def mirrored(self) -> bool:
        """Whether exchanging all labels is a labelling, too: two are then as extreme as one another."""
        return all(2 * of_first == size for of_first, size in self._sizes())

    def smallest_p(self, alternative: Literal["greater", "two-sided"] = "two-sided") -> float:
        """The smallest p-value that an exact test can give."""
        return min(1.0, (2 if alternative == "two-sided" and self.mirrored else 1) / self.labellings)

    def reaching(self, alpha: float, *, keep_blocks: bool = False) -> Exchange:
        """The same, but without counterparts, or blocks, where these leave too few labellings for a p of alpha / `SPARE`.

        Exchanging across counterparts is valid, too, and counts what they have in common as noise. Exchanging across blocks
        is valid only where another test keeps to them: see `both_reaching`. The choice looks at numbers of words alone, so
        it costs nothing.
        """
        coarser = self.coarser[:1] if keep_blocks else self.coarser
        return next((one for one in (self, *coarser) if one.reaches(alpha)), [self, *coarser][-1])

    def reaches(self, alpha: float) -> bool:
        """Whether there are enough labellings for a p of alpha / `SPARE`."""
        return SPARE * self.smallest_p() <= alpha

    def told(self, what: str) -> str:
        """``8 pairs of attribute words`` or ``6 + 5 families of target words, within their kinds``; ``what`` is a plural."""
        a, b = self.units
        families = "families of " * (len(self.first) < len(self.unit))
        if self.paired:
            return f"{self.exchanging} pairs of {families}{what}"
        within = ", within their kinds" if any(self.block) else ""
        return f"{a} + {b} {families}{what}{within}"

    def weights(self, in_first: Floats) -> Floats:
        """Weights (rows, words) of the difference of means for labellings (rows, units), 1 for the first list."""
        words = in_first[:, self.unit]
        of_first = words.sum(axis=1, keepdims=True)
        return np.asarray(np.where(words > 0.0, 1.0 / of_first, -1.0 / (words.shape[1] - of_first)))

    def drawn(self, draws: int, rng: np.random.Generator, width: int = 1) -> Iterator[Floats]:
        """``draws`` random labellings of the units, in blocks of rows (some, units) that leave room for ``width`` values."""
        labels = np.array(self.first, dtype=np.float64)
        for rows in blocks(draws, max(width, labels.size)):
            found = np.tile(labels, (rows, 1))
            for places in self._places():
                found[:, places] = rng.permuted(found[:, places], axis=1)
            yield found

    def all(self) -> Iterator[Floats]:
        """Every labelling of the units once, in blocks of rows (some, units)."""
        labels = np.array(self.first, dtype=np.float64)
        choices = []
        for places in self._places():
            size, chosen = places.size, int(labels[places].sum())
            few = math.comb(size, chosen) <= KEPT_LABELLINGS
            choices.append((places, (_kept_ways if few else _ways)(size, chosen)))
        start = 0
        for rows in blocks(self.labellings, labels.size):
            number = np.arange(start, start + rows)
            found = np.tile(labels, (rows, 1))
            for places, ways in choices:
                number, way = np.divmod(number, len(ways))
                found[:, places] = ways[way]
            yield found
            start += rows

    def _sizes(self) -> list[tuple[int, int]]:
        """Units of the first list, and all units, in each block."""
        count = max(self.block) + 1
        of_first, size = [0] * count, [0] * count
        for is_first, block in zip(self.first, self.block, strict=True):
            of_first[block] += is_first
            size[block] += 1
        return list(zip(of_first, size, strict=True))

    def _places(self) -> list[NDArray[np.intp]]:
        """The units of each block that holds some of both lists."""
        sizes = self._sizes()
        order = np.argsort(np.array(self.block), kind="stable")
        places = np.split(order, np.cumsum([size for _, size in sizes])[:-1])
        return [own for own, (of_first, size) in zip(places, sizes, strict=True) if 0 < of_first < size]


def both_reaching(own: Exchange, across: Exchange, alpha: float) -> tuple[Exchange, Exchange]:
    """Each as `Exchange.reaching` has it, for a table of both; the blocks of one of them stay, whatever they leave.

    What the cells of a table owe to the blocks of row and column is the same in all labellings of the rows within their
    blocks, so that p of the rows is none of the blocks', and the larger p is not either. Those of the columns stay in
    their place where they alone leave enough labellings.
    """
    rows, columns = (one.reaching(alpha, keep_blocks=True) for one in (own, across))
    if columns.reaches(alpha) and not rows.reaches(alpha):
        return own.reaching(alpha), columns
    return rows, across.reaching(alpha)


def _ways(size: int, chosen: int) -> Floats:
    """Every choice of so many of ``size`` units, 1 for those chosen: (ways, size)."""
    places = np.array(list(combinations(range(size), chosen)))
    ways = np.zeros((len(places), size))
    np.put_along_axis(ways, places, 1.0, axis=1)
    ways.setflags(write=False)
    return ways


_kept_ways = lru_cache(maxsize=8)(
    _ways
)  # lists of a run are often of one size, and choices take longer than sums


def _numbered(keys: Sequence[Hashable]) -> tuple[int, ...]:
    numbers: dict[Hashable, int] = {}
    return tuple(numbers.setdefault(key, len(numbers)) for key in keys)


def _joined(unit: Sequence[int], names: Sequence[Hashable], units: int) -> list[Hashable]:
    """The block of pairs that each unit is of, None for one without a counterpart: pairs that share a unit are joined."""
    block: list[Hashable] = [None] * units
    of_name: dict[Hashable, set[int]] = {}
    for number, name in zip(unit, names, strict=False):
        if name is not None:
            of_name.setdefault(name, set()).add(number)
    of_label: dict[Hashable, set[int]] = {}
    for members in of_name.values():
        if len(members) < 2:
            continue  # its counterpart is not there
        joined = {block[number] for number in members} - {None}
        label = min(members)
        of_label[label] = members.union(*(of_label.pop(one) for one in joined))
        for number in of_label[label]:
            block[number] = label
    return block


def blocks(rows: int, width: int) -> Iterator[int]:
    """Numbers of rows that make up ``rows``, each block of ``width`` columns within the memory bound."""
    step = max(1, _CHUNK // width)
    for start in range(0, rows, step):
        yield min(step, rows - start)
