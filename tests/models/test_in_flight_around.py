"""What is around batches at once: Ctrl-C, time limits, keys, the current folder and plans."""

from __future__ import annotations

import _thread
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from biascore.engine.rehearsal import Rehearsal, Scratch
from biascore.errors import (
    PluginFailedError,
    TimeLimitError,
    TransientModelError,
)
from biascore.models.pipeline.cache import DiskCache, NoCache

from ..builders import models
from .flying import INSIDE, PATIENCE, Service, kept, model_of, raises, until


def test_ctrl_c_keeps_what_has_come_and_waits_for_nothing(tmp_path: Path) -> None:
    never = threading.Event()
    backend: Service

    def on(text: str, _time: int) -> None:
        if text == "b":
            until(lambda: kept(tmp_path, "acd") == set("acd"))
            _thread.interrupt_main()
        if text in "bef":
            never.wait(10 * PATIENCE)

    backend = Service(3, on)
    with pytest.raises(KeyboardInterrupt):
        model_of(backend, cache=DiskCache(tmp_path)).translate("abcdefghij", "en", "it")
    assert "b" not in backend.ended  # it was not waited for
    assert not {"g", "h", "i", "j"} & set(backend.begun)
    never.set()
    again = Service(3)
    model = model_of(again, cache=DiskCache(tmp_path))
    assert model.translate("abcdefghij", "en", "it") == tuple("ABCDEFGHIJ")
    assert sorted(again.begun) == list("befghij")


def test_an_answer_that_came_with_ctrl_c_is_kept(tmp_path: Path) -> None:
    class Interrupted(DiskCache):
        left = 1

        def put(self, answers: Any) -> None:
            until(lambda: "biascore-in-flight" not in [one.name for one in threading.enumerate()])
            if self.left:
                self.left -= 1
                raise KeyboardInterrupt
            super().put(answers)

    backend = Service(3)
    with pytest.raises(KeyboardInterrupt):
        model_of(backend, cache=Interrupted(tmp_path)).translate("abcdef", "en", "it")
    assert kept(tmp_path, "abcdef") == set("abc")


def test_what_a_plugin_interrupts_is_interrupted() -> None:
    backend = Service(2, raises(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt) as info:
        model_of(backend).translate("abcdef", "en", "it")
    assert "answering 1 question(s) (translate)" in info.value.__notes__[0]


def test_the_time_limit_holds_for_each_batch(tmp_path: Path) -> None:
    never = threading.Event()
    backend = Service(2, lambda text, _time: text == "b" and never.wait(10 * PATIENCE))
    model = model_of(backend, cache=DiskCache(tmp_path), time_limit=0.3)
    with pytest.raises(TimeLimitError, match=r"0\.3 seconds"):
        model.translate("abcd", "en", "it")
    never.set()
    assert "a" in kept(tmp_path, "abcd")
    assert "b" not in kept(tmp_path, "abcd")


def test_a_key_is_hidden_in_what_a_thread_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", "sesame-sesame")

    def on(_text: str, _time: int) -> None:
        try:
            raise ValueError("the header was sesame-sesame")
        except ValueError as error:
            raise RuntimeError("refused: sesame-sesame") from error

    model = models.model_of(Service(3, on), paid=True, key_variables=("A_KEY",))
    with pytest.raises(PluginFailedError) as info:
        model.translate("abc", "en", "it")
    error: BaseException | None = info.value
    while error is not None:
        assert "sesame" not in f"{error}{getattr(error, 'trace', '')}"
        error = error.__cause__ or error.__context__
    assert "[A_KEY]" in str(info.value)


def test_the_current_folder_and_context_are_those_of_the_caller(tmp_path: Path) -> None:
    seen = set()
    waiting = threading.Event()  # b's first attempt is over, and what it does to the folder at its end too
    backend: Service

    def on(text: str, time: int) -> None:
        seen.add(INSIDE.get())
        if text == "a":
            until(waiting.is_set)
            os.chdir(tmp_path)
            until(lambda: backend.begun.count("b") == 2)
        elif time == 1:  # so that it begins once more, in the other folder
            raise TransientModelError("later")
        else:
            until(lambda: Path.cwd() == before)

    def sleep(_seconds: float) -> None:
        waiting.set()
        until(lambda: Path.cwd() != before)

    before = Path.cwd()
    token = INSIDE.set("a metric")
    try:
        backend = Service(2, on)
        model_of(backend, time_limit=PATIENCE, sleep=sleep).translate("ab", "en", "it")
    finally:
        INSIDE.reset(token)
        after = Path.cwd()
        os.chdir(before)
    assert after == before
    assert seen == {"a metric"}


def test_a_plan_asks_in_one_thread() -> None:
    backend = Service(4)
    rehearsal = Rehearsal(model_of(backend), Scratch(NoCache()))
    threads = set()
    whole = rehearsal._answer
    rehearsal._asker.call = lambda *a: (threads.add(threading.get_ident()), whole(*a))[1]  # type: ignore[func-returns-value]
    rehearsal.translate("abcdef", "en", "it")
    assert threads == {threading.get_ident()}
    assert backend.begun == []
