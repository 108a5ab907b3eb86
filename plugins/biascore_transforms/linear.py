"""A learnt transform that is a linear map of low rank: what grammatical gender, INLP, LEACE and top components give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biascore.api.formats import array_of
from biascore.api.transforms import FittedTransform, Scalar, Transform, TransformContext
from biascore.errors import DataError
from biascore.stats.removal import LowRankMap
from biascore_transforms import basis_file
from biascore_transforms.basis_file import Learnt, record_of


@dataclass(frozen=True, eq=False)
class LinearTransform(Learnt):
    """A map and its record; ``record.cuts``: how many of its directions each step had removed, the last all."""

    change: LowRankMap

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"read": self.change.read, "write": self.change.write, "offset": self.change.offset}

    def apply(self, vectors: NDArray[np.float32], words: Sequence[str]) -> NDArray[np.float32]:
        """All directions removed in a single product; raises OptionsError for vectors of another dimension."""
        self.check_dimensions(vectors)
        return self.change.apply(vectors).astype(np.float32, copy=False)

    def steps(self) -> tuple[FittedTransform, ...]:
        """A prefix of the basis for each step, and itself."""
        return (*(self._after(step, cut) for step, cut in enumerate(self.record.cuts[:-1], start=1)), self)

    def _after(self, step: int, cut: int) -> LinearTransform:
        facts: dict[str, Scalar] = {"step": step, "directions": cut}
        record = replace(
            self.record,
            facts=facts,
            warnings=(),
            trace=self.record.trace[: step + 1],
            cuts=self.record.cuts[:step],
        )
        return LinearTransform(record, LowRankMap.projection(self.change.read[:, :cut]))


def learnt(
    transform: Transform, change: LowRankMap, context: TransformContext, **known: Any
) -> LinearTransform:
    """The map with where it was learnt, and what is ``known`` of it as `record_of` takes it."""
    return LinearTransform(record_of(transform, context, change.dimensions, **known), change)


def from_file(path: str, transform: str, context: TransformContext) -> LinearTransform:
    """What ``LinearTransform.save`` wrote; raises DataError, OptionsError."""
    arrays, record = basis_file.read(path, transform, context)
    try:
        read = array_of(arrays, "read", (record.dimensions, None))
        write, offset = array_of(arrays, "write", read.shape), array_of(arrays, "offset", read.shape[:1])
        change = LowRankMap(read, write, offset)
        cuts = list(record.cuts)
        if cuts != sorted(cuts) or (cuts and cuts[-1] != change.rank):
            raise ValueError("its steps do not add up")
        with np.errstate(all="ignore"):
            if not np.isfinite(change.apply(np.ones((1, len(read)), dtype=np.float32))).all():
                raise ValueError("its numbers are too large for vectors of float32")
            found = LinearTransform(record, change)
            found.steps()
    except ValueError as error:
        raise DataError(
            f"{path} holds no basis that could be applied: {error}. Give a file that fitted.save(path) wrote"
        ) from error
    return found
