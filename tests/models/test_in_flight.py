"""Several batches at once: the same answers, counts and errors as one by one; one wait, one budget, one end for all."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from biascore.basics.progress import Advance
from biascore.errors import (
    AnswerError,
    AuthError,
    BiascoreError,
    BudgetError,
    QuestionError,
    QuotaError,
    RateLimitError,
    TransientModelError,
)
from biascore.models.pipeline.budget import Budget
from biascore.models.pipeline.cache import DiskCache
from biascore.models.usage import QuestionCounts

from .flying import PATIENCE, Service, kept, model_of, until


@pytest.mark.parametrize("most", [2, 4, 7])
def test_as_many_batches_as_the_backend_says_are_asked_at_once_and_no_more(most: int) -> None:
    together = threading.Barrier(most)
    backend = Service(most, lambda _text, _time: together.wait(PATIENCE))
    texts = [f"text {i}" for i in range(3 * most)]
    assert model_of(backend).translate(texts, "en", "it") == tuple(map(str.upper, texts))
    assert backend.most == most


@pytest.mark.parametrize("most", [1, 0, -3])
def test_one_at_a_time_needs_no_thread(most: int) -> None:
    threads = set()
    backend = Service(most, lambda _text, _time: threads.add(threading.get_ident()))
    model_of(backend).translate("abcd", "en", "it")
    assert threads == {threading.get_ident()}
    assert backend.begun == list("abcd")


@pytest.mark.parametrize("seed", range(5))
def test_answers_and_counts_are_those_of_one_by_one(tmp_path: Path, seed: int) -> None:
    drawn = random.Random(seed)
    texts = [f"text {drawn.randrange(30)}" for _ in range(40)]
    found = []
    for most in (1, 6):
        folder = tmp_path / str(most)
        model_of(Service(1), cache=DiskCache(folder)).translate(texts[:5], "en", "it")
        cache = DiskCache(folder)
        model = model_of(Service(most, lambda *_: time.sleep(drawn.random() / 500)), cache=cache)
        answers = model.translate(texts, "en", "it")
        found.append((answers, model.counts, cache.info().answers, kept(folder, texts)))
    assert found[0] == found[1]
    assert found[0][0] == tuple(map(str.upper, texts))


def test_each_batch_is_kept_as_soon_as_it_is_answered(tmp_path: Path) -> None:
    def on(text: str, _time: int) -> None:
        if text == "a":
            until(lambda: kept(tmp_path, "bcdef") == set("bcdef"))

    backend = Service(3, on)
    assert model_of(backend, cache=DiskCache(tmp_path)).translate("abcdef", "en", "it") == tuple("ABCDEF")
    assert backend.ended[-1] == "a"


def test_progress_is_told_by_the_thread_that_asks() -> None:
    class Shown:
        def __init__(self) -> None:
            self.steps: list[tuple[int, int]] = []

        @contextmanager
        def task(self, label: str, total: int) -> Iterator[Advance]:
            yield lambda steps: self.steps.append((threading.get_ident(), steps))

        def note(self, text: str) -> None: ...

    shown = Shown()
    model_of(Service(4), progress=shown).translate("abcdefg", "en", "it")
    assert shown.steps == [(threading.get_ident(), 1)] * 7


def test_the_first_batch_in_order_that_failed_is_told(tmp_path: Path) -> None:
    backend: Service

    def on(text: str, _time: int) -> None:
        if text == "b":
            until(lambda: "c" in backend.ended)
            raise QuestionError("the second")
        if text == "c":
            until(lambda: len(backend.begun) == 4)
            raise AnswerError("the third")
        if text in "ad":
            until(lambda: "b" in backend.ended)

    backend = Service(4, on)
    with pytest.raises(QuestionError, match="the second"):
        model_of(backend, cache=DiskCache(tmp_path)).translate("abcdefgh", "en", "it")
    assert sorted(backend.begun) == list("abcd")  # and nothing after the third has failed
    assert kept(tmp_path, "abcdefgh") == {"a", "d"}  # both were on their way, and are paid for


@pytest.mark.parametrize("error", [AuthError("no"), QuotaError("no"), TransientModelError("no")])
def test_a_model_that_is_down_is_asked_nothing_more(tmp_path: Path, error: BiascoreError) -> None:
    backend: Service

    def on(text: str, _time: int) -> None:
        if text == "a":
            until(lambda: "b" in backend.ended)
            raise QuestionError("not this one")
        if text == "b":
            until(lambda: "a" in backend.begun)
            raise error

    backend = Service(2, on)
    model = model_of(backend, cache=DiskCache(tmp_path), attempts=1)
    model.standing.in_run = True
    with pytest.raises(QuestionError):
        model.translate("abcdef", "en", "it")
    for one in (model, model.view("under another name")):
        with pytest.raises(type(error), match="no"):
            one.translate("xyz", "en", "it")
    assert backend.begun in (["a", "b"], ["b", "a"])
    model.standing.end_run()
    assert model.translate("xyz", "en", "it") == ("X", "Y", "Z")


def test_outside_of_a_run_a_model_that_was_down_is_asked_again(tmp_path: Path) -> None:
    def on(_text: str, time: int) -> None:
        if time == 1:
            raise TransientModelError("down")

    model = model_of(Service(1, on), cache=DiskCache(tmp_path), attempts=1)
    with pytest.raises(TransientModelError):
        model.translate("a", "en", "it")
    assert model.translate("a", "en", "it") == ("A",)


def test_what_was_answered_before_an_error_is_counted(tmp_path: Path) -> None:
    """It was charged for; after the same again, the two calls have counted each text once."""
    backend: Service

    def on(text: str, time: int) -> None:
        if time == 1 and text == "eee ff":
            raise AnswerError("one is bad", {1: "FF"})
        if time == 1 and text == "g hh":
            raise TransientModelError("down")

    backend = Service(1, on)
    backend.batch = 2
    texts = ["a", "bb", "a", "ccc", "dd", "eee", "ff", "g", "hh"]
    model = model_of(backend, cache=DiskCache(tmp_path), attempts=1)
    with pytest.raises(AnswerError):
        model.translate(texts, "en", "it")
    first = QuestionCounts(put=7, repeated=1, cached=0, asked=6, characters=13)
    assert model.counts == first
    with pytest.raises(TransientModelError):
        model.translate(texts, "en", "it")
    second = QuestionCounts(put=7, repeated=1, cached=5, asked=1, characters=3)
    assert model.counts.since(first) == second
    before = model.counts
    model.translate(texts, "en", "it")
    assert model.counts.since(before) == QuestionCounts(put=9, repeated=1, cached=6, asked=2, characters=3)


def test_usable_answers_of_a_batch_that_failed_are_kept(tmp_path: Path) -> None:
    backend: Service

    def on(text: str, _time: int) -> None:
        if text == "c d":
            until(lambda: len(backend.begun) == 3)
            raise AnswerError("one is bad", {1: "D"})

    backend = Service(3, on)
    backend.batch = 2
    with pytest.raises(AnswerError, match="one is bad"):
        model_of(backend, cache=DiskCache(tmp_path)).translate("abcdef", "en", "it")
    assert kept(tmp_path, "abcdef") == set("abdef")


def test_those_that_are_refused_wait_together_and_go_one_by_one() -> None:
    together = threading.Barrier(4)
    waited: list[float] = []
    alone: list[int] = []
    backend: Service

    def on(text: str, time: int) -> None:
        if text in "abcd" and time == 1:
            together.wait(PATIENCE)
            raise RateLimitError("slow down", retry_after=7)
        if time == 2:
            alone.append(backend.now)

    def sleep(seconds: float) -> None:
        waited.append(seconds)
        until(lambda: len(backend.ended) >= 4)

    backend = Service(4, on)
    answers = model_of(backend, sleep=sleep).translate("abcdefghij", "en", "it")
    assert answers == tuple("ABCDEFGHIJ")
    assert waited == [7] * 4  # at the same time
    assert alone == [1] * 4
    assert sorted(backend.begun[4:8]) == list("abcd")  # before anything new
    assert backend.begun.count("a") == 2


def test_while_one_waits_no_other_sends(tmp_path: Path) -> None:
    backend: Service

    def on(text: str, time: int) -> None:
        if text == "a" and time == 1:
            until(lambda: "b" in backend.begun)
            raise RateLimitError("slow down", retry_after=7)
        if text == "b" and time == 1:
            until(lambda: backend.ended == ["a"])
            time_to_refuse.wait(PATIENCE)

    def sleep(_seconds: float) -> None:
        time_to_refuse.set()
        until(lambda: kept(tmp_path, "b") == {"b"})  # so that the next is begun
        time.sleep(0.05)  # long enough for what must not come

    time_to_refuse = threading.Event()
    backend = Service(2, on)
    model_of(backend, cache=DiskCache(tmp_path), sleep=sleep).translate("abcd", "en", "it")
    assert (sorted(backend.begun[:2]), backend.begun[2]) == (["a", "b"], "a")


@pytest.mark.parametrize("passing", [TransientModelError("later"), RateLimitError("later", retry_after=800)])
def test_what_waits_to_be_sent_again_is_not_sent_after_a_fatal_error(passing: BiascoreError) -> None:
    backend: Service

    def on(text: str, _time: int) -> None:
        if text == "a":
            until(lambda: "b" in backend.begun)
            raise passing
        until(lambda: "a" in backend.ended)
        raise AuthError("no")

    backend = Service(2, on)
    with pytest.raises(AuthError, match="no"):
        model_of(backend).translate("abcdef", "en", "it")  # that it ends shows that nobody waits 800 seconds
    assert sorted(backend.begun) == ["a", "b"]


def test_a_budget_is_not_overdrawn_by_what_is_on_its_way() -> None:
    together = threading.Barrier(3)
    backend = Service(3, lambda text, time: text in "abc" and time == 1 and together.wait(PATIENCE))
    budget = Budget(3)
    model = model_of(backend, budget=budget)
    model.translate("abc", "en", "it")
    with pytest.raises(BudgetError):
        model.translate("d", "en", "it")
    assert budget.spent == 3

    def lost(_text: str, _time: int) -> None:
        raise TransientModelError("lost")

    backend, budget = Service(4, lost), Budget(9)
    with pytest.raises((BudgetError, TransientModelError)):
        model_of(backend, budget=budget, sleep=lambda _seconds: None).translate("abcd", "en", "it")
    assert budget.spent == len(backend.begun) <= 9


def test_a_budget_that_threads_share_is_checked_and_counted_in_one_step() -> None:
    class Slow(Budget):
        def _check(self, *told: Any) -> None:
            super()._check(*told)
            time.sleep(0.001)  # another thread has its turn between the check and the count

    budget = Slow(3)
    sent: list[int] = []

    def ask() -> None:
        with suppress(BudgetError):
            budget.guard("m", lambda: sent.append(1), 1)()

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert budget.spent == len(sent) == 3
