"""A file in the format of StereoSet with sentences of our own, and models that answer by a rule."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from biascore.api.adapters import Backend, Identity
from biascore.api.formats import Test
from biascore.api.metrics import Model, hookimpl
from biascore.api.queries import Continuation, Masked, TokenLogprobs
from biascore.stimuli.dataset import locate
from biascore_metrics.stereoset.items import LABELS, StereoSetFormat, StereoSetFormatOptions, StereoSetTest

from ...builders import models

TERMS = {
    "florist": "profession",
    "miner": "profession",
    "aunt": "gender",
    "grandson": "gender",
    "Ruritanian": "race",
}
WORDS = {"stereotype": "careless", "anti-stereotype": "thorough", "unrelated": "purple"}


def example(number: int, target: str, part: str, **changes: Any) -> dict[str, Any]:
    """One of our own; ``changes`` replace its keys."""
    context = f"The {target} of house {number} is BLANK."
    said = {label: context.replace("BLANK", word) for label, word in WORDS.items()}
    if part == "intersentence":
        context = f"A {target} moved into house {number}."
        said = {label: f"They are {word} there." for label, word in WORDS.items()}
    sentences = [{"id": f"{number}-{i}", "sentence": said[label], "gold_label": label, "labels": []}
                 for i, label in enumerate(reversed(LABELS))]  # fmt: skip
    made = {
        "id": f"e{number}",
        "target": target,
        "bias_type": TERMS.get(target, "race"),
        "context": context,
        "sentences": sentences,
    }
    return {**made, **changes}


def document(counts: dict[str, int] | None = None) -> dict[str, Any]:
    """So many examples of each term, in both parts; 2, 3, 4, 5 and 6 by default."""
    counts = counts or dict(zip(TERMS, (2, 3, 4, 5, 6), strict=True))
    named = [target for target, count in counts.items() for _ in range(count)]
    parts = ("intrasentence", "intersentence")
    return {
        "version": "1.0",
        "data": {part: [example(i, t, part) for i, t in enumerate(named)] for part in parts},
    }


def write(folder: Path, content: object) -> Path:
    path = folder / "dev.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def read(path: Path, language: str = "en", **options: object) -> StereoSetTest:
    file = locate(str(path), f"{language}/dev", language)
    test: Test = StereoSetFormat(StereoSetFormatOptions(**options)).read(file)
    assert isinstance(test, StereoSetTest)
    return test


Rule = Callable[[str, str], float]
"""ln p of a word in a text, or of each word of a text (the word is then the one of ``WORDS`` in it, or empty)."""


class Rules(Backend):
    """Answers by a rule; words are read in pieces of ``size`` letters, all with the same ln p."""

    def __init__(self, rule: Rule, size: int = 99) -> None:
        self._rule, self._size = rule, size
        self.identity = Identity(digest=f"test:rules {size}", continues=True)
        self.masked: list[Masked] = []

    @hookimpl
    def mask_logprob(self, queries: tuple[Masked, ...]) -> tuple[TokenLogprobs, ...]:
        self.masked += queries
        return tuple(self._fill(query) for query in queries)

    @hookimpl
    def score(self, texts: tuple[str | Continuation, ...], quantity: str) -> npt.NDArray[np.float64]:
        assert quantity == "log_likelihood"
        return np.array([self._whole(text) for text in texts])

    def _fill(self, query: Masked) -> TokenLogprobs:
        assert query.spans is not None
        ((start, end),) = query.spans
        ends = [*range(start + self._size, end, self._size), end]
        places = tuple(zip([start, *ends[:-1]], ends, strict=True))
        value = self._rule(query.text, query.text[start:end])
        return TokenLogprobs(tuple(query.text[a:b] for a, b in places), places, (value,) * len(places))

    def _whole(self, asked: str | Continuation) -> float:
        text = asked if isinstance(asked, str) else asked.text
        word = next((word for word in WORDS.values() if word in text), "")
        whole = text if isinstance(asked, str) else asked.prompt + asked.text
        return self._rule(whole, word) * len(text.split())


def model_of(rule: Rule, size: int = 99) -> Model:
    return models.model_of(Rules(rule, size), name="rules")


def preferring(**values: float) -> Rule:
    """ln p of each of the three words."""
    told = {word: values[label.replace("-", "_")] for label, word in WORDS.items()}
    return lambda _, word: told[word]


ALWAYS = preferring(stereotype=-1.0, anti_stereotype=-2.0, unrelated=-9.0)
NEVER = preferring(stereotype=-2.0, anti_stereotype=-1.0, unrelated=-9.0)
NEITHER = preferring(stereotype=-1.0, anti_stereotype=-1.0, unrelated=-9.0)
AT_RANDOM = preferring(stereotype=-2.0, anti_stereotype=-3.0, unrelated=-1.0)
LN2 = math.log(2.0)
