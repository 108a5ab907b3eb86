"""Which words a model does not know at all, where the text around them would hide it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from biascore.plugins_api import Model, Text
from biascore_metrics.words import WordOptions, why_lost


def unknown_words(model: Model, words: Mapping[str, Iterable[str]], options: WordOptions) -> dict[str, str]:
    """Those words, of lists by role, that are not used, and why; each distinct one is asked once, alone."""
    distinct = list(dict.fromkeys(word for some in words.values() for word in some))
    rows = model.embed([Text.word(word) for word in distinct], "token")
    return {
        word: reason
        for word, reason in zip(distinct, why_lost(model, distinct, rows, options), strict=True)
        if reason
    }
