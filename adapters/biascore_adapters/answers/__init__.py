"""``answers:`` answers given before are a model like any other: published ones, or those of a system out of reach."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from biascore.api.adapters import hookimpl

if TYPE_CHECKING:
    from biascore.api.adapters import Adapter


@hookimpl
def register_adapters(register: Callable[[type[Adapter]], None]) -> None:
    """Provide ``answers``, and its earlier names ``scores`` and ``translations``."""
    from biascore_adapters.answers.adapter import AnswersAdapter, ScoresAdapter, TranslationsAdapter

    for adapter in (AnswersAdapter, ScoresAdapter, TranslationsAdapter):
        register(adapter)
