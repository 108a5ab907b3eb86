"""What a run records of a model: how it was opened, and what it was asked."""

from __future__ import annotations

import re
from typing import Any, Final

from pydantic import Field, field_validator

from biascore.basics.frozen import Frozen, FrozenMap, Scalar

DIGEST: Final = re.compile(r"([a-z0-9-]+):([0-9a-f]{16,})(?:\+.*)?", re.DOTALL)
"""A digest of weights; a model that is asked over a network has none."""
LAST_DIGITS: Final = 1e-4
"""A deviation up to this share of the largest number is one of the last digits: float32 has seven."""


class QuestionCounts(Frozen):
    """How many questions were put; how many of them were repeats, in the cache, or asked of the model.

    ``characters``: the code points of those that were asked, by which services charge. ``again``: questions put once more
    to see whether the answers are the same, which none of the others counts. Not counted: questions with a kept answer
    that a free model is asked once more, since the batch of a lost answer is asked whole.
    """

    put: int = 0
    repeated: int = 0
    cached: int = 0
    asked: int = 0
    characters: int = 0
    again: int = 0

    def since(self, before: QuestionCounts) -> QuestionCounts:
        """Those that were put after ``before``."""
        names = QuestionCounts.model_fields
        return QuestionCounts(**{name: getattr(self, name) - getattr(before, name) for name in names})


class Repeated(Frozen):
    """Answers that were others when a model was asked the same questions again through a hook.

    ``questions`` were asked again, and to ``differing`` of them the answers were others, bit for bit. ``largest`` is the
    largest deviation of a number, in the unit of the answers, and ``scale`` the largest number among them; both None
    where answers have no numbers to compare. ``problem``: why they were not answered again, or "".
    """

    hook: str
    questions: int
    differing: int = 0
    largest: float | None = None
    scale: float | None = None
    problem: str = ""

    @property
    def in_last_digits(self) -> bool:
        """Whether the answers differ no more than rounding makes them."""
        return self.largest is not None and self.largest <= LAST_DIGITS * (self.scale or 0)


class FitUsed(Frozen):
    """What a transform learnt at one level: the digest of it, what a reader has to know, and warnings."""

    level: str
    digest: str
    facts: FrozenMap[Scalar]
    warnings: tuple[str, ...]


class TransformUsed(Frozen):
    """A transform that a model was measured through: whose it is, its options, what it was fitted on and what it learnt.

    ``fingerprint`` tells it from any other, whatever was learnt; ``fits`` are what was learnt, one for each level.
    ``stimuli``: the tests and lists that its words are from.
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

    ``control``: of a model whose bias is known because it was made, the effect by test id. ``deviations``: what shows that
    it is not deterministic; none where ``questions.again`` were answered the same. ``warnings``: what its answers showed
    that concerns the whole run.
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
    deviations: tuple[Repeated, ...] = ()
    warnings: tuple[str, ...] = ()

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
