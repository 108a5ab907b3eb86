from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biascore.errors import MissingExtraError, ModelLoadError

from .conftest import LABELS, UNKNOWN, WORDS, Opened, embed

SETTINGS: list[dict[str, Any]] = [
    {"dsub": 2},
    {"dsub": 3, "qnorm": True},
    {"dsub": 2, "cutoff": 300, "qnorm": True},
    {"dsub": 2, "qout": True},
]


@pytest.mark.parametrize("arguments", SETTINGS, ids=str)
def test_equals_the_library(
    arguments: dict[str, Any], library: Any, quantised: Callable[..., Path], opened: Opened
) -> None:
    path = quantised(**arguments)
    model = library.load_model(str(path))
    backend = opened(path)
    missing = 0
    for word in [*WORDS, *UNKNOWN]:
        vector = embed(backend, word)[0]
        if len(model.get_subwords(word)[1]):
            assert vector.tobytes() == model.get_word_vector(word).tobytes(), word
        else:
            missing += 1
            assert np.isnan(vector).all(), word
    assert missing < len(UNKNOWN)
    assert backend.identity.facts["format"] == "fastText .ftz (quantised)"


def test_labels_are_not_words_and_subwords_can_be_off(quantised: Callable[..., Path], opened: Opened) -> None:
    path = quantised(dsub=2)
    vectors = embed(opened(path, subwords=False), "medico", "medici")
    assert np.isfinite(vectors[0]).all()
    assert np.isnan(vectors[1]).all()
    assert np.isnan(embed(opened(path, subwords=False), *LABELS)).all()


def test_missing_library_names_the_extra(
    quantised: Callable[..., Path], opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = quantised(dsub=2)
    monkeypatch.setitem(sys.modules, "fasttext", None)
    with pytest.raises(MissingExtraError, match=r"pip install .*\[fasttext\]'"):
        opened(path)


def test_every_truncation_is_found_before_the_library_sees_it(
    quantised: Callable[..., Path], tmp_path: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = quantised(**SETTINGS[2]).read_bytes()
    monkeypatch.setitem(sys.modules, "fasttext", None)  # reaching the library would raise MissingExtraError
    rng = np.random.default_rng(3)
    for end in {*rng.integers(1, len(data), 60).tolist(), len(data) - 1}:
        cut = tmp_path / f"cut-{end}.ftz"
        cut.write_bytes(data[:end])
        with pytest.raises(ModelLoadError):
            opened(cut)


def test_format_must_agree(
    quantised: Callable[..., Path], trained: Callable[[str], Path], opened: Opened
) -> None:
    with pytest.raises(ModelLoadError, match="format ftz"):
        opened(quantised(dsub=2), format="bin")
    with pytest.raises(ModelLoadError, match="format bin"):
        opened(trained("cbow"), format="ftz")
    opened(quantised(dsub=2), format="ftz")


def test_counts_that_would_hang_the_library_are_refused(
    quantised: Callable[..., Path], library: Any, tmp_path: Path, opened: Opened
) -> None:
    path = quantised(dsub=2)
    first, *_ = library.load_model(str(path)).get_words()
    data = path.read_bytes()
    count = data.index(first.encode() + b"\0") + len(first.encode()) + 1
    huge = tmp_path / "huge.ftz"
    huge.write_bytes(data[:count] + struct.pack("<q", 2 * 10**15) + data[count + 8 :])
    with pytest.raises(ModelLoadError, match="add up to 20000000"):
        opened(huge)
