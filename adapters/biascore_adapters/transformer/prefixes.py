"""Texts that begin alike as a tree of prefixes, in which each is computed once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from biascore_adapters.transformer.tokens import Input

A = TypeVar("A")
LONGEST: Final = 64
"""Tokens of the longest text in a tree, and of the longest that a model is tried with: windows of attention are longer."""
TOKENS: Final = 128
"""Of a row, all of which are in the product of each with each; a row repeats what its first text begins with. Measured: 64
tokens took a twentieth more time than 128, and 256 as much."""
PAYS: Final = 0.75
"""A tree with more than this part of the tokens of its texts gains less than its larger products cost."""


@dataclass(frozen=True, slots=True)
class Branches(Input):
    """A part of the tree as one row of a pass: tokens, and of each the place of the one ``before`` it, -1 for none."""

    before: Sequence[int] = ()


class Prefixes(Generic[A]):
    """The ``rows`` in which every prefix of some texts stands once, or once more where a row is full.

    Each text comes by its number, with the (position, token) pairs that are wanted of it: it is computed up to the last of
    these positions, so that what no token follows is not.
    """

    def __init__(self, texts: Mapping[int, tuple[Input, Sequence[tuple[int, int]]]]) -> None:
        self.rows: list[Branches] = []
        self._places: list[dict[tuple[int, int], int]] = []
        self._asked: dict[
            int, tuple[int, list[int]]
        ] = {}  # the row of each text, and its places in what is wanted there
        needed = {
            number: list(one.ids[: 1 + max(place for place, _ in wanted)])
            for number, (one, wanted) in texts.items()
        }
        ids: list[int] = []
        before: list[int] = []
        path: list[int] = []
        for number in sorted(needed, key=needed.__getitem__):
            own, (one, wanted) = needed[number], texts[number]
            path = path[: _same([ids[place] for place in path], own)]
            if not self.rows or len(ids) + len(own) - len(path) > TOKENS:
                ids, before, path = [], [], []
                self.rows.append(Branches(ids, None, one.text, before))
                self._places.append({})
            for token in own[len(path) :]:
                before.append(path[-1] if path else -1)
                path.append(len(ids))
                ids.append(token)
            places = self._places[-1]
            cells = [places.setdefault((path[place], token), len(places)) for place, token in wanted]
            self._asked[number] = len(self.rows) - 1, cells

    def __contains__(self, number: int) -> bool:
        return number in self._asked

    def wanted(self) -> list[list[tuple[int, int]]]:
        """The (place, token) pairs that are wanted of each row, each once."""
        return [list(places) for places in self._places]

    def answers(self, found: Sequence[Sequence[A]]) -> Iterator[tuple[int, list[A]]]:
        """The number of each text with what is wanted of it, from what is of each row."""
        for number, (row, cells) in self._asked.items():
            yield number, [found[row][cell] for cell in cells]


def tree_arrays(rows: Sequence[Branches], length: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Positions of the tokens in their texts, (n, t), and which tokens each sees: itself and those before it, (n, t, t)."""
    before = np.full((len(rows), length), -1, dtype=np.int64)
    for row, one in enumerate(rows):
        before[row, : len(one.before)] = one.before
    sees = np.zeros((len(rows), length, length), dtype=np.bool_)
    numbers = np.arange(len(rows))
    for place in range(length):
        earlier = before[:, place]
        sees[:, place] = sees[numbers, earlier] & (earlier >= 0)[:, None]
        sees[:, place, place] = True
    return sees.sum(axis=2) - 1, sees


def _same(one: Sequence[int], other: Sequence[int]) -> int:
    """How many tokens both begin with."""
    return next(
        (at for at, both in enumerate(zip(one, other, strict=False)) if both[0] != both[1]),
        min(len(one), len(other)),
    )
