"""The softmax of a planted model: added up word by word, it is that over all planted words at once."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import log_softmax

from biascore_adapters.planted.vectors import SCALE, Softmax

WORDS = ("nurse", "engineer", "he", "she", "office")
RNG = np.random.default_rng(3)
VECTORS = {word: RNG.standard_normal(7) / 3 for word in (*WORDS, "zebra", "yak")}
MATRIX = np.stack([VECTORS[word] for word in WORDS])


@pytest.mark.parametrize("word", ["he", "zebra"])
@pytest.mark.parametrize("visible", [[], ["nurse"], ["yak", "she", "yak", "office"]])
def test_it_is_the_softmax_of_the_sum(word: str, visible: list[str]) -> None:
    softmax = Softmax(VECTORS.__getitem__, {one: i for i, one in enumerate(WORDS)}, lambda: MATRIX)
    context = np.sum([VECTORS[one] for one in visible], axis=0) if visible else np.zeros(7)
    rows = MATRIX if word in WORDS else np.vstack([MATRIX, VECTORS[word]])
    place = WORDS.index(word) if word in WORDS else -1
    expected = log_softmax(SCALE * (rows @ context))[place]
    assert softmax.logprob(word, visible) == pytest.approx(expected, rel=1e-12)
    assert softmax.logprob(word, visible) == softmax.logprob(word, visible)
