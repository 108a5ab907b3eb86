"""The time that a plan tells: from few questions, by tokens, by what a call takes, and by the processor's own time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from biascore.api.queries import Text
from biascore.api.stimuli import hookimpl
from biascore.engine.planner import Planner
from biascore.models.pipeline.cache import NoCache
from biascore.models.pipeline.source import Services
from biascore.models.questions.writing import Prompt, Settings, Written

from ..builders.models import model_of
from .rehearsed import TEST, All, Asks, Clock, Tokenised, in_context, plan_of


@pytest.mark.parametrize(
    ("per_question", "count", "asked"),
    [(1e-4, 5000, 2 * (1 + 4 + 16 + 64 + 256)), (1e-4, 400, 2 * (1 + 4 + 16 + 25)), (1.0, 2000, 2)],
)
def test_the_time_is_that_of_a_few_questions_times_all_of_them(
    per_question: float, count: int, asked: int
) -> None:
    clock = Clock()
    backend = All(batch=512, each=lambda count: clock.pass_(per_question * count))
    texts = [f"text {i}" for i in range(count)]
    metrics = [Asks(lambda model: model.embed(texts, "sentence"))]
    (row,) = plan_of(backend, *metrics, probe=True, clock=clock).rows
    assert (row.probed, row.probed) == (asked, backend.asked)
    assert row.seconds == pytest.approx(count * per_question)


def test_the_time_goes_by_tokens_where_they_are_known() -> None:
    clock = Clock()
    backend = Tokenised(batch=512)
    texts = ["x" * (1 + i % 40) + str(i) for i in range(1000)]
    tokens = sum(map(len, texts))
    original = Tokenised.embed

    class Slow(Tokenised):
        @hookimpl
        def embed(self, texts: tuple[Text, ...]) -> npt.NDArray[np.float32]:
            clock.pass_(0.01 * sum(len(text.text) for text in texts))
            return original(self, texts)

    backend = Slow(batch=512)
    (row,) = plan_of(backend, Asks(lambda model: model.embed(texts)), probe=True, clock=clock).rows
    assert row.seconds == pytest.approx(0.01 * tokens)


def test_what_every_call_takes_does_not_count_for_every_question() -> None:
    clock = Clock()
    backend = All(batch=512, each=lambda count: clock.pass_(0.6 + 0.001 * count))
    (row,) = plan_of(
        backend, Asks(lambda model: model.embed([f"text {i}" for i in range(5000)])), probe=True, clock=clock
    ).rows
    assert row.seconds is not None
    assert 5 + 10 * 0.6 <= row.seconds < 2 * (5 + 10 * 0.6)


def test_an_estimate_times_a_batch_from_the_middle_after_a_first_one() -> None:
    clock = Clock()
    calls: list[list[str]] = []

    class Warms(All):
        @hookimpl
        def embed(self, texts: tuple[Text, ...]) -> npt.NDArray[np.float32]:
            clock.pass_(0.001 * len(texts) if calls else 60)
            calls.append([text.text for text in texts])
            return super().embed(texts)

    planner = Planner(NoCache(), clock=clock)
    model = model_of(Warms(batch=1000), Services(cache=NoCache()))
    planner.rehearse(
        "fake",
        lambda _name: model,
        [(Asks(lambda one: one.embed([f"text {i:04}" for i in range(3000)])), TEST)],
        lambda metric, model, test, more: (in_context(metric, model, test, more), {"embed": 30_000})[1],
        probe=lambda _name: True,
    )
    (row,) = planner.plan("plan", whole=False).rows
    assert (row.counts, row.asked, row.probed) == ("at most", 30_000, 16 + 16 + 1000)
    assert row.seconds == pytest.approx(30)
    assert calls[-1] == [f"text {i:04}" for i in range(1000, 2000)]


def test_a_sample_smaller_than_a_batch_counts_what_every_call_takes_once_a_batch() -> None:
    clock, processor = Clock(), Clock()

    class Busy(All):
        """Whose clock goes four times as fast as its processor, and now and then by far more."""

        @hookimpl
        def embed(self, texts: tuple[Text, ...]) -> npt.NDArray[np.float32]:
            seconds = 0.2 + 0.01 * len(texts)
            processor.pass_(seconds)
            clock.pass_(4 * seconds)
            return super().embed(texts)

    planner = Planner(NoCache(), clock=clock, processor=processor)
    model = model_of(Busy(batch=1000), Services(cache=NoCache()))
    planner.rehearse(
        "fake",
        lambda _name: model,
        [(Asks(lambda one: one.embed([f"text {i:04}" for i in range(3000)])), TEST)],
        lambda metric, model, test, more: (in_context(metric, model, test, more), {"embed": 30_000})[1],
        probe=lambda _name: True,
    )
    (row,) = planner.plan("plan", whole=False).rows
    assert row.processor_seconds == pytest.approx(30 * (0.2 + 10))
    assert row.seconds == pytest.approx(4 * 30 * (0.2 + 10))
    assert row.probed < 200


def test_a_busy_machine_is_allowed_more_by_the_clock_than_by_its_processor() -> None:
    clock, processor = Clock(), Clock()

    def each(count: int) -> None:
        processor.pass_(0.1 + 0.001 * count)
        clock.pass_(8 * (0.1 + 0.001 * count))

    backend = All(batch=512, each=each)
    planner = Planner(NoCache(), clock=clock, processor=processor)
    model = model_of(backend, Services(cache=NoCache()))
    asks = Asks(lambda one: one.embed([f"text {i}" for i in range(1000)]))
    planner.rehearse("fake", lambda _name: model, [(asks, TEST)], in_context, probe=lambda _name: True)
    (row,) = planner.plan("plan").rows
    assert row.probed == 2 * (1 + 4 + 16 + 62)
    assert row.processor_seconds == pytest.approx(1000 / 62 * (0.1 + 0.062))


@pytest.mark.parametrize("known", [True, False])
def test_texts_are_timed_by_their_first_tokens(known: bool) -> None:
    clock = Clock()
    texts = [f"text {i:02}" for i in range(30)]

    class Writes(Tokenised if known else All):  # type: ignore[misc]  # either knows what a text costs, or not
        @hookimpl
        def generate(self, prompts: tuple[Prompt, ...], settings: Settings) -> tuple[Written, ...]:
            self._count(prompts)
            rows = len(prompts)
            clock.pass_(0.002 * 7 * rows + settings.max_tokens * (0.05 + 0.002 * rows))
            return tuple(Written("so", "length", 1, "written", "so") for _ in prompts)

    backend = Writes(batch=100)
    asks = Asks(lambda model: model.generate(texts, Settings(256)))
    (row,) = plan_of(backend, asks, probe=True, clock=clock).rows
    assert (row.probed, backend.asked) == (3, 3)
    together, one_by_one = 0.42 + 256 * (0.05 + 0.06), 30 * (0.014 + 256 * 0.052)
    assert row.seconds == pytest.approx(together if known else one_by_one)
