"""What Model adds above the hook: each question asked once, in batches, in the caller's order, for what it can."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biascore import Engine
from biascore.api.adapters import Backend, Identity, hookimpl
from biascore.api.queries import Masked, Text
from biascore.basics.progress import Advance
from biascore.errors import CapabilityError, PluginFailedError
from biascore.models.model import Model
from biascore.models.pipeline.budget import Budget
from biascore.models.pipeline.cache import DiskCache
from biascore.models.pipeline.source import Services
from biascore.models.questions.cost import Cost

from ..builders.models import Lengths, lengths, model_of


class OnlyScores(Backend):
    """Can do one thing."""

    identity = Identity(digest="test:scores")

    @hookimpl
    def score(self, texts: tuple[str, ...], quantity: str) -> npt.NDArray[np.float64]:
        return np.zeros(len(texts))


def test_each_question_is_asked_once_and_the_order_is_restored() -> None:
    backend = Lengths(batch=3)
    words = ["b", "aa", "b", "ccc", "aa", "dddd", "b"]
    answers = model_of(backend).embed(words)
    np.testing.assert_array_equal(answers, lengths(*words))
    assert answers.dtype == np.float32
    assert backend.calls == [("b", "aa", "ccc"), ("dddd",)]


def test_texts_that_begin_alike_are_scored_together_and_the_order_is_restored() -> None:
    backend = Lengths(batch=2)
    words = ["a man", "the king", "a woman", "the queens", "a man"]
    assert model_of(backend).score(words, "length").tolist() == [len(word) / 3 for word in words]
    assert backend.calls == [("a man", "a woman"), ("the king", "the queens")]


@given(st.lists(st.sampled_from(["a", "bb", "ccc", "dddd", "eeeee"])), st.integers(1, 7))
def test_any_list_in_any_batch(words: list[str], batch: int) -> None:
    backend = Lengths(batch=batch)
    model = model_of(backend)
    assert model.score(words, "length").tolist() == [len(word) / 3 for word in words]
    assert sorted(sum(backend.calls, ())) == sorted(set(words))
    assert all(len(call) <= batch for call in backend.calls)
    counts = model.counts
    assert (counts.put, counts.repeated) == (len(words), len(words) - len(set(words)))
    assert (counts.cached, counts.asked) == (0, len(set(words)))


def test_no_question_asks_nothing() -> None:
    backend = Lengths()
    model = model_of(backend)
    assert model.embed([]).shape == (0, 0)
    assert model.score([], "length").shape == (0,)
    assert model.translate([], "en", "it") == ()
    assert model.mask_logprob([]) == ()
    assert backend.calls == []


def test_the_span_is_part_of_the_question() -> None:
    backend = Lengths()
    model_of(backend).embed(
        [Text("a b", (0, 1)), Text("a b", (2, 3)), Text("a b"), Text("a b", (0, 1))], "token"
    )
    assert backend.calls == [("a b",) * 3]


def test_progress_is_told_of_what_is_asked_only(tmp_path: Path) -> None:
    class Recorder:
        def __init__(self) -> None:
            self.tasks: list[tuple[str, int, list[int]]] = []

        def task(self, label: str, total: int) -> Any:
            steps: list[int] = []
            self.tasks.append((label, total, steps))
            return contextlib.nullcontext[Advance](steps.append)

    progress = Recorder()
    services = Services(cache=DiskCache(tmp_path), progress=progress)
    model = model_of(Lengths(batch=2), services=services)
    model.score(["a", "b", "c"], "length")
    model.score(["a", "b", "c"], "length")
    model.score(["c", "d"], "length")
    assert progress.tasks == [("fake: score", 3, [2, 1]), ("fake: score", 1, [1])]


def test_a_backend_may_reuse_its_array() -> None:
    class Reuses(Lengths):
        buffer = np.zeros((2, 1), dtype=np.float32)

        @hookimpl
        def embed(self, texts: tuple[Text, ...], level: str) -> npt.NDArray[np.float32]:
            self.buffer[: len(texts), 0] = [len(text.text) for text in texts]
            return self.buffer[: len(texts)]

    assert model_of(Reuses(batch=2)).embed(["a", "bb", "ccc", "dddd"]).ravel().tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "ask",
    [
        lambda m: m.embed(["a"]),
        lambda m: m.mask_logprob([Masked("a", None)]),
        lambda m: m.translate(["a"], "en", "it"),
    ],
)
def test_a_capability_that_is_missing(ask: Callable[[Model], object]) -> None:
    model = model_of(OnlyScores())
    assert model.capabilities == {"score"}
    with pytest.raises(CapabilityError, match=r"fake \(fake:\) cannot \w+; it can score"):
        ask(model)


def test_an_engine_checks_capabilities_before_it_opens_a_model() -> None:
    engine = Engine(cache=None)
    with pytest.raises(CapabilityError, match="weat needs a model that can embed, and fake can score"):
        engine.measure("weat", model_of(OnlyScores()), "en/weat6")


def test_a_run_counts_its_own_questions_only() -> None:
    engine = Engine(cache=None)
    model = engine.model("planted:gender=1")
    first = engine.measure("weat", model, "en/weat6", reference="none")
    second = engine.measure("weat", model, "en/weat6", reference="none")
    assert (first.questions.again, second.questions.again) == (32, 0)  # once for each opened model
    assert first.questions.model_copy(update={"again": 0}) == second.questions
    assert model.counts.put == 2 * first.questions.put > 0


def test_close_and_repr() -> None:
    backend = Lengths()
    model = model_of(backend)
    assert repr(model) == "<Model fake (fake:): embed, mask_logprob, score, translate>"
    model.close()
    assert backend.closed == 1


class Exports(Lengths):
    """Raises this where it is exported, or its cost is asked for."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def export(self, folder: Path, *, int8: bool = False) -> str:
        raise self.error

    def cost(self, hook: str, questions: Sequence[Any], params: Mapping[str, str]) -> Cost:
        raise self.error


def test_an_adapter_that_fails_to_export_is_named_and_a_full_disk_is_no_error_of_its(tmp_path: Path) -> None:
    with pytest.raises(PluginFailedError, match=r"fake, exporting, raised ValueError"):
        model_of(Exports(ValueError("no"))).export(tmp_path)
    with pytest.raises(OSError, match="No space left"):
        model_of(Exports(OSError(28, "No space left"))).export(tmp_path)


def test_an_adapter_that_fails_to_count_is_named() -> None:
    services = Services(token_budget=Budget(9, unit="tokens"))
    model = model_of(Exports(ValueError("no")), services=services, paid=True)
    with pytest.raises(PluginFailedError, match=r"fake, counting tokens, raised ValueError"):
        model.translate(["a"], "en", "it")
