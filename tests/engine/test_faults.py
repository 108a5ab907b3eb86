"""What a model does wrong through any of the hooks costs its own measurements, and is told with the next step."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from biascore import Engine, Run
from biascore.api.adapters import Adapter, Backend, LoadContext, ModelRef, hookimpl
from biascore.api.queries import Choice, Chosen, Masked, Text, TokenLogprobs
from biascore.api.writing import Prompt, Settings, Written
from biascore.errors import QuestionError
from biascore.models.model import Model
from biascore.models.pipeline.cache import DiskCache
from biascore.models.pipeline.repeatability import MOST
from biascore.models.pipeline.source import Services
from biascore.models.pool import Pool
from biascore_adapters.planted.adapter import PlantedAdapter, PlantedOptions
from biascore_adapters.planted.backend import PlantedBackend

from ..builders.models import Lengths, model_of

MEASURED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "embed": ("weat", "en/weat7", {"resamples": 100, "reference": "none"}),
    "mask_logprob": ("gest-lm", "en/gest_own", {"templates": [1]}),
    "translate": ("gest-mt", "en/gest_own", {"target": "it"}),
    "score": ("gest-lm", "en/gest_own", {"templates": [1], "model_kind": "causal"}),
    "choose": ("bbq", "en/choices-gender", {"way": "text"}),
    "generate": ("characters", "en/occasions-occupations", {"templates": 1}),
}
Spoil = Callable[[str, Any], Any]
"""What becomes of the answers of a hook."""


class Spoilt(PlantedBackend):
    """A planted model, whose answers go through ``spoil``."""

    spoil: ClassVar[Spoil]

    @hookimpl
    def embed(self, texts: tuple[Text, ...], level: str) -> Any:
        return type(self).spoil("embed", super().embed(texts, level))

    @hookimpl
    def mask_logprob(self, queries: tuple[Masked, ...]) -> Any:
        return type(self).spoil("mask_logprob", super().mask_logprob(queries))

    @hookimpl
    def translate(self, texts: tuple[str, ...], source: str, target: str) -> Any:
        return type(self).spoil("translate", super().translate(texts, source, target))

    @hookimpl
    def score(self, texts: tuple[str, ...], quantity: str) -> Any:
        return type(self).spoil("score", super().score(texts, quantity))

    @hookimpl
    def choose(self, questions: tuple[Choice, ...], way: Any) -> Any:
        return type(self).spoil("choose", super().choose(questions, way))

    @hookimpl
    def generate(self, prompts: tuple[Prompt, ...], settings: Settings) -> Any:
        return type(self).spoil("generate", super().generate(prompts, settings))


class SpoiltAdapter(PlantedAdapter):
    """Opens ``spoilt:gender=1``."""

    id = "spoilt"
    example = "spoilt:gender=1"

    def load(self, ref: ModelRef, options: PlantedOptions, context: LoadContext) -> Backend:
        backend = super().load(ref, options, context)
        backend.__class__ = Spoilt
        backend.identity = replace(backend.identity, digest="test:spoilt", control=None)
        return backend


def measure(hook: str, spoil: Spoil, *refs: str, tests: Sequence[str] = (), **settings: Any) -> Run:
    Spoilt.spoil = staticmethod(spoil)  # type: ignore[assignment]
    adapters: tuple[type[Adapter], ...] = (SpoiltAdapter,)
    metric, test, options = MEASURED[hook]
    with closing(Engine(adapters=adapters, **{"cache": None, **settings})) as engine:
        return engine.measure(metric, list(refs or ("spoilt:gender=1",)), tests or test, **options)


def with_nan(hook: str, answer: Any) -> Any:
    if hook in ("embed", "score"):
        answer.flat[-1] = np.nan
        return answer
    bad = {
        "mask_logprob": lambda one: replace(one, logprobs=(np.nan, *one.logprobs[1:])),
        "translate": lambda _: np.nan,
        "choose": lambda one: replace(one, logprobs=(-np.inf, *one.logprobs[1:])),
        "generate": lambda one: replace(one, text=np.nan),
    }
    return (*answer[:-1], bad[hook](answer[-1]))


def of_another_type(hook: str, answer: Any) -> Any:
    if hook in ("embed", "score"):
        return answer.astype({"embed": np.float64, "score": np.float32}[hook])
    other: dict[str, Callable[[Any], Any]] = {
        "mask_logprob": lambda one: one.logprobs,
        "translate": str.encode,
        "choose": repr,
        "generate": lambda one: one.text,
    }
    return tuple(map(other[hook], answer))


def raises(_hook: str, _answer: Any) -> Any:
    raise ZeroDivisionError("division by zero")


def hangs(_hook: str, answer: Any) -> Any:
    signal.raise_signal(signal.SIGALRM)  # its time is over; tests/plugins/test_failures.py waits for that
    return answer


FAULTS: dict[str, tuple[Spoil, str]] = {
    "NaN": (with_nan, r"NaN or infinity|not finite|positive or infinite|is a float, not a str"),
    "too few rows": (lambda _, answer: answer[:-1], r"answered an? .* for \d+ questions"),
    "another type": (of_another_type, r"type float\d\d|which is not a token|is a bytes|is a str"),
    "raises": (raises, r"raised ZeroDivisionError: division by zero \(test_faults.py, line \d+\)"),
    "hangs": (hangs, r"took longer than the 1000 seconds"),
}
STEPS = r"(Check the (model's )?weights|Report this to (the adapter's|its) authors.*|Give it more time.*)"


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(
    "hook",
    [
        hook if hook in ("embed", "translate") else pytest.param(hook, marks=pytest.mark.slow)
        for hook in MEASURED
    ],
)
def test_a_faulty_model_costs_its_own_measurements(hook: str, fault: str) -> None:
    spoil, told = FAULTS[fault]
    run = measure(hook, spoil, "spoilt:gender=1", "planted:gender=1", time_limit=1000)
    assert [one.model for one in run] == ["planted:gender=1"]
    (lost,) = run.failed
    assert (lost.model, lost.culprit, lost.plugin) == (
        "spoilt:gender=1",
        "spoilt:gender=1",
        "spoilt (from Python)",
    )
    assert "spoilt:gender=1" in lost.message
    assert re.search(rf"(?s){told}.*{STEPS}\.?$", lost.message), lost.message


def test_an_interrupt_has_what_was_measured() -> None:
    calls: list[int] = []

    def spoil(_hook: str, answer: Any) -> Any:
        calls.append(len(answer))
        if len(calls) > 1:
            signal.raise_signal(signal.SIGINT)
        return answer

    with pytest.raises(KeyboardInterrupt) as info:
        measure("embed", spoil, "spoilt:gender=1", "planted:gender=1", tests=("en/weat7", "en/weat8"))
    assert "spoilt:gender=1, answering" in info.value.__notes__[0]
    run = info.value.run  # type: ignore[attr-defined]
    assert [(one.model, one.test) for one in run] == [("spoilt:gender=1", "en/weat7")]
    assert [(one.model, one.test, one.kind) for one in run.failed] == [
        ("spoilt:gender=1", "en/weat8", "interrupted"),
        ("planted:gender=1", "en/weat7", "interrupted"),
        ("planted:gender=1", "en/weat8", "interrupted"),
    ]
    assert all(one.may_pass and one.message.endswith("Run the same again: it resumes") for one in run.failed)


@pytest.mark.parametrize("where", ["asked again", "the next model opened"])
def test_an_interrupt_between_measurements_has_what_was_measured(
    monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    calls: list[int] = []
    opened = Pool.model

    def spoil(_hook: str, answer: Any) -> Any:
        calls.append(len(answer))
        if len(calls) == 2 and where == "asked again":
            signal.raise_signal(signal.SIGINT)
        return answer

    def opening(pool: Pool, name: str) -> Model:
        if name == "planted:gender=1" and where == "the next model opened":
            signal.raise_signal(signal.SIGINT)
        return opened(pool, name)

    monkeypatch.setattr(Pool, "model", opening)
    with pytest.raises(KeyboardInterrupt) as info:
        measure("embed", spoil, "spoilt:gender=1", "planted:gender=1")
    run = info.value.run  # type: ignore[attr-defined]
    assert [one.model for one in run] == ["spoilt:gender=1"]
    assert [(one.model, one.kind) for one in run.failed] == [("planted:gender=1", "interrupted")]


# Models that are not deterministic.


def noise(by: float) -> Spoil:
    """Every answer is another one than before; of texts and choices those that can be."""
    times = iter(range(10_000))

    def spoil(hook: str, answer: Any) -> Any:
        more = by * next(times)
        if hook in ("embed", "score"):
            return answer + answer.dtype.type(more)
        return tuple(_other(one, more) for one in answer)

    return spoil


def _other(answer: Any, more: float) -> Any:
    if isinstance(answer, TokenLogprobs):
        return replace(answer, logprobs=tuple(p - more for p in answer.logprobs))
    if isinstance(answer, Chosen):
        return replace(answer, said=f"{answer.said} {more}")
    if isinstance(answer, Written):
        return replace(answer, text=f"{answer.text} ({more})")
    return f"{answer} ({more})"


@pytest.mark.parametrize("hook", MEASURED)
def test_a_model_that_is_not_deterministic_is_told(hook: str, tmp_path: Path) -> None:
    run = measure(hook, noise(0.25), "spoilt:gender=1", "planted:gender=1")
    noisy, steady = run
    (deviation,) = run.models[0].deviations
    assert (deviation.hook, deviation.questions, deviation.differing) == (hook, MOST, MOST)
    if hook in ("translate", "choose", "generate"):
        assert deviation.largest is None
    else:
        assert deviation.largest == pytest.approx(0.25, rel=1e-5)
    told = next(text for text in noisy.cautions if "not deterministic" in text)
    assert told.startswith(
        f"spoilt:gender=1 is not deterministic: asked 16 of its questions again ({hook}), it gave 16 other answers"
    )
    assert "the model is not deterministic" in noisy.doubts
    assert run.models[1].deviations == ()
    assert run.models[1].questions.again in (MOST, 2 * MOST)
    assert not any("deterministic" in text for text in steady.warnings)
    if hook == "embed":  # the page says the same of each
        page = run.report(tmp_path / "report.html").read_text(encoding="utf-8")
        assert page.count("the answers are the same: they are not") == 1
        assert "the answers are the same: they are<" in page
    assert Run.model_validate(run.model_dump()).models == run.models


def test_last_digits_are_a_detail() -> None:
    (found,) = measure("score", noise(1e-9))
    assert any("not deterministic in the last digits" in text for text in found.warnings)
    assert not any("deterministic" in text for text in (*found.cautions, *found.doubts))


def test_what_an_earlier_run_found_is_told_of_its_answers(tmp_path: Path) -> None:
    first = measure("embed", noise(0.5), cache=tmp_path)
    second = measure("embed", noise(0.5), cache=tmp_path)
    assert (second.questions.asked, second.questions.again) == (0, 0)
    assert second.models[0].deviations == first.models[0].deviations != ()
    assert second.results_digest() == first.results_digest()


def test_a_second_model_that_is_not_deterministic_is_told() -> None:
    Spoilt.spoil = staticmethod(noise(0.5))  # type: ignore[assignment]
    engine = Engine(adapters=(SpoiltAdapter,), cache=None)
    options = {"templates": [1], "translator": "spoilt:gender=1", "target": "it"}
    (found,) = engine.measure("gest-lm", "planted:gender=1", "en/gest_own", **options)
    assert any(text.startswith("spoilt:gender=1 is not deterministic") for text in found.cautions)


def test_a_model_that_fails_when_it_is_asked_again_keeps_its_measurements() -> None:
    calls = []

    def spoil(_hook: str, answer: Any) -> Any:
        calls.append(len(answer))
        if len(calls) > 1:
            raise QuestionError("gone. Start it again")
        return answer

    run = measure("embed", spoil)
    assert run.failed == ()
    told = "whether spoilt:gender=1 is deterministic is not known: asked 16 of its questions again, it failed (gone."
    assert any(text.startswith(told) for text in run[0].warnings)


class Drops(Lengths):
    """One answer in ``calls`` of it is another one."""

    @hookimpl
    def score(self, texts: tuple[str, ...], quantity: str) -> Any:
        return super().score(texts, quantity) + len(self.calls)


@pytest.mark.parametrize(("batch", "sizes"), [(3, [3, 3, 1, 3]), (MOST + 1, [7, 7]), (100, [7, 7])])
def test_a_small_batch_is_asked_again_whole(batch: int, sizes: Sequence[int]) -> None:
    model = model_of(backend := Drops(batch=batch))
    model.score(list("abcdefg"), "length")
    model.ask_repeated()
    model.ask_repeated()
    assert [len(call) for call in backend.calls] == sizes
    assert model.counts.again == sizes[-1]
    assert [one.differing for one in model.used().deviations] == [sizes[-1]]


def test_of_a_large_batch_the_first_questions_are_asked_twice() -> None:
    model = model_of(backend := Drops(batch=100))
    model.score([f"text {number}" for number in range(40)], "length")
    model.ask_repeated()
    assert [len(call) for call in backend.calls] == [40, MOST, MOST]
    assert (model.counts.asked, model.counts.again) == (40, 2 * MOST)
    assert model.used().deviations[0].largest == 1


def test_what_is_charged_for_is_not_asked_again(tmp_path: Path) -> None:
    model = model_of(backend := Drops(), services=Services(cache=DiskCache(tmp_path)), paid=True)
    model.score(["a", "bb"], "length")
    model.ask_repeated()
    assert (len(backend.calls), model.counts.again) == (1, 0)
