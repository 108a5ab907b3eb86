"""The vocabulary of a model: of planted words and of files; where there is none, an error says so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from biascore import Engine
from biascore.errors import CapabilityError
from biascore.models.cache import NoCache
from biascore.planning.rehearsal import FEW_WORDS, Rehearsal, Scratch

from ..builders.models import Lengths, Shift, model_of
from ..builders.vectors import random_vectors, write_vectors


def test_a_planted_model_has_its_words(engine: Engine) -> None:
    with engine.model("planted:en/weat6=1") as model:
        vocabulary = model.vocabulary()
        words = list(vocabulary.words())
        assert len(words) == len(vocabulary) > 30
        found = np.vstack([rows for _, rows in vocabulary.blocks(10)])
        np.testing.assert_array_equal(found, model.embed(words))
        assert [len(some) for some, _ in vocabulary.blocks(10, most=13)] == [10, 3]
        assert model.counts.put == len(words)  # by embed alone


def test_a_model_without_a_vocabulary_says_so() -> None:
    with pytest.raises(CapabilityError, match=r"fake.*no vocabulary.*biascore list adapters"):
        model_of(Lengths()).vocabulary()


def test_a_wrapper_around_single_answers_is_not_passed_by(engine: Engine) -> None:
    with (
        engine.model("planted:en/weat6=1", transforms=[Shift(1, "shifted")]) as model,
        pytest.raises(CapabilityError, match="shifted"),
    ):
        model.vocabulary()


def test_a_plan_reads_no_whole_file(engine: Engine, tmp_path: Path) -> None:
    words = [f"w{i}" for i in range(FEW_WORDS + 5)]
    with engine.model(write_vectors(tmp_path / "words.vec", random_vectors(words, 3, 0))) as model:
        vocabulary = Rehearsal(model, Scratch(NoCache()), dimensions=3).vocabulary()
        assert list(vocabulary.words()) == words
        ((some, rows),) = vocabulary.blocks()
        assert (some, rows.shape) == (tuple(words[:FEW_WORDS]), (FEW_WORDS, 3))
