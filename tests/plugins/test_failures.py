"""What a model or a metric does wrong costs its own measurements: named, kept in the run, and gone on from."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from biascore import Audit, Run
from biascore.audits.audit import AuditModel
from biascore.basics.guard import guarded
from biascore.errors import (
    At,
    AuthError,
    ModelLoadError,
    NothingMeasuredError,
    Owner,
    PluginFailedError,
    QuestionError,
    RateLimitError,
    TimeLimitError,
    TransientModelError,
)

from .conftest import EngineOf
from .trouble import adapter_that, finding, metric_that


def does(error: BaseException) -> Callable[[], None]:
    def act() -> None:
        raise type(error)(*error.args)

    return act


def audit(*refs: str, metrics: tuple[str, ...] = ("weat",), tests: tuple[str, ...] = ("en/weat7",)) -> Audit:
    options = {"weat": {"resamples": 100, "reference": "none"}}
    return Audit.from_parts(
        title="some fail",
        models=[{"ref": ref, "name": ref.partition(":")[0]} for ref in refs],
        measurements=[{"metric": m, "tests": list(tests), "options": options.get(m, {})} for m in metrics],
    )


def failed(run: Run) -> list[tuple[str, str, str, str, str, bool]]:
    return [(f.metric, f.test, f.model, f.kind, f.error, f.may_pass) for f in run.failed]


@pytest.mark.parametrize(
    ("error", "name", "may_pass"),
    [
        (ModelLoadError("gone"), "ModelLoadError", False),
        (TransientModelError("down"), "TransientModelError", True),
        (RateLimitError("slow down", 1e9), "RateLimitError", True),
        (ZeroDivisionError("1/0"), "ZeroDivisionError", False),
        (SystemExit(0), "SystemExit", False),
        (MemoryError(), "MemoryError", False),
    ],
)
@pytest.mark.parametrize("where", ["load", "answer"])
def test_a_model_that_fails_costs_its_own_measurements(
    engine_of: EngineOf, error: BaseException, name: str, may_pass: bool, where: str
) -> None:
    engine = engine_of(adapter_that(**{where: does(error)}), attempts=1)
    run = engine.run(audit("made:x", "planted:gender=1"))
    assert [(m.model, m.test) for m in run] == [("planted", "en/weat7")]
    kind = "opening" if where == "load" else "answering"
    assert failed(run) == [("weat", "en/weat7", "made", kind, name, may_pass)]
    (lost,) = run.failed
    assert (lost.plugin, lost.dist, lost.culprit) == ("made", "unknown", "made")
    assert "trouble.py" in lost.traceback, lost.traceback


def test_a_model_that_cannot_be_opened_is_tried_once(engine_of: EngineOf) -> None:
    tries = []

    def load() -> None:
        tries.append(1)
        raise ModelLoadError("gone")

    engine = engine_of(adapter_that(load=load))
    run = engine.run(audit("made:x", "planted:gender=1", tests=("en/weat7", "en/weat8")))
    assert [(f.test, f.message) for f in run.failed] == [("en/weat7", "gone"), ("en/weat8", "gone")]
    assert len(tries) == 1
    assert [model.name for model in run.models] == ["planted"]


def test_a_metric_that_raises_costs_its_own_measurements(engine_of: EngineOf) -> None:
    def act(metric: Any, model: Any, test: Any, context: Any) -> Any:
        if test.id == "en/weat7":
            raise ZeroDivisionError("division by zero")
        return finding()

    engine = engine_of(metric_that(act))
    run = engine.run(
        audit("planted:gender=1", metrics=("weat", "made-metric"), tests=("en/weat7", "en/weat8"))
    )
    assert [(m.metric, m.test) for m in run] == [
        ("weat", "en/weat7"),
        ("weat", "en/weat8"),
        ("made-metric", "en/weat8"),
    ]
    (lost,) = run.failed
    assert (lost.metric, lost.test, lost.kind) == ("made-metric", "en/weat7", "measuring")
    assert lost.message.startswith(
        "plugin 'made' of unknown 0: measuring made-metric en/weat7 on planted raised ZeroDivisionError: division by "
        "zero (test_failures.py, line "
    )
    assert "ZeroDivisionError" in lost.traceback


def test_a_question_that_cannot_be_answered_leaves_the_model_in_use(engine_of: EngineOf) -> None:
    calls = []

    def answer() -> None:
        calls.append(1)
        if len(calls) == 1:
            raise QuestionError("too long")

    engine = engine_of(adapter_that(answer=answer))
    run = engine.run(audit("made:x", tests=("en/weat7", "en/weat8")))
    assert [m.test for m in run] == ["en/weat8"]
    assert failed(run) == [("weat", "en/weat7", "made", "answering", "QuestionError", False)]


@pytest.mark.parametrize("error", [TransientModelError("down"), AuthError("no key")])
def test_a_service_that_is_down_is_left_alone_and_the_same_again_asks_what_is_missing(
    engine_of: EngineOf, tmp_path: Path, error: BaseException
) -> None:
    calls: list[int] = []
    up = {"up": False}

    def answer() -> None:
        calls.append(1)
        if len(calls) == 3 and not up["up"]:
            raise type(error)(*error.args)

    kind = adapter_that(answer=answer)
    tests = ("en/weat7", "en/weat8")
    part = engine_of(kind, cache=tmp_path, attempts=1).run(audit("made:x", "planted:gender=1", tests=tests))
    assert [f.test for f in part.failed] == ["en/weat7", "en/weat8"]
    assert len(calls) == 3, "it was asked again after it had failed"
    up["up"] = True
    whole = engine_of(kind, cache=tmp_path).run(audit("made:x", "planted:gender=1", tests=tests))
    assert whole.failed == ()
    assert len(whole) == 4
    made = next(model for model in whole.models if model.name == "made")
    assert (
        made.questions.asked == 47 - 16
    )  # of all different words; two batches of eight were answered at first
    planted = next(model for model in whole.models if model.name == "planted")
    assert planted.questions.asked == 0


def test_an_open_model_that_was_down_is_asked_again_in_the_next_run(engine_of: EngineOf) -> None:
    down = {"down": True}
    calls: list[int] = []

    def answer() -> None:
        calls.append(1)
        if down["down"]:
            raise TransientModelError("down")

    engine = engine_of(adapter_that(answer=answer), attempts=1)
    model = engine.model("made:x")
    with pytest.raises(TransientModelError):
        engine.measure("weat", model, ["en/weat7", "en/weat8"], resamples=100, reference="none")
    assert len(calls) == 1, "it was asked again in the same run"
    down["down"] = False
    assert len(engine.measure("weat", model, ["en/weat7", "en/weat8"], resamples=100, reference="none")) == 2


def test_a_model_under_two_names_that_is_down_is_asked_once(engine_of: EngineOf) -> None:
    calls: list[int] = []

    def answer() -> None:
        calls.append(1)
        raise TransientModelError("down")

    spec = audit("made:x")
    twice = spec.model_copy(update={"models": (*spec.models, AuditModel(ref="made:x", name="again"))})
    with pytest.raises(TransientModelError):
        engine_of(adapter_that(answer=answer), attempts=1).run(twice)
    assert len(calls) == 1


def test_what_the_cache_answers_is_measured_on_a_model_that_is_down(
    engine_of: EngineOf, tmp_path: Path
) -> None:
    down = {"down": False}

    def answer() -> None:
        if down["down"]:
            raise TransientModelError("down")

    kind = adapter_that(answer=answer)
    engine_of(kind, cache=tmp_path).run(audit("made:x"))
    down["down"] = True
    run = engine_of(kind, cache=tmp_path, attempts=1).run(audit("made:x", tests=("en/weat8", "en/weat7")))
    assert ([f.test for f in run.failed], [m.test for m in run]) == (["en/weat8"], ["en/weat7"])


def test_where_nothing_could_be_measured_that_error_is_raised(engine_of: EngineOf) -> None:
    engine = engine_of(adapter_that(load=does(ModelLoadError("gone"))))
    with pytest.raises(ModelLoadError, match="gone"):
        engine.measure("weat", "made:x", ["en/weat7", "en/weat8"])
    with pytest.raises(ModelLoadError, match="gone"):
        engine.run(audit("made:x"))


def test_where_nothing_could_be_measured_for_several_reasons_they_are_told(engine_of: EngineOf) -> None:
    kinds = [adapter_that("one", load=does(TransientModelError("one is down")))]
    kinds.append(adapter_that("two", load=does(RateLimitError("two is busy"))))
    with pytest.raises(NothingMeasuredError, match=r"(?s)2 reasons:.*one is down.*two is busy") as info:
        engine_of(*kinds).run(audit("one:x", "two:x"))
    assert info.value.may_pass
    assert [f.model for f in info.value.failed] == ["one", "two"]


def test_several_models_are_measured_at_once(engine_of: EngineOf) -> None:
    engine = engine_of(adapter_that(load=does(ModelLoadError("gone"))))
    with engine.model("planted:gender=0", name="open") as opened:
        run = engine.measure("weat", [opened, "planted:gender=1", "made:x"], "en/weat7", resamples=100)
    assert [m.model for m in run] == ["open", "planted:gender=1"]
    assert [f.model for f in run.failed] == ["made:x"]
    assert [model.name for model in run.models] == ["open", "planted:gender=1"]


# Interrupts and time.


@pytest.mark.parametrize("how", ["by Ctrl-C", "by Ctrl-C, made another error", "raised by the plugin"])
def test_an_interrupt_interrupts_and_says_what_was_done(engine_of: EngineOf, how: str) -> None:
    def answer() -> None:
        if how == "raised by the plugin":
            raise KeyboardInterrupt
        try:
            signal.raise_signal(signal.SIGINT)
        except BaseException as error:
            if "another" in how:
                raise RuntimeError("stopped") from error
            raise

    engine = engine_of(adapter_that(answer=answer))
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt) as info:
        engine.run(audit("made:x", "planted:gender=1"))
    assert info.value.__notes__ == ["made, answering 8 question(s) (embed) (plugin 'made' of unknown 0)"]
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interrupt_within_biascore_names_no_plugin() -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as info:
        guarded(At(Owner("metric-weat", "biascore", "1"), "measuring", "measuring weat en/weat6 on m"), stop)
    assert info.value.__notes__ == ["measuring weat en/weat6 on m"]


def hang() -> None:
    while True:
        try:
            threading.Event().wait()
        except Exception:
            continue


@pytest.mark.parametrize("where", ["load", "answer"])
def test_a_model_that_hangs_is_given_up(engine_of: EngineOf, where: str) -> None:
    engine = engine_of(adapter_that(**{where: hang}), time_limit=1)
    run = engine.run(audit("made:x", "planted:gender=1"))
    (lost,) = run.failed
    assert (lost.model, lost.kind) == ("made", "time limit")
    assert "took longer than the 1 seconds" in lost.message
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_metric_that_hangs_is_given_up(engine_of: EngineOf) -> None:
    engine = engine_of(metric_that(lambda *_: hang()), time_limit=1)
    with pytest.raises(TimeLimitError, match=r"measuring made-metric en/weat7 on planted.*time_limit"):
        engine.run(audit("planted:gender=1", metrics=("made-metric",)))


def test_time_for_answers_is_no_time_of_the_metric(engine_of: EngineOf) -> None:
    left: list[float] = []
    kind = adapter_that(answer=lambda: left.append(signal.getitimer(signal.ITIMER_REAL)[0]))
    measured = metric_that(lambda *_: left.append(signal.getitimer(signal.ITIMER_REAL)[0]) or finding())
    engine = engine_of(kind, measured, time_limit=1000)
    engine.run(audit("made:x", metrics=("made-metric",)))
    asking, measuring, _again = left
    assert 0 < asking <= 1000
    assert 0 < measuring <= 1000


def test_a_model_that_hangs_is_given_up_in_another_thread_too(engine_of: EngineOf) -> None:
    never = threading.Event()
    engine = engine_of(adapter_that(answer=never.wait), time_limit=1)
    found: list[Any] = []

    def work() -> None:
        try:
            engine.run(audit("made:x"))
        except TimeLimitError as error:
            found.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    never.set()
    assert len(found) == 1


def test_a_backend_that_is_none_is_named(engine_of: EngineOf) -> None:
    kind = adapter_that()
    kind.load = lambda *_: None  # type: ignore[assignment,method-assign]
    with pytest.raises(PluginFailedError, match="load returned a NoneType, which is no Backend"):
        engine_of(kind).model("made:x")


def test_the_current_folder_is_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    guarded(At(Owner(), "opening", "opening x"), lambda: os.chdir("/"))
    assert Path.cwd() == tmp_path
