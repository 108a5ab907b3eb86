"""A learnt transform that is a linear map of low rank: what grammatical gender, INLP, LEACE and top components give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biascore.api.formats import array_of
from biascore.api.transforms import FittedTransform, Scalar, Transform, TransformContext
from biascore.errors import DataError, OptionsError
from biascore.stats.removal import LowRankMap
from biascore_transforms import basis_file
from biascore_transforms.basis_file import Record


@dataclass(frozen=True, eq=False)
class LinearTransform(FittedTransform):
    """A map and its record; ``record.cuts``: how many of its directions each step had removed, the last all."""

    change: LowRankMap
    record: Record
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "digest", basis_file.digest_of(self.arrays))
        for name in ("facts", "warnings", "trace"):
            object.__setattr__(self, name, getattr(self.record, name))

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"read": self.change.read, "write": self.change.write, "offset": self.change.offset}

    def apply(self, vectors: NDArray[np.float32], words: Sequence[str]) -> NDArray[np.float32]:
        """All directions removed in a single product; raises OptionsError for vectors of another dimension."""
        if vectors.shape[1] != self.change.dimensions:
            raise OptionsError(
                f"{self.record.transform} was learnt from vectors of {self.change.dimensions} dimensions, and these have "
                f"{vectors.shape[1]}. Learn it from this model: leave basis out"
            )
        return self.change.apply(vectors).astype(np.float32, copy=False)

    def steps(self) -> tuple[FittedTransform, ...]:
        """A prefix of the basis for each step, and itself."""
        return (*(self._after(step, cut) for step, cut in enumerate(self.record.cuts[:-1], start=1)), self)

    def save(self, path: Path) -> None:
        """Write it for the option ``basis``; raises DataError."""
        basis_file.write(path, self.arrays, self.record)

    def _after(self, step: int, cut: int) -> LinearTransform:
        facts: dict[str, Scalar] = {"step": step, "directions": cut}
        record = replace(
            self.record,
            facts=facts,
            warnings=(),
            trace=self.record.trace[: step + 1],
            cuts=self.record.cuts[:step],
        )
        return LinearTransform(LowRankMap.projection(self.change.read[:, :cut]), record)


def learnt(
    transform: Transform,
    change: LowRankMap,
    context: TransformContext,
    *,
    facts: Mapping[str, Scalar],
    warnings: Sequence[str] = (),
    trace: Sequence[dict[str, Scalar]] = (),
    cuts: tuple[int, ...] = (),
) -> LinearTransform:
    """The map with where it was learnt: options, model, level."""
    record = Record(
        transform.name,
        transform.options.model_dump(mode="json"),
        context.identity.digest if context.identity else "",
        context.level or "",
        change.dimensions,
        dict(facts),
        tuple(warnings),
        tuple(trace),
        cuts,
    )
    return LinearTransform(change, record)


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
            found = LinearTransform(change, record)
            found.steps()
    except ValueError as error:
        raise DataError(
            f"{path} holds no basis that could be applied: {error}. Give a file that fitted.save(path) wrote"
        ) from error
    return found
