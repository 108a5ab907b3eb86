"""Text files (.vec, .vec.gz, GloVe) against the values that were written, and gensim's own."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biascore.errors import ModelLoadError
from biascore_adapters.fasttext import textvec

from .conftest import UNKNOWN, Opened, Table, embed


def lines_of(table: Table, end: str = "\n") -> list[str]:
    return [f"{word} {' '.join(map(repr, row.tolist()))}{end}" for word, row in zip(*table, strict=True)]


def written(path: Path, lines: list[str], header: str = "") -> Path:
    text = (header + "".join(lines)).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


@pytest.mark.parametrize("end", ["\n", " \n", "\r\n"])
@pytest.mark.parametrize("name", ["a.vec", "a.vec.gz", "misnamed.bin"])
@pytest.mark.parametrize("with_header", [True, False])
def test_values_come_back(
    end: str, name: str, with_header: bool, tables: Table, tmp_path: Path, opened: Opened
) -> None:
    words, values = tables
    header = f"{len(words)} 7\n" if with_header else ""
    backend = opened(written(tmp_path / name, lines_of(tables, end), header))
    np.testing.assert_array_equal(embed(backend, *reversed(words)), values[::-1])
    assert np.isnan(embed(backend, *UNKNOWN)).all()
    assert backend.identity.facts["words"] == len(words)
    assert backend.identity.facts["dimensions"] == 7


def test_files_that_gensim_writes(tables: Table, tmp_path: Path, opened: Opened) -> None:
    models = pytest.importorskip("gensim.models", reason="gensim writes the file that is read here")
    vectors = models.KeyedVectors(7)
    vectors.add_vectors(*tables)
    vectors.save_word2vec_format(str(tmp_path / "g.vec"), binary=False)
    np.testing.assert_array_equal(embed(opened(tmp_path / "g.vec"), *tables[0]), tables[1])


def test_the_file_that_fasttext_writes(
    library: Any, trained: Callable[[str], Path], tmp_path: Path, opened: Opened
) -> None:
    # the library's save_vectors is not in Python: its format is a trailing space and 5 digits
    model = library.load_model(str(trained("skipgram")))
    words = model.get_words()
    lines = [f"{w} {' '.join(f'{v:.5g}' for v in model.get_word_vector(w))} \n" for w in words]
    path = written(tmp_path / "m.vec", lines, f"{len(words)} 20\n")
    np.testing.assert_allclose(
        embed(opened(path), "medico"), embed(opened(trained("skipgram")), "medico"), rtol=1e-4
    )


def test_the_first_of_equal_words_counts(tmp_path: Path, opened: Opened) -> None:
    backend = opened(written(tmp_path / "twice.vec", ["a 1 2\n", "b 3 4\n", "a 5 6\n"], "3 2\n"))
    np.testing.assert_array_equal(embed(backend, "a"), [[1, 2]])
    assert backend.identity.facts["repeated words"] == 1


def test_words_with_spaces_of_glove_do_not_disturb(tmp_path: Path, opened: Opened) -> None:
    backend = opened(written(tmp_path / "glove.txt", ["the 1 2\n", ". . . 3 4\n", "{ 5 6\n"]))
    np.testing.assert_array_equal(embed(backend, "the", "{"), [[1, 2], [5, 6]])


def test_first_line_may_look_like_another_format(tmp_path: Path, opened: Opened) -> None:
    backend = opened(written(tmp_path / "odd.txt", ["{ 1 2 3\n", "b 3 4 5\n"]))
    np.testing.assert_array_equal(embed(backend, "{"), [[1, 2, 3]])


@pytest.mark.parametrize(
    ("lines", "header", "named"),
    [
        (["a 1 2\n", "b 3\n"], "2 2\n", r"line 3 \(.*\) has 1 values where 2 are needed"),
        (["a 1 2\n", "b 3 4 5\n"], "2 2\n", r"line 3 \(.*\) has 3 values where 2 are needed"),
        (["a 1 2\n", "b 3\n"], "", r"line 2 \(.*\) has 1 values where 2 are needed"),
        (["a 1 2\n", "\n"], "2 2\n", "the header says 2 words, but 1"),
        (["a 1 2\n"], "2 2\n", "the header says 2 words, but 1"),
        (["a 1 2\n"] * 3, "2 2\n", "the header says 2 words, but 3"),
        (["a 1 2\n"], "1 999999999999\n", "claims 1 words of 999999999999"),
        (["a 1 2\n"], "0 2\n", "claims 0 words"),
        (["a 1 2\n"], "1 0\n", "of 0 dimensions"),
        (["a 1 2\n"], "1 3\n", r"line 2 \(.*\) has 2 values where 3 are needed"),
        (["a 1\n"], "", r"line 1 \(.*\) is neither"),
        (["just some prose\n"], "", r"line 1 \(.*\) is neither"),
    ],
)
def test_wrong_structure_names_the_line(
    lines: list[str], header: str, named: str, tmp_path: Path, opened: Opened
) -> None:
    path = written(tmp_path / "bad.vec", lines, header)
    with pytest.raises(ModelLoadError, match=named) as caught:
        opened(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("value", ["x", "nan", "inf", "-Infinity", "1_0", "1e39", "0.1.2", ""])
@pytest.mark.parametrize("with_header", [True, False])
def test_values_that_are_no_numbers_name_the_line(
    value: str, with_header: bool, tmp_path: Path, opened: Opened
) -> None:
    path = written(tmp_path / "bad.vec", ["a 1 2\n", f"b {value} 4\n"], "2 2\n" if with_header else "")
    backend = opened(path)
    np.testing.assert_array_equal(embed(backend, "a"), [[1, 2]])
    with pytest.raises(ModelLoadError, match=f"line {2 + with_header} "):
        embed(backend, "b")


def test_truncated_gzip(tables: Table, tmp_path: Path, opened: Opened) -> None:
    whole = written(tmp_path / "w.vec.gz", lines_of(tables) * 40, f"{40 * len(tables[0])} 7\n").read_bytes()
    for end in (3, 12, 40, len(whole) // 2, len(whole) - 9, len(whole) - 1):
        path = tmp_path / f"cut-{end}.vec.gz"
        path.write_bytes(whole[:end])
        with pytest.raises(ModelLoadError, match="gzip"):
            opened(path)


def test_a_gzip_bomb_of_valid_lines_is_refused(
    tmp_path: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("biascore_adapters.fasttext.textvec._SMALL", 100_000)
    path = tmp_path / "bomb.vec.gz"
    path.write_bytes(gzip.compress(b"word 1.0 2.0 3.0\n" * 20_000))
    with pytest.raises(ModelLoadError, match=r"unpacks to more than 100 times its size.*gunzip"):
        opened(path)


def test_gzip_of_a_binary_says_unpack(tmp_path: Path, opened: Opened) -> None:
    path = tmp_path / "model.bin.gz"
    path.write_bytes(gzip.compress(np.random.default_rng(1).bytes(5000)))
    with pytest.raises(ModelLoadError, match="gunzip --keep"):
        opened(path)


@pytest.mark.parametrize("kept", [1 << 20, 14, 0])
def test_a_word_is_read_once_as_far_as_there_is_room(
    kept: int, tables: Table, tmp_path: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    words, values = tables
    monkeypatch.setattr(textvec, "_KEPT_NUMBERS", kept)  # vectors have 7
    monkeypatch.setattr(textvec, "_KEPT_ROWS", kept)
    vectors = opened(written(tmp_path / "a.vec.gz", lines_of(tables)))._vectors
    assert isinstance(vectors, textvec.TextVectors)
    parsed: list[int] = []
    parse = vectors._parse

    def counted(text: bytes, number: int) -> Any:
        parsed.append(number)
        return parse(text, number)

    monkeypatch.setattr(vectors, "_parse", counted)
    asked = [*words, *UNKNOWN, words[0]]
    for _ in range(2):
        found = vectors.vectors(asked)
        np.testing.assert_array_equal(found, [*values, *np.full((len(UNKNOWN), 7), np.nan), values[0]])
        assert vectors.rows(asked) == [*range(len(words)), *[None] * len(UNKNOWN), 0]
        found[:] = 0  # what was handed out is the caller's
    once = len(words) + 1 - min(len(words), kept // 7)
    assert len(parsed) == len(words) + 1 + once - (kept >= 7)
