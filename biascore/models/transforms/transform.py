"""What a transform plugin writes: one class per method, which learns from words how vectors are changed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

from biascore.basics.frozen import Scalar
from biascore.basics.options import Configured, OptionsT
from biascore.errors import CapabilityError
from biascore.models.backend import Identity
from biascore.models.questions.questions import Level
from biascore.stimuli import Catalogue

IN_SHORT: Final = "in short"
"""The fact that is all of them for a reader in a hurry."""


class VocabularyUnknownError(CapabilityError):
    """The most frequent words of a model, asked for before one is open."""


@dataclass(frozen=True, slots=True)
class Vectors:
    """The words of a role that the model knows, their vectors (n, d), and the words that it does not know."""

    words: tuple[str, ...]
    rows: npt.NDArray[np.float64]
    lost: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TransformContext:
    """What the engine lends to a transform: the stimuli, and what it knows of the model.

    ``identity`` is that of the model whose vectors are changed, None before one is opened; ``level`` is what is
    embedded while the transform is fitted, else None. ``vocabulary(n)`` gives the n most frequent words of the model,
    and raises VocabularyUnknownError where there is no model yet, CapabilityError where it has no list of its words.
    """

    catalogue: Catalogue
    identity: Identity | None
    level: Level | None
    vocabulary: Callable[[int], Sequence[str]]


class FittedTransform(ABC):
    """What was learnt, ready to be applied: set these four on every instance.

    ``digest``: ``"blake2b:<hex>"`` of what was learnt. ``facts``: what a reader has to know of it, by name (how many
    directions, held-out accuracy before and after). ``warnings``: whole sentences. ``trace``: a row for each step that
    it was learnt in, ``()`` where there are no steps. The terminal shows the fact ``IN_SHORT`` alone, where there is one,
    and else the first three.
    """

    digest: str
    facts: Mapping[str, Scalar]
    warnings: tuple[str, ...]
    trace: tuple[Mapping[str, Scalar], ...]

    @abstractmethod
    def apply(self, vectors: npt.NDArray[np.float32], words: Sequence[str]) -> npt.NDArray[np.float32]:
        """The vectors (n, d), float32, after the transform, in the same shape; ``words`` are the texts of the rows.

        The rows are finite: the engine keeps those of words that are out of vocabulary to itself.
        """

    def steps(self) -> tuple[FittedTransform, ...]:
        """What it was after 1, 2, ... steps, itself last; the default is itself alone."""
        return (self,)

    def save(self, path: Path) -> None:  # noqa: ARG002
        """Write what was learnt to a file that an option of the transform reads; the default raises CapabilityError."""
        raise CapabilityError(
            f"what {type(self).__name__} learnt cannot be written to a file. Fit it again from its words"
        )


class Transform(ABC, Configured[OptionsT]):
    """One paper's method: ``class HardDebias(Transform[HardDebiasOptions])``, of its options.

    ``name`` is what users type, ``reference`` the paper. ``option_type`` is the class in brackets; without brackets
    the class of no options. Nothing random but by a seed that is an option: the same words and vectors give the same.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    reference: ClassVar[str]

    def __init__(self, options: OptionsT) -> None:
        """Take validated options of its class."""
        self.options: OptionsT = options

    def words(self, context: TransformContext) -> Mapping[str, Sequence[str]]:  # noqa: ARG002
        """The words that it is learnt from, by role; the default is none.

        Also called before a model is opened, to find what is wrong with an audit: ``context.identity`` is None then,
        and ``context.vocabulary`` raises. Raises UnknownNameError, StimuliError or OptionsError.
        """
        return {}

    def taught_by(self, words: Mapping[str, Sequence[str]]) -> Iterable[str]:
        """Those of its ``words`` that decide what it does to vectors; the default is all of them.

        What a metric measures on these words says little of others: the engine counts them, and cautions. Leave out words
        that only show what was learnt, such as held-out ones.
        """
        return [word for some in words.values() for word in some]

    def stimuli(self) -> Sequence[str]:
        """The addresses of the tests and lists that ``words`` reads, which a run records; the default is none."""
        return ()

    def files(self) -> Sequence[str | Path]:
        """The files that it reads, whose digests are part of its fingerprint; the default is none."""
        return ()

    @abstractmethod
    def fit(self, learnt_from: Mapping[str, Vectors], context: TransformContext) -> FittedTransform:
        """Learn from the vectors of ``words``, by role; called once for each level that is asked for.

        Raises StimuliError or OptionsError where the words are too few or do not fit.
        """
