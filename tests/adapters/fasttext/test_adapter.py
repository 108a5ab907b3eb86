"""What holds for every format: phrases and spans, identity, foreign and missing files."""

from __future__ import annotations

import gzip
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from biascore.api.adapters import ModelRef
from biascore.api.queries import Text
from biascore.errors import ModelLoadError, QuestionError
from biascore_adapters.fasttext import storage
from biascore_adapters.fasttext.adapter import FastTextAdapter, FastTextOptions

from .conftest import CONTEXT, Opened, embed

ADAPTER = FastTextAdapter()


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.vec"
    path.write_text("4 2\nhe 1 2\nshe 3 5\nHe 7 7\ncittà 8 9\n", encoding="utf-8")
    return path


def test_phrases_are_plain_means(small: Path, opened: Opened) -> None:
    vectors = embed(opened(small), "he she", "  he\tshe\nshe ", "he", " he ")
    np.testing.assert_array_equal(vectors[0], np.array([2, 3.5], dtype=np.float32))
    np.testing.assert_array_equal(vectors[1], np.array([7 / 3, 4], dtype=np.float32))
    np.testing.assert_array_equal(vectors[2:], [[1, 2], [1, 2]])


def test_one_unknown_word_makes_the_phrase_unknown(small: Path, opened: Opened) -> None:
    assert np.isnan(embed(opened(small), "he nobody", "nobody", "", "  ")).all()


def test_nothing_is_folded(small: Path, opened: Opened) -> None:
    vectors = embed(opened(small), "He", "HE", "città", "citta\u0300", "he\u00a0she")
    np.testing.assert_array_equal(vectors[[0, 2]], [[7, 7], [8, 9]])
    assert np.isnan(vectors[[1, 3, 4]]).all()


def test_levels(small: Path, opened: Opened) -> None:
    backend = opened(small)
    text = Text("he met she", (7, 10))
    np.testing.assert_array_equal(backend.embed((text, Text("he she", (0, 6))), "token"), [[3, 5], [2, 3.5]])
    assert np.isnan(backend.embed((text,), "sentence")).all()  # "met" is unknown
    assert np.isnan(backend.embed((Text.word(""),), "token")).all()
    with pytest.raises(QuestionError, match="span"):
        backend.embed((Text("he"),), "token")
    with pytest.raises(QuestionError, match="not valid Unicode"):
        embed(backend, "h\ud800e")
    assert backend.embed((), "sentence").shape == (0, 2)


