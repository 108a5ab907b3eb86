"""Grammatical gender told apart from social gender (Omrani Sabbaghi & Caliskan 2022): its nouns and its measures."""

from __future__ import annotations

from collections.abc import Callable

from biascore.plugins_api import DataFormat, hookimpl
from biascore_metrics.grammatical_gender.formats import ConlluFormat, NounsFormat


@hookimpl
def register_formats(register: Callable[[type[DataFormat]], None]) -> None:
    """Provide the data formats ``conllu`` and ``nouns``."""
    register(ConlluFormat)
    register(NounsFormat)
