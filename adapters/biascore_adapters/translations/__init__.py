"""``translations:`` answers with translations that were made before: published ones, or of a closed system.

The locator is a table (CSV, TSV, JSON Lines, Parquet); options name its columns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from biascore.api.adapters import hookimpl

if TYPE_CHECKING:
    from biascore.api.adapters import Adapter


@hookimpl
def register_adapters(register: Callable[[type[Adapter]], None]) -> None:
    """Register the adapter."""
    from biascore_adapters.translations.adapter import TranslationsAdapter

    register(TranslationsAdapter)
