"""Ctrl-C after the last measurement: hours of work are a run, whatever was still to be done with it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from biascore import Engine
from biascore.basics.finishing import finishing
from biascore.engine import attempts, recording
from biascore.engine.attempts import Interrupted
from biascore.models.pool import Pool

AUDIT = """
mappings = ["eu-charter"]
title = "interrupted late"
[[models]]
ref = "planted:gender=1"
[[measurements]]
metric = "weat"
tests = ["en/weat7"]
options = { resamples = 100, reference = "none" }
[[gates]]
name = "bound"
measurements = ["*"]
fail_on = "detected"
"""


def interrupting(call: Callable[..., Any]) -> Callable[..., Any]:
    def interrupted(*given: Any, **named: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        return call(*given, **named)

    return interrupted


@pytest.mark.parametrize(
    ("where", "what"),
    [
        (Pool, "release"),
        (attempts, "with_deviations"),
        (Pool, "__exit__"),
        (recording, "record"),
        (recording, "portable"),
        (recording, "evaluate"),
        (recording, "mapping_used"),
    ],
)
def test_the_run_is_whole(where: Any, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    audit = tmp_path / "audit.toml"
    audit.write_text(AUDIT, encoding="utf-8")
    wanted = Engine(cache=None).run(audit)
    monkeypatch.setattr(where, what, interrupting(getattr(where, what)))
    with pytest.raises(Interrupted) as info:
        Engine(cache=None).run(audit)
    run = info.value.run
    assert run.results_digest() == wanted.results_digest()
    assert (run.failed, run.gates) == ((), wanted.gates)
    assert len(run.gates) == 1


def test_measure_has_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "record", interrupting(recording.record))
    with pytest.raises(Interrupted) as info:
        Engine(cache=None).measure("weat", "planted:gender=1", "en/weat7", resamples=100, reference="none")
    assert len(info.value.run) == 1


def test_a_second_ctrl_c_interrupts() -> None:
    def work() -> None:
        with finishing() as waiting:
            signal.raise_signal(signal.SIGINT)
            assert waiting.interrupt is not None
            signal.raise_signal(signal.SIGINT)
            pytest.fail("not interrupted")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_who_answers_to_ctrl_c_goes_on_doing_so(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _frame: heard.append(number))
    try:
        with finishing() as waiting:
            signal.raise_signal(signal.SIGINT)
        assert (heard, waiting.interrupt) == ([signal.SIGINT], None)
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_finish_without_signals() -> None:
    done: list[object] = []

    def work() -> None:
        with finishing() as waiting:
            done.append(waiting.interrupt)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [None]
