"""word2vec binaries: as gensim writes them, and as the original C tool does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from biascore.errors import ModelLoadError

from .conftest import UNKNOWN, Opened, Table, embed


def c_format(table: Table, newline: bytes = b"\n") -> bytes:
    rows = [word.encode() + b" " + row.tobytes() + newline for word, row in zip(*table, strict=True)]
    return f"{len(rows)} {table[1].shape[1]}\n".encode() + b"".join(rows)


@pytest.mark.parametrize("newline", [b"\n", b""])
def test_values_come_back_and_gensim_agrees(
    newline: bytes, tables: Table, tmp_path: Path, opened: Opened
) -> None:
    path = tmp_path / "w2v.bin"
    path.write_bytes(c_format(tables, newline))
    backend = opened(path)
    np.testing.assert_array_equal(embed(backend, *tables[0]), tables[1])
    assert np.isnan(embed(backend, *UNKNOWN)).all()
    models = pytest.importorskip("gensim.models", reason="gensim is the second reader")
    theirs = models.KeyedVectors.load_word2vec_format(str(path), binary=True)
    np.testing.assert_array_equal(embed(backend, *theirs.index_to_key), theirs.vectors)
    assert backend.identity.facts["words"] == len(theirs)


def test_files_that_gensim_writes(tables: Table, tmp_path: Path, opened: Opened) -> None:
    models = pytest.importorskip("gensim.models", reason="gensim writes the file that is read here")
    vectors = models.KeyedVectors(7)
    vectors.add_vectors(*tables)
    vectors.save_word2vec_format(str(tmp_path / "g.bin"), binary=True)
    np.testing.assert_array_equal(embed(opened(tmp_path / "g.bin"), *tables[0]), tables[1])


def test_more_words_than_one_block(tmp_path: Path, opened: Opened) -> None:
    words = [f"w{i}" for i in range(12_000)]
    values = np.random.default_rng(2).normal(size=(len(words), 100)).astype(np.float32)
    path = tmp_path / "large.bin"
    path.write_bytes(c_format((words, values)))
    assert path.stat().st_size > 1 << 22
    np.testing.assert_array_equal(embed(opened(path), *words), values)


def test_the_first_of_equal_words_counts(tmp_path: Path, opened: Opened) -> None:
    values = np.array([[1.5, np.pi], [3, 4], [5, 6]], dtype=np.float32)
    path = tmp_path / "twice.bin"
    path.write_bytes(c_format((["a", "b", "a"], values)))
    backend = opened(path, format="word2vec")
    np.testing.assert_array_equal(embed(backend, "a", "b"), values[:2])
    assert backend.identity.facts["repeated words"] == 1


def test_truncated_or_too_long(tables: Table, tmp_path: Path, opened: Opened) -> None:
    whole = c_format(tables, b"")
    path = tmp_path / "cut.bin"
    for data in (whole[:-1], whole[: len(whole) // 2], whole + b"ab", whole + b"\n\n"):
        path.write_bytes(data)
        with pytest.raises(ModelLoadError, match="header"):
            opened(path, format="word2vec")


def test_huge_claims_and_nan(tables: Table, tmp_path: Path, opened: Opened) -> None:
    path = tmp_path / "liar.bin"
    path.write_bytes(c_format(tables).replace(b" 7\n", b" 99999999\n", 1))
    with pytest.raises(ModelLoadError, match="cannot hold"):
        opened(path)
    damaged = tables[1].copy()
    damaged[3, 2] = np.nan
    path.write_bytes(c_format((tables[0], damaged)))
    backend = opened(path)
    assert np.isfinite(embed(backend, tables[0][2])).all()
    with pytest.raises(ModelLoadError, match=tables[0][3]):
        embed(backend, tables[0][3])
