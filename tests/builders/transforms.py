"""A transform made for tests: it takes away the mean of the words that it is given, in one step or several."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from biascore.api.transforms import FittedTransform, Options, Scalar, Transform, TransformContext, Vectors
from biascore.errors import StimuliError


class CentreOptions(Options):
    """Which words, in how many steps."""

    words: tuple[str, ...] = ("aa", "bbbb")
    parts: int = 1
    test: str = ""


@dataclass(frozen=True)
class Centred(FittedTransform):
    """What is taken away, after so many of the steps."""

    mean: npt.NDArray[np.float64]
    step: int
    parts: int
    warnings: tuple[str, ...] = ()

    @property
    def digest(self) -> str:  # type: ignore[override]
        return f"blake2b:{hashlib.blake2b(self.mean.tobytes() + bytes([self.step])).hexdigest()}"

    @property
    def facts(self) -> Mapping[str, Scalar]:  # type: ignore[override]
        return {"steps": self.step}

    @property
    def trace(self) -> tuple[Mapping[str, Scalar], ...]:  # type: ignore[override]
        return tuple({"step": step} for step in range(1, self.step + 1))

    def apply(self, vectors: npt.NDArray[np.float32], words: Sequence[str]) -> npt.NDArray[np.float32]:
        return (vectors - self.mean * self.step / self.parts).astype(np.float32)

    def steps(self) -> tuple[FittedTransform, ...]:
        return tuple(Centred(self.mean, step, self.parts) for step in range(1, self.step + 1))


class Centre(Transform[CentreOptions]):
    """Takes the mean of some words away from every vector; keeps what it was fitted on."""

    name = "centre"
    summary = "take a mean away"
    reference = "made for a test"
    fits: ClassVar[list[tuple[str, str]]] = []

    def words(self, context: TransformContext) -> Mapping[str, Sequence[str]]:
        if self.options.test:
            return {role: one.words for role, one in context.catalogue.test(self.options.test).lists.items()}
        return {"centre": self.options.words}

    def stimuli(self) -> Sequence[str]:
        return (self.options.test,) if self.options.test else ()

    def fit(self, learnt_from: Mapping[str, Vectors], context: TransformContext) -> FittedTransform:
        assert context.identity is not None
        assert context.level is not None
        self.fits.append((context.identity.digest, context.level))
        rows = np.vstack([one.rows for one in learnt_from.values()])
        if not len(rows):
            raise StimuliError("centre: the model knows none of the words. Name others")
        return Centred(rows.mean(axis=0), self.options.parts, self.options.parts)


class ProjectOptions(Options):
    """Directions to take away, one after the other; they are made orthogonal."""

    directions: tuple[tuple[float, ...], ...] = ()


@dataclass(frozen=True)
class Projected(FittedTransform):
    """Without the span of some orthonormal directions (k, d); a step for each."""

    basis: npt.NDArray[np.float64]
    facts: Mapping[str, Scalar] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def digest(self) -> str:  # type: ignore[override]
        return f"blake2b:{hashlib.blake2b(self.basis.tobytes()).hexdigest()}"

    @property
    def trace(self) -> tuple[Mapping[str, Scalar], ...]:  # type: ignore[override]
        return tuple(
            {
                "step": step,
                "held-out accuracy": 1 / (step + 1),
                "held-out accuracy, low": 0.0,
                "held-out accuracy, high": 1.0,
            }
            for step in range(len(self.basis) + 1)
        )

    def apply(self, vectors: npt.NDArray[np.float32], words: Sequence[str]) -> npt.NDArray[np.float32]:
        exact = vectors.astype(np.float64)
        return (exact - exact @ self.basis.T @ self.basis).astype(np.float32)

    def steps(self) -> tuple[FittedTransform, ...]:
        return tuple(Projected(self.basis[: step + 1]) for step in range(len(self.basis)))


class Project(Transform[ProjectOptions]):
    """Takes directions away that are given, so that nothing is learnt."""

    name = "project"
    summary = "take given directions away"
    reference = "made for a test"

    def fit(self, learnt_from: Mapping[str, Vectors], context: TransformContext) -> FittedTransform:
        directions = np.array(self.options.directions, dtype=np.float64)
        return Projected(np.linalg.qr(directions.T)[0].T if len(directions) else np.empty((0, 0)))


def without(*directions: Sequence[float]) -> Project:
    """The transform that takes these directions away."""
    return Project(ProjectOptions(directions=tuple(tuple(map(float, one)) for one in directions)))
