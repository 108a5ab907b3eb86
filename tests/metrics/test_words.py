"""Which words of a list count: spellings and equal vectors once, and words that a model has never seen not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from biascore.api.exporters import Measurement
from biascore.api.metrics import Model, Test
from biascore.api.queries import Familiarity
from biascore.designs.options import WeatOptions
from biascore.errors import AnswerError
from biascore_metrics.weat.weat import Weat

from ..builders import models
from .conftest import VectorBackend
from .measuring import measured

RNG = np.random.default_rng(7)
SHIFTS = {"x": 0.8, "y": -0.8, "a": 0.6, "b": -0.6}
WORDS = {f"{role}{i}": RNG.normal(size=50) + shift for role, shift in SHIFTS.items() for i in range(8)}
X, Y, A, B = ([f"{role}{i}" for i in range(8)] for role in "xyab")


class LetterBackend(VectorBackend):
    """Has a vector for every word of its table, but has seen only some of them in training."""

    def __init__(self, vectors: Mapping[str, Sequence[float]], seen: Mapping[str, Familiarity]) -> None:
        super().__init__(vectors, composes_words=True)
        self.seen = seen

    def familiarity(self, words: Sequence[str]) -> list[Familiarity]:
        return [self.seen.get(word, Familiarity()) for word in words]


def letters(vectors: Mapping[str, Sequence[float]], seen: Mapping[str, Familiarity]) -> Model:
    return models.model_of(LetterBackend(vectors, seen), name="table")


def weat(model: Model, test: Test, **options: object) -> Measurement:
    return measured(Weat(WeatOptions(**options)), model, test)


def test_capitalisations_of_one_word_are_one_word(model_of, test_of):
    x = ["table", "Table", "TABLE", "tAble", "taBle", "tabLe", "tablE", "TAble"]
    near = dict.fromkeys(x, WORDS["x0"])
    got = weat(model_of(WORDS | near), test_of(x, Y, A, B))
    assert got.verdict == "not measured"
    assert "X has 1 usable word(s) of 8" in got.reason
    assert {word.reason for word in got.coverage.missing if word.role == "X"} == {
        "another spelling of 'table', so it is no further observation"
    }


def test_unicode_forms_of_one_word_are_one_word(model_of, test_of):
    composed, apart = "caf\u00e9", "cafe\u0301"
    vectors = WORDS | {composed: WORDS["x0"], apart: WORDS["x1"]}
    got = weat(model_of(vectors), test_of([composed, apart, *X[2:]], Y, A, B))
    assert [word.word for word in got.coverage.missing] == [apart]


@pytest.mark.parametrize("apart", [0.0, 1e-6, 1e-3])
def test_words_with_nearly_one_vector_are_one_observation(model_of, test_of, apart):
    noise = np.random.default_rng(3)
    near = {word: WORDS["x0"] + apart * noise.normal(size=50) for word in X}
    near |= {word: WORDS["y0"] + apart * noise.normal(size=50) for word in Y}
    got = weat(model_of(WORDS | near), test_of(X, Y, A, B))
    assert got.verdict == "not measured"
    assert got.coverage.used == {"X": 1, "Y": 1, "A": 8, "B": 8}
    assert any("X lost 7 of its 8 words" in warning for warning in got.warnings)
    reasons = {word.reason for word in got.coverage.missing if word.role == "X"}
    assert reasons == {"has the vector of 'x0', so it is no further observation"}
    kept = weat(model_of(WORDS | near), test_of(X, Y, A, B), duplicates="keep")
    assert kept.coverage.used["X"] == 8
    assert kept.conventions["duplicates"] == "keep"


def test_words_of_a_model_whose_vectors_all_lie_close_together_stay_apart(model_of, test_of):
    """Cosines of .9999 between any two words, as in some contextual models, are no sign of one word."""
    far = {word: 300 + vector for word, vector in WORDS.items()}
    got = weat(model_of(far), test_of(X, Y, A, B))
    assert got.coverage.missing == ()


def test_words_never_seen_are_lost_unless_kept_and_then_named(test_of):
    seen = {
        "x0": Familiarity(seen=False, spelling="X0"),
        "x1": Familiarity(seen=False),
        "x2": Familiarity(seen=False),
    }
    model = letters(WORDS, seen)
    got = weat(model, test_of(X, Y, A, B))
    assert got.coverage.used["X"] == 5
    first, second, _ = got.coverage.missing
    assert first.reason == "never seen in training; its vector is composed from its letters; 'X0' is known"
    assert second.reason == "never seen in training; its vector is composed from its letters"
    assert any("X lost 3 of its 8 words" in warning for warning in got.warnings)
    assert got.conventions["words never seen in training"] == "drop"

    kept = weat(model, test_of(X, Y, A, B), unseen="keep")
    assert kept.coverage.used["X"] == 8
    assert [word.word for word in kept.coverage.unseen] == ["x0", "x1", "x2"]
    assert any("X: the model has never seen 3 of its 8 words" in warning for warning in kept.warnings)
    assert kept.to_frame().loc[0, "words_unseen"] == 3
    assert "unseen=keep" in kept.variant


def test_a_lost_word_says_in_which_spelling_it_is_known(test_of):
    vectors = {word: vector for word, vector in WORDS.items() if word != "x0"}
    got = weat(letters(vectors, {"x0": Familiarity(seen=False, spelling="X0")}), test_of(X, Y, A, B))
    assert [word.reason for word in got.coverage.missing] == ["out of vocabulary; 'X0' is known"]


def test_an_adapter_that_does_not_answer_word_for_word_is_named(test_of):
    model = letters(WORDS, {})
    model._backend.familiarity = lambda _: []
    with pytest.raises(AnswerError, match="table does not say of each of 32 words"):
        weat(model, test_of(X, Y, A, B))
