"""In which case words are asked: of vectors without upper case in lower case, in every format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from biascore import Engine, compare
from biascore_adapters.fasttext.adapter import FastTextOptions
from biascore_adapters.fasttext.letters import Letters

from ...builders.vectors import random_vectors, write_vectors
from ...builders.word_lists import weat_file
from .conftest import Opened, Table, embed
from .test_vocabulary import FILES

LOWER = {"case of the words": "lower case"}


@pytest.mark.parametrize(
    ("words", "uncased"),
    [
        (["he", "she"], True),
        (["he", "She"], False),
        (["he", "École"], False),
        (["он", "Она"], False),
        (["he", "İ"], False),
        (["straße", "3,14", "</s>"], True),
        (["医生", "字"], False),
        (["3", "."], False),
        ([], False),
    ],
)
def test_whether_words_have_upper_case(words: list[str], uncased: bool) -> None:
    letters = Letters()
    for word in words:
        letters.see([word.encode()])
    assert letters.uncased is uncased
    at_once = Letters()
    at_once.see([*(word.encode() for word in words), b"\xff\xfe"])
    assert at_once.uncased is uncased


@pytest.mark.parametrize("name", FILES)
def test_vectors_without_upper_case_are_asked_in_lower_case(
    name: str, tables: Table, tmp_path: Path, opened: Opened
) -> None:
    path = tmp_path / name
    path.write_bytes(FILES[name](tables))
    how = {"format": "word2vec"} if name.endswith("w2v") else {}
    backend, kept = opened(path, **how), opened(path, **how, case="keep")
    asked = ["Medico", "CITTÀ", "Врач", "uomo Donna"]
    np.testing.assert_array_equal(embed(backend, *asked), embed(kept, *(word.lower() for word in asked)))
    assert np.isnan(embed(kept, *asked)).all()
    assert (backend.identity.asking, kept.identity.asking) == (LOWER, {})
    assert backend.identity.facts["words asked"] == "in lower case (the vocabulary has no upper case)"
    assert "words asked" not in kept.identity.facts
    assert [one.seen for one in backend.familiarity(asked)] == [True] * 4
    assert [one.rank for one in backend.familiarity(asked)] == [
        one.rank for one in kept.familiarity([word.lower() for word in asked])
    ]
    assert list(backend.vocabulary().words()) == list(kept.vocabulary().words())


@pytest.mark.parametrize("name", FILES)
def test_vectors_with_both_cases_stay_as_they_are(
    name: str, tables: Table, tmp_path: Path, opened: Opened
) -> None:
    path = tmp_path / name
    words = [*tables[0][:-1], "École"]
    path.write_bytes(FILES[name]((words, tables[1])))
    how = {"format": "word2vec"} if name.endswith("w2v") else {}
    backend, lower = opened(path, **how), opened(path, **how, case="lower")
    assert np.isnan(embed(backend, "Medico")).all()
    assert np.isfinite(embed(backend, "École")).all()
    assert (backend.identity.asking, "words asked" in backend.identity.facts) == ({}, False)
    assert "case and accents as given" in backend.identity.sentence_vector
    # In lower case nobody can ask for it.
    assert np.isnan(embed(lower, "École")).all()
    assert np.isfinite(embed(lower, "Medico")).all()
    assert (lower.identity.asking, lower.identity.facts["words asked"]) == (
        LOWER,
        "in lower case (the option case=lower)",
    )
    assert lower.identity.digest == backend.identity.digest
    assert "École" not in list(lower.vocabulary().words())
    found = [word for some, rows in lower.vocabulary().blocks(3) for word in some if len(rows) == len(some)]
    assert found == list(lower.vocabulary().words())
    assert [one.spelling for one in lower.familiarity(["École"])] == [""]


def test_a_model_composes_the_n_grams_of_the_word_in_lower_case(
    trained: Callable[[str], Path], opened: Opened
) -> None:
    path = trained("skipgram")
    backend, kept = opened(path), opened(path, case="keep")
    asked = ["Medici", "DOTTORESSA", "Medico"]
    got = embed(backend, *asked)
    np.testing.assert_array_equal(got, embed(kept, *(word.lower() for word in asked)))
    assert not np.isclose(got, embed(kept, *asked)).all(axis=1).any()
    assert [one.seen for one in backend.familiarity(asked)] == [False, False, True]
    assert backend.identity.asking == LOWER


def test_labels_are_no_words_whose_case_counts(library: Any, tmp_path: Path, opened: Opened) -> None:
    lines = "\n".join(f"__label__{'AB'[i % 2]} {word} uomo donna" for i, word in enumerate(["medico"] * 20))
    (tmp_path / "text").write_text(lines + "\n", encoding="utf-8")
    model = library.train_supervised(str(tmp_path / "text"), dim=5, epoch=1, minCount=1, thread=11, verbose=0)
    model.save_model(str(tmp_path / "labels.bin"))
    assert opened(tmp_path / "labels.bin").identity.asking == LOWER


def test_a_quantised_model_too(quantised: Callable[..., Path], opened: Opened) -> None:
    path = quantised(dsub=2)
    backend, kept = opened(path), opened(path, case="keep")
    np.testing.assert_array_equal(embed(backend, "MEDICO", "Medici"), embed(kept, "medico", "medici"))
    assert (backend.identity.asking, kept.identity.asking) == (LOWER, {})


def test_other_cases_are_refused() -> None:
    with pytest.raises(ValidationError, match="auto"):
        FastTextOptions(case="upper")  # type: ignore[arg-type]


@pytest.fixture
def uncased(engine: Engine, tmp_path: Path) -> str:
    words = [word.lower() for one in engine.catalogue.test("en/weat6").roles.values() for word in one.words]
    return write_vectors(tmp_path / "uncased.vec", random_vectors(words, 5, 0))


def test_names_are_measured_on_vectors_without_upper_case(engine: Engine, uncased: str) -> None:
    (found,) = engine.measure("weat", uncased, "en/weat6", draws=200)
    assert found.headline.value is not None
    assert not found.coverage.lost
    assert found.conventions["case of the words"] == "lower case"
    assert "case of the words" not in found.model_conventions


def test_two_runs_that_asked_in_other_case_are_not_compared(
    engine: Engine, uncased: str, tmp_path: Path
) -> None:
    names = [word for one in engine.catalogue.test("en/weat6").roles.values() for word in one.words]
    cased = write_vectors(tmp_path / "cased.vec", random_vectors([*names, *map(str.lower, names)], 5, 1))
    runs = {}
    for name, ref, case in (
        ("uncased", uncased, "auto"),
        ("as written", cased, "auto"),
        ("lower", cased, "lower"),
    ):
        with engine.model(ref, name="m", case=case) as model:
            runs[name] = engine.measure("weat", model, "en/weat6", draws=200)
    refused = compare(runs["uncased"], runs["as written"])
    assert not list(refused)
    (one,) = refused.not_comparable
    assert one.reasons == ("convention 'case of the words': 'lower case' and not stated",)
    assert len(list(compare(runs["uncased"], runs["lower"]))) == 1


def test_answers_of_one_case_are_not_those_of_the_other(uncased: str, tmp_path: Path) -> None:
    engine = Engine(cache=tmp_path / "cache")
    for case, known in (("keep", False), ("auto", True), ("keep", False), ("lower", True)):
        with engine.model(uncased, case=case) as model:
            assert np.isfinite(model.embed(["John"])).all() == known
    engine.close()


def test_words_that_differ_in_case_only_are_repeats(engine: Engine, tmp_path: Path) -> None:
    vectors = write_vectors(tmp_path / "x.vec", random_vectors([f"w{n}" for n in range(40)], 5, 0))
    (tmp_path / "lists" / "en").mkdir(parents=True)
    (tmp_path / "lists" / "en" / "own.toml").write_text(
        weat_file(
            x=["W0", "w0", *(f"W{n}" for n in range(1, 8))],
            y=[f"W{n}" for n in range(10, 18)],
            a=[f"w{n}" for n in range(20, 28)],
            b=[f"w{n}" for n in range(30, 38)],
        ),
        encoding="utf-8",
    )
    own = Engine(cache=None, stimuli=[tmp_path / "lists"])
    (found,) = own.measure("weat", vectors, "en/pets", draws=200)
    assert [(one.word, one.role) for one in found.coverage.lost] == [("w0", "X")]
    assert found.coverage.used == {"X": 8, "Y": 8, "A": 8, "B": 8}
