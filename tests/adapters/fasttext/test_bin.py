"""The .bin reader against the fastText library, bit for bit."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biascore.errors import ModelLoadError
from biascore_adapters.fasttext.subwords import fnv1a, ngram_buckets

from .conftest import LABELS, TRAINING, UNKNOWN, WORDS, Opened, embed


def same_bits(ours: np.ndarray, theirs: np.ndarray) -> bool:
    return ours.dtype == theirs.dtype == np.float32 and ours.tobytes() == theirs.tobytes()


@pytest.mark.parametrize("name", TRAINING)
def test_equals_the_library_bit_for_bit(
    name: str, library: Any, trained: Callable[[str], Path], opened: Opened
) -> None:
    model = library.load_model(str(trained(name)))
    words = [*WORDS, *UNKNOWN]
    ours = embed(opened(trained(name)), *words)
    for word, vector in zip(words, ours, strict=True):
        if len(model.get_subwords(word)[1]) == 0:
            assert np.isnan(vector).all(), word
        else:
            assert same_bits(vector, model.get_word_vector(word)), word
    known = ours[: len(WORDS)]
    assert np.isfinite(known).all()
    assert len(np.unique(known, axis=0)) == len(WORDS)


@pytest.mark.parametrize("name", TRAINING)
def test_ngrams_equal_the_librarys(name: str, library: Any, trained: Callable[[str], Path]) -> None:
    model = library.load_model(str(trained(name)))
    settings = model.f.getArgs()
    words = len(model.get_words())
    for word in [*WORDS, *UNKNOWN]:
        rows = model.get_subwords(word)[1].tolist()
        known = model.get_word_id(word) >= 0
        ours = [words + b for b in ngram_buckets(word, settings.minn, settings.maxn, settings.bucket)]
        assert ours == rows[known:], word


def test_hash_extends_the_sign_of_each_byte() -> None:
    # computed by hand: for one byte b the hash is (offset ^ sext(b)) * prime mod 2**32
    assert fnv1a(b"a") == ((2166136261 ^ 0x61) * 16777619) % 2**32
    assert fnv1a(b"\xc3") == ((2166136261 ^ 0xFFFFFFC3) * 16777619) % 2**32


def test_without_ngrams_unknown_words_are_out_of_vocabulary(
    trained: Callable[[str], Path], opened: Opened
) -> None:
    vectors = embed(opened(trained("no-ngrams")), "medico", "medici")
    assert np.isfinite(vectors[0]).all()
    assert np.isnan(vectors[1]).all()


def test_word_shorter_than_every_ngram_is_out_of_vocabulary(
    trained: Callable[[str], Path], opened: Opened
) -> None:
    assert np.isnan(embed(opened(trained("wide")), "x")).all()  # "<x>" has 3 characters, n-grams 5


def test_subwords_off_keeps_known_words_and_drops_unknown(
    trained: Callable[[str], Path], opened: Opened
) -> None:
    path = trained("skipgram")
    whole, words_only = (
        embed(opened(path), "medico", "medici"),
        embed(opened(path, subwords=False), "medico", "medici"),
    )
    assert same_bits(whole[0], words_only[0])
    assert np.isfinite(whole[1]).all()
    assert np.isnan(words_only[1]).all()


def test_labels_are_not_words(trained: Callable[[str], Path], opened: Opened) -> None:
    assert np.isnan(embed(opened(trained("supervised")), *LABELS)).all()


def test_facts_and_identity(library: Any, trained: Callable[[str], Path], opened: Opened) -> None:
    path = trained("supervised-ngrams")
    identity = opened(path).identity
    model = library.load_model(str(path))
    assert identity.composes_words
    assert identity.facts == {
        "format": "fastText .bin",
        "dimensions": 20,
        "words": len(model.get_words()),
        "labels": len(LABELS),
        "buckets": 500,
        "minn": 2,
        "maxn": 5,
        "model": "supervised",
        "loss": "one vs all",
        "words asked": "in lower case (the vocabulary has no upper case)",
    }


def test_version_11_is_read_and_its_supervised_models_have_no_ngrams(
    library: Any, trained: Callable[[str], Path], tmp_path: Path, opened: Opened
) -> None:
    for name in ("skipgram", "supervised-ngrams"):
        data = bytearray(trained(name).read_bytes())
        data[4:8] = struct.pack("<i", 11)
        old = tmp_path / f"{name}.bin"
        old.write_bytes(data)
        model = library.load_model(str(old))
        vectors = embed(opened(old), "medico", "medici")
        assert same_bits(vectors[0], model.get_word_vector("medico"))
        assert np.isnan(vectors[1]).all() == (name != "skipgram")


def test_gensims_own_export_is_read(tmp_path: Path, opened: Opened) -> None:
    models = pytest.importorskip("gensim.models.fasttext", reason="gensim writes the file that is read here")
    model = models.FastText(
        [list(WORDS)] * 5, vector_size=12, min_count=1, bucket=100, epochs=1, seed=1, workers=1
    )
    path = tmp_path / "gensim.bin"
    models.save_facebook_model(model, str(path))
    ours = embed(opened(path), *WORDS, "medici")
    theirs = np.stack([model.wv[word] for word in [*WORDS, "medici"]])
    np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-7)


# -- files that lie -----------------------------------------------------------------------------


HEADER = struct.Struct("<ii12id iiiqq".replace(" ", ""))
DIM, BUCKET, MINN, MAXN, SIZE, NWORDS, TOKENS, PRUNED = 2, 10, 11, 12, 15, 16, 18, 19


def rewritten(path: Path, target: Path, **changes: int) -> Path:
    data = path.read_bytes()
    fields = list(HEADER.unpack(data[: HEADER.size]))
    for name, value in changes.items():
        fields[globals()[name]] = value
    target.write_bytes(HEADER.pack(*fields) + data[HEADER.size :])
    return target


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"DIM": 2**30}, "dimensions"),
        ({"DIM": -1}, "dimensions"),
        ({"DIM": 21}, "input matrix"),
        ({"BUCKET": 0}, "n-grams"),
        ({"BUCKET": 2**31 - 1}, "input matrix"),
        ({"MINN": -3}, "n-grams"),
        ({"SIZE": 2**31 - 1, "NWORDS": 2**31 - 1}, "too many"),
        ({"SIZE": 0, "NWORDS": 0}, "0 words"),
        ({"NWORDS": -5}, "words"),
        ({"TOKENS": -1}, "tokens"),
        ({"PRUNED": 10**12}, "kept n-grams"),
        ({"PRUNED": 1}, None),
    ],
)
def test_impossible_claims_are_refused(
    changes: dict[str, int], named: str | None, trained: Callable[[str], Path], tmp_path: Path, opened: Opened
) -> None:
    liar = rewritten(trained("skipgram"), tmp_path / "liar.bin", **changes)
    with pytest.raises(ModelLoadError, match=named) as caught:
        opened(liar)
    assert str(liar) in str(caught.value)


def test_the_unchanged_rewrite_opens(trained: Callable[[str], Path], tmp_path: Path, opened: Opened) -> None:
    opened(rewritten(trained("skipgram"), tmp_path / "same.bin"))


def test_bytes_after_the_model_are_refused(
    trained: Callable[[str], Path], tmp_path: Path, opened: Opened
) -> None:
    longer = tmp_path / "longer.bin"
    longer.write_bytes(trained("skipgram").read_bytes() + b"\0")
    with pytest.raises(ModelLoadError, match="1 bytes follow the end"):
        opened(longer)


def test_a_row_of_nan_is_damage_and_not_an_unknown_word(
    library: Any, trained: Callable[[str], Path], tmp_path: Path, opened: Opened
) -> None:
    path = trained("no-ngrams")
    model = library.load_model(str(path))
    row = model.get_word_id("medico")
    needle = model.get_input_matrix()[row].tobytes()
    data = path.read_bytes()
    assert data.count(needle) == 1
    damaged = tmp_path / "nan.bin"
    damaged.write_bytes(data.replace(needle, needle[:-4] + struct.pack("<f", np.nan)))
    backend = opened(damaged)
    assert np.isfinite(embed(backend, "donna")).all()
    with pytest.raises(ModelLoadError, match="medico"):
        embed(backend, "medico")


def test_it_is_told_which_words_the_dictionary_holds(trained: Callable[[str], Path], opened: Opened) -> None:
    """Every word below has a vector from its n-grams, and only some were ever read in training."""
    words = ["medico", "Medico", "MEDICO", "medici", "e\u0301", "uomo donna", "uomo Donna", "uomo donne"]
    backend = opened(trained("skipgram"), case="keep")
    assert np.isfinite(embed(backend, *words)).all()
    told = {
        word: (known.seen, known.spelling)
        for word, known in zip(words, backend.familiarity(words), strict=True)
    }
    assert told == {
        "medico": (True, ""),
        "Medico": (False, "medico"),
        "MEDICO": (False, "medico"),
        "medici": (False, ""),
        "e\u0301": (True, ""),
        "uomo donna": (True, ""),
        "uomo Donna": (False, "uomo donna"),
        "uomo donne": (False, ""),
    }
