"""Transforms of vectors that come with biascore, one module a method."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from biascore.api.transforms import hookimpl

if TYPE_CHECKING:
    from biascore.api.transforms import Transform


@hookimpl
def register_transforms(register: Callable[[type[Transform]], None]) -> None:
    """Provide the transforms of this package."""
    from biascore_transforms.grammatical_gender import GrammaticalGender
    from biascore_transforms.hard_debias import HardDebias
    from biascore_transforms.inlp import Inlp
    from biascore_transforms.leace import Leace
    from biascore_transforms.top_components import TopComponents

    for transform in (GrammaticalGender, HardDebias, Inlp, Leace, TopComponents):
        register(transform)
