"""What a run records of a model: how it was opened, and what it was asked."""

from __future__ import annotations

from typing import Any

from biascore.basics.frozen import Frozen, FrozenMap, Scalar


class QuestionCounts(Frozen):
    """How many questions were put; how many of them were repeats, in the cache, or asked of the model.

    ``characters``: the code points of those that were asked, by which services charge.
    """

    put: int = 0
    repeated: int = 0
    cached: int = 0
    asked: int = 0
    characters: int = 0


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
    transforms: tuple[str, ...] = ()
    control: FrozenMap[float] | None = None
    questions: QuestionCounts = QuestionCounts()
