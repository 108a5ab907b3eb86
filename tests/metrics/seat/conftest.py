"""The test of tagged words in a folder, and a static, a masked and a causal model for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ...builders.vectors import random_vectors, write_vectors
from .tagged import TEMPLATES, WORDS, stimuli


@pytest.fixture(scope="session")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the test."""
    return stimuli(tmp_path_factory.mktemp("stimuli"), WORDS)


@pytest.fixture(scope="session")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """``vectors(without=...)``: a text file of vectors of every word of every sentence, split at spaces."""
    folder = tmp_path_factory.mktemp("vectors")

    def write(*without: str, templates: dict[str, list[str]] = TEMPLATES, zero: str = "") -> str:
        words = {word: None for tags in WORDS.values() for word in tags}
        for tags in WORDS.values():
            for word, tag in tags.items():
                for sentence in templates.get(tag, []):
                    words |= dict.fromkeys(sentence.replace("WORD", word).split())
        rows = {
            word: v * (word != zero)
            for word, v in random_vectors(words, 8, seed=5).items()
            if word not in without
        }
        return write_vectors(folder / f"{len(list(folder.iterdir()))}.vec", rows)

    return write


@pytest.fixture(params=["static", "bert-uncased", "gpt2"])
def ref(request: pytest.FixtureRequest, vectors: Callable[..., str]) -> str:
    """A model of each kind."""
    if request.param == "static":
        return vectors()
    return f"hf:{request.getfixturevalue('saved_model')(request.param)}"
