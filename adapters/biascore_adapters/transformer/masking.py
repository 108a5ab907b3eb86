"""Dynamic masking: which tokens of a batch a masked language model has to tell in a step, and what replaces them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore_adapters.transformer.arrays import padded
from biascore_adapters.transformer.tokens import Input

HIDDEN, REPLACED = 0.8, 0.1
"""Of the chosen tokens, those that the mask replaces and those that a random token does; the rest stays."""

NOT_ASKED: Final = -100
"""The label of a token that counts for no loss, which is torch's."""

Ids = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Piece(Input):
    """A text as the model is trained on it: ``own`` are the places of its own tokens."""

    own: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Masking:
    """How tokens are hidden: the id of the mask, those a random token is drawn from, the share that is chosen.

    ``pad`` is the id behind shorter texts.
    """

    mask: int
    ordinary: Ids
    share: float
    pad: int

    def batch(self, pieces: Sequence[Piece], rng: np.random.Generator) -> dict[str, Ids]:
        """What the model is given, and ``labels``, int64 of shape (n, t), of the pieces as one batch.

        Tokens are chosen by ``rng``: each with the same probability, and at least one.
        """
        given = padded(pieces, self.pad)
        ids = given["input_ids"]
        own = np.zeros(ids.shape, dtype=bool)
        for row, piece in enumerate(pieces):
            own[row, piece.own] = True
        places = np.argwhere(own)
        chosen = places[rng.random(len(places)) < self.share]
        if not len(chosen):  # a loss over nothing is not a number
            chosen = places[[rng.integers(len(places))]]
        rows, columns = chosen.T
        labels = np.full(ids.shape, NOT_ASKED, dtype=np.int64)
        labels[rows, columns] = ids[rows, columns]
        fate = rng.random(len(chosen))
        drawn = self.ordinary[rng.integers(len(self.ordinary), size=len(chosen))]
        stays = np.where(fate < HIDDEN + REPLACED, drawn, ids[rows, columns])
        ids[rows, columns] = np.where(fate < HIDDEN, self.mask, stays)
        if all(piece.types is None for piece in pieces):
            del given["token_type_ids"]
        return {**given, "labels": labels}