def test_digests(small: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    import hashlib

    expected = hashlib.blake2b(small.read_bytes(), digest_size=32).hexdigest()
    assert opened(small).identity.digest == f"blake2b:{expected}"
    sampled = opened(small, digest="sampled").identity.digest
    assert sampled.startswith("blake2b-sampled:")
    monkeypatch.setattr(storage, "FULL_DIGEST_LIMIT", 10)
    assert opened(small).identity.digest == sampled
    assert opened(small, digest="full").identity.digest == f"blake2b:{expected}"
    small.write_text(small.read_text(encoding="utf-8").replace("9", "6"), encoding="utf-8")
    assert opened(small).identity.digest != sampled


def test_sample_reaches_beyond_the_head(tmp_path: Path) -> None:
    path = tmp_path / "zeros"
    size = 40 << 20
    with path.open("wb") as out:
        out.truncate(size)
    seen = set()
    for position in (None, 5, size // 2, size - 1):
        with path.open("r+b") as out:
            if position is not None:
                out.seek(position - position % (size // 1023) if position == size // 2 else position)
                out.write(b"x")
        with storage.ModelFile(path) as file:
            seen.add(file.digest("sampled", head=100))
    assert len(seen) == 4


def test_import_is_light() -> None:
    code = (
        "import sys, biascore_adapters.fasttext; "
        "print([m for m in ('fasttext', 'fasttext_pybind', 'gensim', 'torch') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_unknown_options() -> None:
    with pytest.raises(ValidationError):
        FastTextOptions(fromat="vec")  # type: ignore[call-arg]


# -- files that are not there, or something else ------------------------------------------------


def refusal(locator: str | Path, via_load: bool = True) -> str:
    ref = ModelRef.parse(f"fasttext:{locator}")
    with pytest.raises(ModelLoadError) as caught:
        (ADAPTER.load if via_load else ADAPTER.check)(ref, FastTextOptions(), CONTEXT)
    return str(caught.value)


def test_missing_files_are_found_before_loading(small: Path, tmp_path: Path) -> None:
    assert "near it are small.vec" in refusal(tmp_path / "smal.vec", via_load=False)
    assert "near it are small.vec" in refusal(tmp_path / "small.bin", via_load=False)
    assert "does not exist either" in refusal(tmp_path / "no" / "small.vec", via_load=False)
    assert "folder (holding small.vec)" in refusal(tmp_path, via_load=False)
    assert "names no file" in refusal("", via_load=False)
    assert "path" in refusal("a\0b", via_load=False)


def test_paths_are_expanded(small: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(small.parent))
    monkeypatch.setenv("USERPROFILE", str(small.parent))
    assert embed(opened("~/small.vec"), "he").tolist() == [[1, 2]]
    monkeypatch.chdir(small.parent)
    assert embed(opened("small.vec"), "he").tolist() == [[1, 2]]
    at = small.rename(small.with_name("a@b.vec"))
    assert embed(opened(at), "he").tolist() == [[1, 2]]


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"", "empty"),
        (b"<!DOCTYPE html><html>404</html>", "web page"),
        (b"\n <html>", "web page"),
        (b"\x10\0\0\0\0\0\0\0" + b'{"a":{}}        ', "safetensors"),
        (b"\x80\x05\x95abc", "pickle"),
        (b"\x93NUMPY\x01\0", "NumPy"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "git lfs pull"),
        (b'{"vocab": 3}', "JSON"),
        (np.random.default_rng(8).bytes(3000), "no known format"),
        (b"\xba\x16\x4f\x2f", "truncated"),
        (b"\xba\x16\x4f\x2f\x0d\0\0\0" + bytes(200), "version 13"),
        (gzip.compress(b"", mtime=0), "gzip|neither"),
    ],
)
def test_foreign_files_say_what_they_are(content: bytes, named: str, tmp_path: Path) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(content)
    message = refusal(path)
    assert any(word in message for word in named.split("|")), message
    assert message.startswith(str(path))


def test_zip(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "m.vec.zip", "w") as archive:
        archive.writestr("m.vec", "1 2\na 1 2\n")
    assert "zip archive. Unpack it" in refusal(tmp_path / "m.vec.zip")


@pytest.mark.parametrize("wanted", ["vec", "word2vec", "bin", "ftz"])
def test_a_format_that_is_not_there_is_refused(wanted: str, tmp_path: Path, opened: Opened) -> None:
    path = tmp_path / "random.bin"
    path.write_bytes(b"\xff" + np.random.default_rng(8).bytes(3000))
    with pytest.raises(ModelLoadError):
        opened(path, format=wanted)


def test_an_unknown_word_is_told_in_the_spelling_that_is_known(small: Path, opened: Opened) -> None:
    words = ["he", "She", "CITTÀ", "citta\u0300", "nobody", ""]
    told = [(known.seen, known.spelling) for known in opened(small).familiarity(words)]
    assert told == [(True, ""), (False, "she"), (False, "città"), (False, "città"), (False, ""), (False, "")]


def test_a_word_has_the_rank_of_its_row_and_a_phrase_that_of_its_rarest_word(
    tmp_path: Path, opened: Opened
) -> None:
    path = tmp_path / "ranked.vec"
    path.write_text("the 1 2\nof 2 1\nnurse 3 1\nthe 9 9\n")
    told = [known.rank for known in opened(path).familiarity(["the", "nurse", "nurse of", "medic", ""])]
    assert told == [1, 3, 3, 4, None]  # of equal words the first counts; what is no entry stands behind all


def test_a_file_in_the_order_of_the_alphabet_tells_no_frequency(tmp_path: Path, opened: Opened) -> None:
    words = [f"w{number}" for number in range(10, 40)]
    for order, rank in ((words, None), (words[::-1], 30)):
        path = tmp_path / f"{order[0]}.vec"
        path.write_text("".join(f"{word} 1 2\n" for word in order))
        assert opened(path).familiarity(["w10"])[0].rank == rank
