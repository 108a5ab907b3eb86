"""``vendor-short``: the vectors as customers store them, cut to their first numbers."""

import hashlib

import numpy as np
from biascore.api.transforms import FittedTransform, Options, Transform
from pydantic import Field


class ShortOptions(Options):
    """``numbers``: how many are kept."""

    numbers: int = Field(ge=1)


class Shortened(FittedTransform):
    """The first numbers of each vector, which is then brought to length 1; the others are 0."""

    def __init__(self, numbers):
        self._numbers = numbers
        self.digest = f"blake2b:{hashlib.blake2b(str(numbers).encode()).hexdigest()}"
        self.facts = {"numbers kept": numbers}
        self.warnings = ()
        self.trace = ()

    def apply(self, vectors, words):
        kept = np.zeros_like(vectors)
        kept[:, : self._numbers] = vectors[:, : self._numbers]
        return kept / np.maximum(np.linalg.norm(kept, axis=1, keepdims=True), np.float32(1e-12))


class Short(Transform[ShortOptions]):
    """Cuts vectors to their first numbers; it learns nothing from words."""

    name = "vendor-short"
    summary = "the first numbers of each vector, at length 1"
    reference = "Kusupati et al. 2022, Matryoshka Representation Learning"

    def fit(self, learnt_from, context):
        return Shortened(self.options.numbers)
