"""What a model may cost: batches that a backend cuts itself, and characters that are not sent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from biascore import Engine
from biascore.api.adapters import Backend, Identity, hookimpl
from biascore.api.queries import Text
from biascore.engine.rehearsal import Rehearsal, Scratch
from biascore.errors import (
    AnswerError,
    AuthError,
    BudgetError,
    CacheError,
    OptionsError,
    QuestionError,
    QuotaError,
    RateLimitError,
    TransientModelError,
)
from biascore.models.model import Model
from biascore.models.pipeline.budget import Budget
from biascore.models.pipeline.cache import CacheWarning, DiskCache, NoCache
from biascore.models.pipeline.source import Services
from biascore.models.questions.cost import Cost

from ..builders import models


class Uneven(Backend):
    """Wants its questions in batches of the sizes given, the rest in one."""

    identity = Identity("test:uneven")

    def __init__(self, sizes: Sequence[int] = (), errors: Sequence[Exception] = ()) -> None:
        self._sizes, self._errors = sizes, list(errors)
        self.calls: list[tuple[str, ...]] = []
        self.seen: list[tuple[str, int]] = []

    def batch_sizes(self, hook: str, questions: Sequence[Any]) -> Iterable[int]:
        self.seen.append((hook, len(questions)))
        rest = len(questions) - sum(self._sizes)
        return [*self._sizes, rest] if rest > 0 else self._sizes

    @hookimpl
    def translate(self, texts: tuple[str, ...], source: str, target: str) -> tuple[str, ...]:
        self.calls.append(texts)
        if self._errors:
            raise self._errors.pop(0)
        return texts


def model_of(backend: Backend, *, paid: bool = True, **services: Any) -> Model:
    """A model that charges, and waits for nothing."""
    return models.model_of(backend, Services(sleep=lambda _seconds: None, **services), paid=paid)


def test_a_backend_cuts_its_own_batches() -> None:
    backend = Uneven((1, 3))
    assert model_of(backend).translate("abcbdef", "en", "it") == tuple("abcbdef")
    assert backend.calls == [("a",), ("b", "c", "d"), ("e", "f")]
    assert backend.seen == [("translate", 6)]


def test_batches_are_cut_from_all_questions_also_when_some_are_answered(tmp_path: Path) -> None:
    model_of(Uneven(), cache=DiskCache(tmp_path)).translate("bf", "en", "it")
    backend = Uneven((1, 3))
    model_of(backend, cache=DiskCache(tmp_path)).translate("abcdef", "en", "it")
    assert backend.calls == [("a",), ("c", "d"), ("e",)]


def test_nothing_to_ask_cuts_nothing(tmp_path: Path) -> None:
    model_of(Uneven(), cache=DiskCache(tmp_path)).translate("ab", "en", "it")
    backend = Uneven((1, 3))
    model_of(backend, cache=DiskCache(tmp_path)).translate("ab", "en", "it")
    assert backend.seen == []


@pytest.mark.parametrize("sizes", [(4, 4), (3, 0, 3), (7,), (-1, 7)])
def test_batches_that_are_not_all_questions(sizes: tuple[int, ...]) -> None:
    backend = Uneven(sizes)
    with pytest.raises(AnswerError, match="6 questions in batches"):
        model_of(backend).translate("abcdef", "en", "it")
    assert backend.calls == []


@pytest.mark.parametrize(("batch", "sizes"), [(2, [2, 2, 1]), (5, [5]), (9, [5]), (0, [1] * 5)])
def test_the_default_is_batches_of_one_size(batch: int, sizes: list[int]) -> None:
    backend = Backend()
    backend.batch = batch
    assert list(backend.batch_sizes("embed", [Text.word(w) for w in "abcde"])) == sizes
    assert list(backend.batch_sizes("embed", [])) == []


def test_nothing_is_sent_of_what_the_budget_does_not_cover_whole() -> None:
    budget = Budget(8)
    backend = Uneven((1, 1, 1))
    with pytest.raises(BudgetError, match=r"still need 9 characters, and 0 of the 8 allowed"):
        model_of(backend, budget=budget).translate(["aaa", "bbb", "ccc"], "en", "it")
    assert backend.calls == []
    assert budget.spent == 0


def test_the_budget_is_kept_to_before_each_attempt() -> None:
    budget = Budget(8)
    backend = Uneven((1, 1), errors=[TransientModelError("")])
    with pytest.raises(BudgetError, match=r"next request has 3 characters, and 6 of the 8 allowed"):
        model_of(backend, budget=budget).translate(["aaa", "bbb"], "en", "it")
    assert backend.calls == [("aaa",), ("aaa",)]
    assert budget.spent == 6


def test_a_plan_needs_no_budget() -> None:
    budget = Budget(0)
    backend = Uneven()
    rehearsal = Rehearsal(model_of(backend, budget=budget), Scratch(NoCache()))
    assert rehearsal.translate(["aaa"], "en", "it") == ("aaa",)
    assert rehearsal.tallies["translate"].unique == 1
    assert (backend.calls, budget.spent) == ([], 0)


def test_what_is_answered_already_needs_no_budget(tmp_path: Path) -> None:
    model_of(Uneven(), cache=DiskCache(tmp_path)).translate(["aaa", "bbb"], "en", "it")
    model = model_of(Uneven(), cache=DiskCache(tmp_path), budget=Budget(3))
    assert model.translate(["aaa", "bbb", "ccc"], "en", "it") == ("aaa", "bbb", "ccc")


def test_a_service_that_charges_is_not_asked_when_its_answers_cannot_be_kept(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    backend = Uneven()
    with pytest.warns(CacheWarning), pytest.raises(CacheError, match=r"or pass Engine\(cache=None\)"):
        model_of(backend, cache=DiskCache(tmp_path / "file" / "cache")).translate(["a"], "en", "it")
    assert backend.calls == []
    assert model_of(Uneven()).translate(["a"], "en", "it") == ("a",)
    free = model_of(Uneven(), cache=DiskCache(tmp_path / "file" / "cache"), paid=False)
    with pytest.warns(CacheWarning):
        assert free.translate(["a"], "en", "it") == ("a",)


def test_good_answers_of_a_request_with_a_bad_one_are_kept(tmp_path: Path) -> None:
    backend = Uneven(errors=[AnswerError("one is bad", {0: "A", 2: "C"})])
    with pytest.raises(AnswerError, match="one is bad"):
        model_of(backend, cache=DiskCache(tmp_path)).translate(["a", "b", "c"], "en", "it")
    again = Uneven()
    assert model_of(again, cache=DiskCache(tmp_path)).translate("abc", "en", "it") == ("A", "b", "C")
    assert again.calls == [("b",)]


@pytest.mark.parametrize(("wait", "calls"), [(900.0, 2), (901.0, 1), (float("inf"), 1)])
def test_a_wait_that_nobody_sits_through_is_an_error(wait: float, calls: int) -> None:
    backend = Uneven(errors=[RateLimitError("slow down", retry_after=wait)])
    model = model_of(backend)
    if calls == 2:
        assert model.translate(["a"], "en", "it") == ("a",)
    else:
        with pytest.raises(RateLimitError, match="slow down"):
            model.translate(["a"], "en", "it")
    assert len(backend.calls) == calls


def test_the_budget_may_be_used_up_to_its_end() -> None:
    assert model_of(Uneven(), budget=Budget(3)).translate(["aaa"], "en", "it") == ("aaa",)
    assert model_of(Uneven(), budget=Budget(0)).translate([], "en", "it") == ()
    with pytest.raises(BudgetError):
        model_of(Uneven(), budget=Budget(0)).translate(["a"], "en", "it")


def test_models_share_a_budget_and_free_ones_take_nothing_of_it() -> None:
    budget = Budget(4)
    model_of(Uneven(), paid=False, budget=budget).translate(["aaaaaaaa"], "en", "it")
    model_of(Uneven(), budget=budget).translate(["aaa"], "en", "it")
    with pytest.raises(BudgetError):
        model_of(Uneven(), budget=budget).translate(["bb"], "en", "it")
    assert budget.spent == 3


def test_a_lost_answer_counts_and_a_refusal_does_not() -> None:
    refused: list[Exception] = [AuthError(""), QuotaError(""), QuestionError("")]
    for error in refused:
        budget = Budget(3)
        with pytest.raises(type(error)):
            model_of(Uneven(errors=[error]), budget=budget).translate(["aaa"], "en", "it")
        assert budget.spent == 0
    budget = Budget(9)
    backend = Uneven(errors=[RateLimitError(""), TransientModelError(""), RateLimitError("")])
    model_of(backend, budget=budget).translate(["aaa"], "en", "it")
    assert budget.spent == 6
    with pytest.raises(BudgetError):
        model_of(Uneven(errors=[TransientModelError("")]), budget=Budget(5)).translate(["aaa"], "en", "it")


def test_characters_are_counted_of_what_is_asked(tmp_path: Path) -> None:
    model = model_of(Uneven(), cache=DiskCache(tmp_path))
    model.translate(["aaa", "aaa", "😀"], "en", "it")
    model.translate(["aaa", "bb"], "en", "it")
    assert model.counts.characters == 3 + 1 + 2
    assert model.used().questions.characters == 6


class Counting(Uneven):
    """Knows that a text takes a token a character, and at most two more for its answer."""

    def cost(self, hook: str, questions: Sequence[Any], params: Any) -> Cost:
        return Cost(tokens=sum(map(len, questions)), tokens_out=2 * len(questions))


def tokens(limit: int | None) -> Budget:
    return Budget(limit, "tokens")


def test_tokens_are_bounded_as_characters_are() -> None:
    backend = Counting()
    model = model_of(backend, token_budget=tokens(9))
    with pytest.raises(
        BudgetError, match=r"still need up to 10 tokens in and out, and 0 of the 9 .*higher max_tokens"
    ):
        model.translate(["aaa", "bbb"], "en", "it")
    assert backend.calls == []
    assert model.translate(["aaa"], "en", "it") == ("aaa",)
    with pytest.raises(BudgetError, match=r"\(max_tokens\) are used already"):
        model.translate(["bbb"], "en", "it")
    lost = Counting(errors=[TransientModelError("")])
    with pytest.raises(BudgetError, match=r"next request has up to 5 tokens in and out, and 5 of the 9"):
        model_of(lost, token_budget=tokens(9)).translate(["aaa"], "en", "it")


def test_what_one_budget_stops_takes_nothing_of_the_other() -> None:
    lost = Counting(errors=[TransientModelError("")])
    few, many = tokens(9), Budget(100)
    with pytest.raises(BudgetError, match="max_tokens"):
        model_of(lost, budget=many, token_budget=few).translate(["aaa"], "en", "it")
    assert (few.spent, many.spent) == (5, 3)


def test_of_a_call_that_is_many_requests_a_refused_question_does_not_undo_the_others() -> None:
    budget = tokens(9)
    with pytest.raises(QuestionError):
        model_of(Counting(errors=[QuestionError("")]), token_budget=budget).translate(["aaa"], "en", "it")
    assert budget.spent == 5


def test_who_counts_no_tokens_takes_none() -> None:
    assert model_of(Uneven(), token_budget=tokens(0)).translate(["aaa"], "en", "it") == ("aaa",)


@pytest.mark.parametrize("unit", ["characters", "tokens"])
def test_a_budget_is_no_negative_number(unit: str) -> None:
    limits: dict[str, Any] = {f"max_{unit}": -1}
    with pytest.raises(OptionsError, match=f"max_{unit}"):
        Engine(cache=None, **limits)


def test_a_model_without_a_key_costs_nothing() -> None:
    engine = Engine(cache=None, max_characters=0)
    assert len(engine.model("planted:gender=1").translate(["I am a nurse."], "en", "es")) == 1
