"""How probable a word is after others, in a planted model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from biascore_adapters.planted.vectors import Vector

SCALE: Final = 20.0
_KEPT: Final = 1024
"""Words whose products with the vocabulary are kept: some kilobytes each."""


class Softmax:
    """A softmax over the planted words, and the word itself, of ``SCALE`` times its products with the words in sight.

    ``word`` gives the vector of any word, ``vectors`` those of the planted ones, which ``vocabulary`` numbers. The products
    are added up word by word, so that each word is multiplied with the vocabulary once.
    """

    def __init__(
        self, word: Callable[[str], Vector], vocabulary: Mapping[str, int], vectors: Callable[[], Vector]
    ) -> None:
        self._word, self._vocabulary = word, vocabulary
        self._products = lru_cache(_KEPT)(lambda other: vectors() @ word(other))

    def logprob(self, word: str, visible: Sequence[str]) -> float:
        """log p(word | visible words), in nats; all in lower case."""
        logits = np.zeros(len(self._vocabulary))
        for other in visible:
            logits += self._products(other)
        logits *= SCALE
        place = self._vocabulary.get(word)
        if place is None:
            own = self._word(word)
            logits = np.append(logits, SCALE * sum(float(own @ self._word(other)) for other in visible))
            place = -1
        logits -= logits.max()  # scipy's log_softmax takes four times as long for so few
        return float(logits[place] - np.log(np.exp(logits).sum()))
