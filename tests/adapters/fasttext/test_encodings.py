"""Text files as people have them: other encodings, decomposed accents, a byte order mark, tabs, decimal commas."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biascore import Engine
from biascore.errors import BiascoreError, ModelLoadError

WORDS = ("mãe", "pai", "irmão", "irmã", "casa", "carreira")
VECTORS = np.arange(18, dtype=np.float32).reshape(6, 3) / 8


def lines(words: Any = WORDS, between: str = " ", header: bool = True) -> str:
    rows = [
        between.join([word, *(f"{value:.3f}" for value in row)])
        for word, row in zip(words, VECTORS, strict=True)
    ]
    return "\n".join([*([f"{len(rows)} 3"] if header else []), *rows]) + "\n"


def embedded(path: Path, **options: Any) -> Any:
    with Engine(cache=None).model(f"fasttext:{path}", **options) as model:
        assert tuple(model.vocabulary().words()) == WORDS
        return model.embed(WORDS)


@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize(
    ("content", "options"),
    [
        (lambda header: lines(header=header).encode(), {}),
        (lambda header: lines(header=header).encode("latin-1"), {"encoding": "latin-1"}),
        (lambda header: lines([unicodedata.normalize("NFD", w) for w in WORDS], header=header).encode(), {}),
        (lambda header: lines(header=header).encode("utf-8-sig"), {}),
        (lambda header: lines(between="\t", header=header).encode(), {}),
        (lambda header: lines(header=header).replace("\n", "\r\n").encode(), {}),
    ],
)
def test_the_words_are_found_whatever_the_file_is_written_in(
    tmp_path: Path, content: Any, options: Any, header: bool
) -> None:
    (tmp_path / "x.vec").write_bytes(content(header))
    assert np.array_equal(embedded(tmp_path / "x.vec", **options), VECTORS)


def test_another_encoding_is_named_with_line_byte_and_remedy(tmp_path: Path) -> None:
    (tmp_path / "x.vec").write_bytes(lines().encode("latin-1"))
    with pytest.raises(ModelLoadError, match=r"3 of 3 words.*line 2, byte 0xe3.*encoding=latin-1"):
        Engine(cache=None).model(f"fasttext:{tmp_path / 'x.vec'}")


def test_decomposed_accents_are_a_fact_of_the_model(tmp_path: Path) -> None:
    (tmp_path / "x.vec").write_text(
        lines([unicodedata.normalize("NFD", word) for word in WORDS]), encoding="utf-8"
    )
    with Engine(cache=None).model(f"fasttext:{tmp_path / 'x.vec'}") as model:
        assert "NFD" in str(model.identity.facts["accents"])


def test_decimal_commas_and_unknown_encodings_are_named(tmp_path: Path) -> None:
    (tmp_path / "x.vec").write_text(lines().replace(".", ","), encoding="utf-8")
    with pytest.raises(ModelLoadError, match="decimal commas"):
        embedded(tmp_path / "x.vec")
    (tmp_path / "y.vec").write_text(lines(), encoding="utf-8")
    with pytest.raises(BiascoreError, match="no encoding 'klingon'"):
        embedded(tmp_path / "y.vec", encoding="klingon")
