"""Which words a model does not know at all, where the text around them would hide it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from biascore.plugins_api import Model, Text
from biascore_metrics.words import unusable


def unknown_words(model: Model, words: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Those words, of lists by role, that have no usable vector alone, and why; each distinct one is asked once."""
    distinct = list(dict.fromkeys(word for some in words.values() for word in some))
    rows = model.embed([Text.word(word) for word in distinct], "token")
    return {word: reason for word, reason in zip(distinct, unusable(rows), strict=True) if reason}
