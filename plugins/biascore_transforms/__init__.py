"""Transforms of vectors that come with biascore, one module a method."""

from __future__ import annotations

from collections.abc import Callable

from biascore.plugins_api import Transform, hookimpl
from biascore_transforms.grammatical_gender import GrammaticalGender
from biascore_transforms.hard_debias import HardDebias
from biascore_transforms.inlp import Inlp
from biascore_transforms.leace import Leace
from biascore_transforms.top_components import TopComponents


@hookimpl
def register_transforms(register: Callable[[type[Transform]], None]) -> None:
    """Provide the transforms of this package."""
    for transform in (GrammaticalGender, HardDebias, Inlp, Leace, TopComponents):
        register(transform)
