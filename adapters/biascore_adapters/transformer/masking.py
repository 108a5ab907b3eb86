"""Dynamic masking: which tokens of a batch a masked language model has to tell in a step, and what replaces them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

HIDDEN, REPLACED = 0.8, 0.1
"""Of the chosen tokens, those that the mask replaces and those that a random token does; the rest stays."""

NOT_ASKED: Final = -100
"""The label of a token that counts for no loss, which is torch's."""

Ids = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Piece:
    """A text as the model is trained on it: t token ids, token types if it takes them, and the places of its own tokens."""

    ids: Sequence[int]
    types: Sequence[int] | None
    own: Sequence[int]


@dataclass(frozen=True, slots=True)
class Batch:
    """Ids, attention, token types (or None) and labels of n texts, padded behind: int64 of shape (n, t)."""

    ids: Ids
    attention: Ids
    types: Ids | None
    labels: Ids


@dataclass(frozen=True, slots=True)
class Masking:
    """How tokens are hidden: the id of the mask, those a random token is drawn from, the share that is chosen.

    ``pad`` is the id behind shorter texts.
    """

    mask: int
    ordinary: Ids
    share: float
    pad: int

    def batch(self, pieces: Sequence[Piece], rng: np.random.Generator) -> Batch:
        """The pieces as one batch, with tokens chosen by ``rng``: each with the same probability, and at least one."""
        shape = len(pieces), max(len(piece.ids) for piece in pieces)
        ids = np.full(shape, self.pad, dtype=np.int64)
        attention, types, own = (np.zeros(shape, dtype=np.int64) for _ in range(3))
        for row, piece in enumerate(pieces):
            length = len(piece.ids)
            ids[row, :length], attention[row, :length], own[row, piece.own] = piece.ids, 1, 1
            types[row, :length] = 0 if piece.types is None else piece.types
        places = np.argwhere(own)
        chosen = places[rng.random(len(places)) < self.share]
        if not len(chosen):  # a loss over nothing is not a number
            chosen = places[[rng.integers(len(places))]]
        rows, columns = chosen.T
        labels = np.full(shape, NOT_ASKED, dtype=np.int64)
        labels[rows, columns] = ids[rows, columns]
        fate = rng.random(len(chosen))
        drawn = self.ordinary[rng.integers(len(self.ordinary), size=len(chosen))]
        stays = np.where(fate < HIDDEN + REPLACED, drawn, ids[rows, columns])
        ids[rows, columns] = np.where(fate < HIDDEN, self.mask, stays)
        with_types = any(piece.types is not None for piece in pieces)
        return Batch(ids, attention, types if with_types else None, labels)
