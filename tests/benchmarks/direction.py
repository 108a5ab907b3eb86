"""A transform for benchmarks: the direction in which the means of two lists of a test differ is projected out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from biascore.plugins_api import FittedTransform, Options, Transform, TransformContext, Vectors

Vector = npt.NDArray[np.float64]


class Projection(FittedTransform):
    """Without one direction (d,), a unit vector."""

    facts: Mapping[str, str] = {}
    warnings: tuple[str, ...] = ()
    trace: tuple[Mapping[str, str], ...] = ()

    def __init__(self, direction: Vector, name: str) -> None:
        self.direction, self.digest = direction.astype(np.float32), f"blake2b:{name}"

    def apply(self, vectors: npt.NDArray[np.float32], words: Sequence[str]) -> npt.NDArray[np.float32]:
        found: npt.NDArray[np.float32] = vectors - np.outer(vectors @ self.direction, self.direction)
        return found


class DifferenceOptions(Options):
    """``roles``: two of X, Y, A and B of ``test``."""

    test: str
    roles: str


class Difference(Transform[DifferenceOptions]):
    """Takes away what tells the means of two lists apart."""

    name = "difference"
    summary = "the direction between the means of two lists projected out"
    reference = ""

    def words(self, context: TransformContext) -> Mapping[str, Sequence[str]]:
        lists = context.catalogue.test(self.options.test).roles
        return {role: lists[role].words for role in self.options.roles}

    def fit(self, learnt_from: Mapping[str, Vectors], context: TransformContext) -> FittedTransform:
        one, other = (learnt_from[role].rows.mean(axis=0) for role in self.options.roles)
        return Projection((one - other) / np.linalg.norm(one - other), self.options.roles)
