"""The ``fasttext:`` adapter: static word vectors from fastText, word2vec and GloVe files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from biascore.api.adapters import hookimpl

if TYPE_CHECKING:
    from biascore.api.adapters import Adapter


@hookimpl
def register_adapters(register: Callable[[type[Adapter]], None]) -> None:
    """Register the adapter."""
    from biascore_adapters.fasttext.adapter import FastTextAdapter

    register(FastTextAdapter)
