"""Corpora and pairs as they are read, and the texts that a model is trained on."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from biascore.errors import BiascoreError, DataError, OptionsError, UnknownNameError
from biascore.stimuli import Catalogue
from biascore_training.corpus import Method, read_corpus, read_pairs
from biascore_training.mitigate import Recipe, prepare

TEXT = "She sleeps.\n\n  The stone is heavy. \r\nHe took his bag.\rThe queen\u2028waits."
TEXTS = ("She sleeps.", "The stone is heavy.", "He took his bag.", "The queen\u2028waits.")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_bytes(TEXT.encode())
    return path


def test_a_line_is_a_text_and_blank_lines_are_none(corpus: Path) -> None:
    read = read_corpus(corpus)
    assert read.texts == TEXTS
    assert (read.file, read.sha256) == ("corpus.txt", hashlib.sha256(TEXT.encode()).hexdigest())
    packed = corpus.with_name("corpus.txt.gz")
    packed.write_bytes(gzip.compress(TEXT.encode()))
    assert read_corpus(packed).texts == TEXTS


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "corpus.txt has no text, only blank lines"),
        (b" \n\t\n", "corpus.txt has no text, only blank lines"),
        (b"caf\xe9\n", "corpus.txt, line 1: is not UTF-8"),
        (b"a\0b", "corpus.txt, line 1: holds a NUL"),
    ],
)
def test_a_corpus_that_is_none_is_refused(
    corpus: Path, catalogue: Catalogue, content: bytes, message: str
) -> None:
    corpus.write_bytes(content)
    with pytest.raises(DataError, match=message):
        prepare(catalogue, corpus)


def test_no_file_and_no_gendered_word(corpus: Path, catalogue: Catalogue) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        prepare(catalogue, corpus.with_name("none.txt"))
    corpus.write_text("The stone.\nThe river.\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"none of its 2 texts holds a word of 'en/gender_swap.*with pairs"):
        prepare(catalogue, corpus)


SWAPPED = ("He sleeps.", "The stone is heavy.", "She took her bag.", "The king\u2028waits.")


def test_augmentation_puts_the_swapped_text_beside_the_text(corpus: Path, catalogue: Catalogue) -> None:
    recipe = prepare(catalogue, corpus)
    assert recipe.texts.texts == (
        *("She sleeps.", "He sleeps.", "The stone is heavy."),
        *("He took his bag.", "She took her bag.", "The queen\u2028waits.", "The king\u2028waits."),
    )
    assert recipe.record["swapped"] | {"sha256": ""} == {
        "texts": 7, "originals": 4, "changed": 3, "words": 4, "sha256": "",
    }  # fmt: skip


def test_a_long_corpus_gives_signs_of_life(corpus: Path, catalogue: Catalogue) -> None:
    told: list[object] = []

    class Told:
        @contextmanager
        def task(self, label: str, total: int) -> Iterator[Callable[[int], None]]:
            told.append((label, total))
            yield told.append

    prepare(catalogue, corpus, progress=Told())
    assert told == [("corpus.txt: texts swapped", 4), 1, 1, 1, 1]


def test_swapped_is_the_swapped_corpus_alone(corpus: Path, catalogue: Catalogue) -> None:
    assert prepare(catalogue, corpus, method="swapped").texts.texts == SWAPPED


def test_substitution_swaps_half_of_the_texts_by_the_seed(tmp_path: Path, catalogue: Catalogue) -> None:
    corpus = tmp_path / "many.txt"
    corpus.write_text("She sleeps.\n" * 400, encoding="utf-8")

    def texts(seed: int) -> tuple[str, ...]:
        return prepare(catalogue, corpus, method="substitution", seed=seed).texts.texts

    assert texts(1) == texts(1) != texts(2)
    assert len(texts(1)) == 400
    assert 160 < texts(1).count("He sleeps.") < 240


def test_the_swapped_corpus_is_as_biased_the_other_way(tmp_path: Path, catalogue: Catalogue) -> None:
    """Where the corpus is biased; hence augmentation by default, after which there is nothing to learn."""
    corpus = tmp_path / "biased.txt"
    corpus.write_text("She is a nurse.\n" * 9 + "He is a nurse.\n", encoding="utf-8")

    def women(method: str) -> float:
        texts = prepare(catalogue, corpus, method=method).texts.texts
        return texts.count("She is a nurse.") / len(texts)

    assert (women("swapped"), women("augmentation")) == (0.1, 0.5)


def test_an_unknown_method_is_refused(corpus: Path, catalogue: Catalogue) -> None:
    with pytest.raises(OptionsError, match=r"method='both' is none of: augmentation, substitution, swapped"):
        prepare(catalogue, corpus, method="both")


def test_pairs_are_a_list_or_a_table(tmp_path: Path, catalogue: Catalogue) -> None:
    by_address = read_pairs("EN/Shrestha2025/gendered", catalogue)
    assert (by_address.source, len(by_address.listed.pairs)) == ("en/shrestha2025/gendered", 94)
    table = tmp_path / "names.csv"
    table.write_text("female,male\nAnna,Paul\n Mary ,John\n", encoding="utf-8")
    read = read_pairs(table, catalogue)
    assert read.listed.pairs == (("Anna", "Paul"), ("Mary", "John"))
    assert read.listed.sides == ("female", "male")
    assert read.sha256 == hashlib.sha256(table.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        (
            None,
            UnknownNameError,
            r"no list of pairs '.*pairs.csv', and no such file.*biascore list wordlists",
        ),
        ("female/male\nAnna/Paul\n", DataError, r"has 1 column\(s\), 'female.male', and pairs have two"),
        ("a,b,c\nx,y,z\n", DataError, r"has 3 column\(s\), 'a', 'b', 'c'"),
        ("female,male\nAnna,\n", DataError, "'male' is blank on line 2"),
        ("female,male\n", DataError, "has a header and no rows"),
        ("female,male\nAnna,Paul,Eve\n", DataError, "has 3 fields where the header has 2"),
    ],
)
def test_a_table_that_is_no_list_of_pairs_is_refused(
    tmp_path: Path, catalogue: Catalogue, content: str | None, error: type[BiascoreError], message: str
) -> None:
    table = tmp_path / "pairs.csv"
    if content is not None:
        table.write_text(content, encoding="utf-8")
    with pytest.raises(error, match=message):
        read_pairs(table, catalogue)


@pytest.mark.parametrize("name", ["en/shrestha2025/gender", "en/caliskan2017/flowers"])
def test_what_is_no_list_of_pairs_is_not_found(catalogue: Catalogue, name: str) -> None:
    with pytest.raises(UnknownNameError, match=f"there is no list of pairs '{name}'"):
        read_pairs(name, catalogue)


def test_names_and_pairs_of_ones_own(tmp_path: Path, catalogue: Catalogue) -> None:
    """Italian: nothing of the swapping knows a language."""
    corpus, pairs, names = (tmp_path / name for name in ("it.txt", "pairs.csv", "names.csv"))
    corpus.write_text("La madre di Anna è anna.\n", encoding="utf-8")
    pairs.write_text("f,m\nmadre,padre\nla,il\n", encoding="utf-8")
    names.write_text("f,m\nAnna,Paolo\n", encoding="utf-8")
    recipe = prepare(catalogue, corpus, pairs=[pairs], names=[names], method="swapped")
    assert isinstance(recipe, Recipe)
    assert recipe.method is Method.SWAPPED
    assert recipe.texts.texts == ("Il padre di Paolo è anna.",)
    assert [one["source"] for one in recipe.record["names"]] == ["names.csv"]
