"""What a run records of a model: how it was opened, and what it was asked."""

from __future__ import annotations

from typing import Any

from pydantic import Field, field_validator

from biascore.basics.frozen import Frozen, FrozenMap, Scalar


class QuestionCounts(Frozen):
    """How many questions were put; how many of them were repeats, in the cache, or asked of the model.

    ``characters``: the code points of those that were asked, by which services charge. Not counted: questions with a
    kept answer that a free model is asked once more, since the batch of a lost answer is asked whole.
    """

    put: int = 0
    repeated: int = 0
    cached: int = 0
    asked: int = 0
    characters: int = 0


class FitUsed(Frozen):
    """What a transform learnt at one level: the digest of it, what a reader has to know, and warnings."""

    level: str
    digest: str
    facts: FrozenMap[Scalar]
    warnings: tuple[str, ...]


class TransformUsed(Frozen):
    """A transform that a model was measured through: whose it is, its options, what it was fitted on and what it learnt.

    ``fingerprint`` tells it from any other, whatever was learnt; ``fits`` are what was learnt, one for each level.
    ``stimuli``: the tests and lists that its words are from. A wrapper around a model has a name and a fingerprint
    alone.
    """

    name: str
    dist: str = ""
    version: str = ""
    options: FrozenMap[Any] = Field(default_factory=dict)
    explicit_options: FrozenMap[Any] = Field(default_factory=dict)
    fingerprint: str = ""
    stimuli: tuple[str, ...] = ()
    fits: tuple[FitUsed, ...] = ()

    @property
    def whose(self) -> str:
        """Its name, and distribution and version of the plugin that it comes from."""
        return f"{self.name} ({self.dist} {self.version})" if self.dist else self.name


class ModelUsed(Frozen):
    """A model as it was opened: reference, all options (also the defaults), weights and transforms.

    ``control``: of a model whose bias is known because it was made, the effect by test id.
    """

    name: str
    ref: str
    revision: str | None
    digest: str
    options: FrozenMap[Any]
    explicit_options: FrozenMap[Any]
    facts: FrozenMap[Scalar]
    transforms: tuple[TransformUsed, ...] = ()
    control: FrozenMap[float] | None = None
    questions: QuestionCounts = QuestionCounts()

    def is_after(self, other: ModelUsed) -> bool:
        """Whether this is the other model after transforms."""
        same = (self.ref, self.explicit_options) == (other.ref, other.explicit_options)
        return (
            same
            and len(self.transforms) > len(other.transforms)
            and self.digest.startswith(f"{other.digest}+")
        )

    @field_validator("transforms", mode="before")
    @classmethod
    def _by_name(cls, value: object) -> object:
        """Runs of before there were records hold the names of transforms."""
        if not isinstance(value, list | tuple):
            return value
        return tuple({"name": one} if isinstance(one, str) else one for one in value)
