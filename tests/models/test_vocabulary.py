"""The vocabulary of a model: of planted words and of files; where there is none, an error says so."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from biascore import Engine
from biascore.api.queries import Familiarity
from biascore.engine.rehearsal import FEW_WORDS, Rehearsal, Scratch
from biascore.errors import CapabilityError, PluginFailedError, WorkerError
from biascore.models.pipeline.cache import NoCache

from ..builders.models import Lengths, model_of
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


def test_a_plan_reads_no_whole_file(engine: Engine, tmp_path: Path) -> None:
    words = [f"w{i}" for i in range(FEW_WORDS + 5)]
    with engine.model(write_vectors(tmp_path / "words.vec", random_vectors(words, 3, 0))) as model:
        vocabulary = Rehearsal(model, Scratch(NoCache()), dimensions=3).vocabulary()
        assert list(vocabulary.words()) == words
        ((some, rows),) = vocabulary.blocks()
        assert (some, rows.shape) == (tuple(words[:FEW_WORDS]), (FEW_WORDS, 3))


def test_a_word_is_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    backend, asked = Lengths(), list[str]()

    def familiarity(words: Sequence[str]) -> Sequence[Familiarity]:
        asked.extend(words)
        return [Familiarity(seen=word != "b", rank=len(word)) for word in words]

    monkeypatch.setattr(backend, "familiarity", familiarity)
    model = model_of(backend)
    assert [one.seen for one in model.familiarity(["a", "b", "a"])] == [True, False, True]
    assert [one.rank for one in model.familiarity(["ccc", "a"])] == [3, 1]
    assert asked == ["a", "b", "ccc"]


class Fails(Lengths):
    """Raises this where it is asked whether it has seen words, and counts how often."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error, self.tries = error, 0

    def familiarity(self, words: Sequence[str]) -> Sequence[Familiarity]:
        self.tries += 1
        raise self.error


def test_an_adapter_that_fails_to_tell_what_it_has_seen_is_named() -> None:
    """It was an error of the metric that asked."""
    with pytest.raises(PluginFailedError, match=r"fake, reading its vocabulary, raised ValueError"):
        model_of(Fails(ValueError("no"))).familiarity(["nurse"])


def test_a_model_that_is_down_is_waited_for_once_in_a_run() -> None:
    """Metrics ask what it has seen before they ask it anything, and each waited for the whole time limit."""
    backend = Fails(WorkerError("it hangs"))
    model = model_of(backend)
    model.standing.in_run = True
    for _ in range(2):
        with pytest.raises(WorkerError, match="it hangs"):
            model.familiarity(["nurse"])
    with pytest.raises(WorkerError, match="it hangs"):
        model.embed(["nurse"])
    assert (backend.tries, backend.calls) == (1, [])
    model.standing.end_run()
    model.embed(["nurse"])
    assert backend.calls == [("nurse",)]
