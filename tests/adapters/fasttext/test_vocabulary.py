"""The whole vocabulary of a file: every word once, in its order, with the vector that ``embed`` answers."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from biascore.errors import ModelLoadError
from biascore_adapters.fasttext.subwords import buckets_of, ngram_buckets

from .conftest import UNKNOWN, WORDS, Opened, Table, embed


def text_of(table: Table, header: bool = True) -> bytes:
    first = f"{len(table[0])} {table[1].shape[1]}\n" if header else ""
    rows = [f"{word} {' '.join(map(str, row))} \n" for word, row in zip(*table, strict=True)]
    return "".join([first, *rows]).encode()


def word2vec_of(table: Table) -> bytes:
    rows = [word.encode() + b" " + row.tobytes() + b"\n" for word, row in zip(*table, strict=True)]
    return f"{len(rows)} {table[1].shape[1]}\n".encode() + b"".join(rows)


FILES: dict[str, Callable[[Table], bytes]] = {
    "words.vec": text_of,
    "words.vec.gz": lambda table: gzip.compress(text_of(table)),
    "glove.txt": lambda table: text_of(table, header=False),
    "words.w2v": word2vec_of,
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("rows", [1, 7, 1000])
def test_blocks_are_the_file(name: str, rows: int, tables: Table, tmp_path: Path, opened: Opened) -> None:
    path = tmp_path / name
    path.write_bytes(FILES[name](tables))
    backend = opened(path, format="word2vec" if name.endswith("w2v") else "auto")
    vocabulary = backend.vocabulary()
    blocks = list(vocabulary.blocks(rows))
    words = [word for some, _ in blocks for word in some]
    assert words == list(dict.fromkeys(WORDS)) == list(vocabulary.words())
    assert len(vocabulary) == len(words)
    assert max(len(some) for some, _ in blocks) <= rows
    np.testing.assert_array_equal(np.vstack([vectors for _, vectors in blocks]), embed(backend, *words))


@pytest.mark.parametrize("name", ["skipgram", "no-ngrams", "supervised-ngrams"])
def test_blocks_of_a_model_are_its_dictionary(
    name: str, trained: Callable[[str], Path], opened: Opened
) -> None:
    backend = opened(trained(name))
    blocks = list(backend.vocabulary().blocks(5))
    words = [word for some, _ in blocks for word in some]
    assert len(words) == len(backend.vocabulary()) == backend.identity.facts["words"]
    assert not any(word.startswith("__label__") for word in words)
    np.testing.assert_array_equal(np.vstack([vectors for _, vectors in blocks]), embed(backend, *words))


@pytest.mark.parametrize("most", [0, 1, 6, 100])
def test_the_first_few(most: int, tables: Table, tmp_path: Path, opened: Opened) -> None:
    path = tmp_path / "words.vec"
    path.write_bytes(text_of(tables))
    vocabulary = opened(path).vocabulary()
    wanted = list(dict.fromkeys(WORDS))[:most]
    assert list(vocabulary.words(most)) == wanted
    assert [word for some, _ in vocabulary.blocks(4, most) for word in some] == wanted


def test_a_word_that_repeats_comes_once_with_the_vector_that_counts(tmp_path: Path, opened: Opened) -> None:
    path = tmp_path / "twice.vec"
    path.write_text("5 2\na 1 2\nb 3 4\na 5 6\nb 7 8\nc 9 9\n")
    vocabulary = opened(path).vocabulary()
    found = [
        (word, *row.tolist())
        for some, rows in vocabulary.blocks(2)
        for word, row in zip(some, rows, strict=True)
    ]
    assert found == [("a", 1, 2), ("b", 3, 4), ("c", 9, 9)]
    assert len(vocabulary) == 3


def test_what_nobody_can_ask_for_is_left_out(tmp_path: Path, opened: Opened) -> None:
    path = tmp_path / "odd.vec"
    path.write_bytes(b"4 2\n. . . 1 2\n\xff\xfe 3 4\nc 5 6\n\xc3\xa9 7 8\n")
    vocabulary = opened(path, format="vec").vocabulary()
    ((words, rows),) = vocabulary.blocks()
    assert words == ("c", "é") == tuple(vocabulary.words())
    np.testing.assert_array_equal(rows, [[5, 6], [7, 8]])


@pytest.mark.parametrize("value", ["x", "nan", "1e99", "1_0", ""])
def test_a_damaged_line_is_named(value: str, tmp_path: Path, opened: Opened) -> None:
    path = tmp_path / "damaged.vec"
    path.write_text(f"3 2\na 1 2\nb 3 {value}\nc 5 6\n")
    with pytest.raises(ModelLoadError, match="line 3"):
        list(opened(path).vocabulary().blocks())


@pytest.mark.parametrize(("minn", "maxn"), [(3, 6), (1, 1), (1, 3), (5, 5), (2, 40), (4, 3), (0, 2)])
def test_the_buckets_of_many_words_are_those_of_each(minn: int, maxn: int) -> None:
    words = [*WORDS, *UNKNOWN, "", "x" * 50]
    owner, buckets = buckets_of(words, minn, maxn, 97)
    for place, word in enumerate(words):
        assert buckets[owner == place].tolist() == list(ngram_buckets(word, minn, maxn, 97)), word
    assert (np.diff(owner) >= 0).all()
    assert all(len(some) == 0 for some in buckets_of([], minn, maxn, 97))
