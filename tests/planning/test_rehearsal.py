"""Metrics rehearsed on placeholders: what they would ask, what it costs, and how long it takes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pytest

from biascore.api.adapters import Backend, Identity
from biascore.api.queries import Masked, Text, TokenLogprobs
from biascore.api.stimuli import Catalogue, Test, WordList, hookimpl
from biascore.engine.plan import Plan, QuestionPlan
from biascore.engine.planner import Planner
from biascore.engine.rehearsal import DIMENSIONS
from biascore.errors import QuestionError
from biascore.metric import Context, Metric
from biascore.models.model import Model
from biascore.models.pipeline.cache import DiskCache, NoCache
from biascore.models.pipeline.source import Services
from biascore.models.pool import Pool
from biascore.models.questions.cost import Cost
from biascore.models.questions.writing import Prompt, Settings, Written

from ..builders.models import model_of


class Asks(Metric):
    """Asks what it is told to, in the order given; every call must have an answer for every question."""

    name: ClassVar[str] = "asks"
    requires: ClassVar[frozenset[str]] = frozenset({"embed"})
    kinds: ClassVar[frozenset[str]] = frozenset({"weat"})

    def __init__(self, ask: Callable[[Model], Any], *, name: str = "asks") -> None:
        self.name = name  # type: ignore[misc]  # one class stands for many metrics here
        self._ask = ask

    def measure(self, model: Model, test: Test, context: Context) -> Any:
        return self._ask(model)


class Adaptive(Asks):
    """Its later questions depend on its earlier answers."""

    adaptive: ClassVar[bool] = True


class All(Backend):
    """Answers all four questions; ``each`` is called with the number of questions before it answers."""

    def __init__(self, batch: int = 4, each: Callable[[int], None] = lambda _count: None) -> None:
        self.batch = batch
        self.each = each
        self.asked = 0
        self.closed = 0
        self.identity = Identity(digest="test:all")

    def _count(self, questions: Sequence[Any]) -> None:
        self.asked += len(questions)
        self.each(len(questions))

    @hookimpl
    def embed(self, texts: tuple[Text, ...]) -> npt.NDArray[np.float32]:
        self._count(texts)
        return np.array([[len(text.text), 1, 0] for text in texts], dtype=np.float32)

    @hookimpl
    def mask_logprob(self, queries: tuple[Masked, ...]) -> tuple[TokenLogprobs, ...]:
        self._count(queries)
        return tuple(TokenLogprobs((query.text,), ((0, 1),), (-1.0,)) for query in queries)

    @hookimpl
    def translate(self, texts: tuple[str, ...]) -> tuple[str, ...]:
        self._count(texts)
        return texts

    @hookimpl
    def score(self, texts: tuple[str, ...]) -> npt.NDArray[np.float64]:
        self._count(texts)
        return np.ones(len(texts))

    def close(self) -> None:
        self.closed += 1


class Tokenised(All):
    """Knows what a question costs: a pass and as many tokens as characters; no text of more than 50."""

    def cost(self, hook: str, questions: Sequence[Any], params: Any) -> Cost:
        lengths = [len(question.text) for question in questions]
        if max(lengths) > 50:
            raise QuestionError("too long. Shorten it.")
        return Cost.of_passes(questions, lengths)


TEST = Test(
    id="xx/test",
    kind="weat",
    language="xx",
    roles={role: WordList(role, ("a",)) for role in "XYAB"},
    file="test.toml",
    sha256="0" * 64,
)


class Clock:
    """A time that only moves when it is told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now

    def pass_(self, seconds: float) -> None:
        self.now += seconds


def in_context(metric: Metric, model: Model, test: Test, open_second: Callable[[str], Model]) -> object:
    return metric.measure(model, test, Context(np.random.default_rng(0), 0, Catalogue(()), open_second))


def plan_of(
    backend: Backend,
    *metrics: Metric,
    cache: DiskCache | NoCache | None = None,
    probe: bool = False,
    clock: Clock | None = None,
) -> Plan:
    planner = Planner(cache or NoCache(), clock=clock or Clock())
    model = model_of(backend, Services(cache=cache or NoCache()))
    planner.rehearse(
        "fake",
        lambda _name: model,
        [(metric, TEST) for metric in metrics],
        in_context,
        probe=lambda _name: probe,
    )
    return planner.plan("plan")


def test_placeholders_have_the_form_of_answers() -> None:
    seen: dict[str, Any] = {}
    query = Masked("he is a nurse", ((0, 2), (8, 13)), also=((3, 5),))

    def ask(model: Model) -> None:
        seen["embed"] = model.embed(["a", "b", "a"])
        seen["mask_logprob"] = model.mask_logprob([query, Masked("hello", None, one_at_a_time=True)])
        seen["translate"] = model.translate(["ciao", ""], "it", "en")
        seen["anger"] = model.score(["one", "two", "three"], "anger")
        seen["log_likelihood"] = model.score(["one", "two"], "log_likelihood")

    backend = All()
    plan = plan_of(backend, Asks(ask))
    assert plan.stopped == ()
    assert backend.asked == 0
    assert seen["embed"].shape == (3, DIMENSIONS)
    np.testing.assert_allclose(np.linalg.norm(seen["embed"], axis=1), 1, rtol=1e-6)
    np.testing.assert_array_equal(seen["embed"][0], seen["embed"][2])
    assert abs(float(seen["embed"][0] @ seen["embed"][1])) < 0.5
    assert seen["mask_logprob"][0].tokens == ("he", "nurse")
    assert seen["mask_logprob"][0].offsets == query.spans
    assert seen["mask_logprob"][1].total < 0
    assert seen["translate"] == ("ciao", "")
    assert np.all((seen["anger"] > 0) & (seen["anger"] < 1))
    assert len(set(seen["anger"])) == 3
    assert np.all(seen["log_likelihood"] < 0)
    assert [(row.hook, row.put, row.asked) for row in plan.rows] == [
        ("embed", 3, 2),
        ("mask_logprob", 2, 2),
        ("score", 5, 5),
        ("translate", 2, 2),
    ]


def test_a_metric_that_fails_on_placeholders_is_reported_and_the_rest_is_planned() -> None:
    def fail(model: Model) -> None:
        warnings.warn("of placeholders nobody wants to hear", RuntimeWarning, stacklevel=1)
        model.translate(["one"], "en", "it")
        raise ZeroDivisionError("the answers are odd")

    plan = plan_of(
        All(), Asks(fail, name="frail"), Asks(lambda model: model.score(["two", "three"], "anger"))
    )
    (stopped,) = plan.stopped
    assert (stopped.model, stopped.what) == ("fake", "frail xx/test")
    assert stopped.error == "ZeroDivisionError: the answers are odd"
    rows = {row.hook: row for row in plan.rows}
    assert {hook: (row.counts, row.asked) for hook, row in rows.items()} == {
        "embed": ("approximate", 0),  # which it requires, and had not asked yet
        "score": ("exact", 2),
        "translate": ("approximate", 1),
    }
    assert plan.total.counts == "approximate"
    assert any("frail xx/test on fake stopped" in note for note in plan.notes)


def test_a_question_that_the_model_cannot_take_is_found_before_the_run() -> None:
    plan = plan_of(Tokenised(), Asks(lambda model: model.embed(["short", "x" * 51])))
    assert [stopped.error for stopped in plan.stopped] == ["QuestionError: too long. Shorten it."]


def adaptive_ask(model: Model) -> None:
    vectors = model.embed(["a", "bb"])
    model.embed(["longer"] if vectors[1, 0] == 2 else ["else", "other"])


def test_an_adaptive_metric_is_planned_approximately_until_all_its_answers_are_known(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path)
    metrics = (Adaptive(adaptive_ask), Asks(lambda model: model.score(["a"], "anger")))
    assert [(row.hook, row.counts, row.asked) for row in plan_of(All(), *metrics, cache=cache).rows] == [
        ("embed", "approximate", 4),
        ("score", "exact", 1),
    ]
    adaptive_ask(model_of(All(), Services(cache=cache)))
    assert [(row.hook, row.counts, row.cached) for row in plan_of(All(), *metrics, cache=cache).rows] == [
        ("embed", "exact", 3),
        ("score", "exact", 0),
    ]
    cache.close()


def test_costs_add_up_over_batches_and_what_is_unknown_stays_unknown() -> None:
    texts = [chr(97 + i) * (i + 1) for i in range(10)]
    plan = plan_of(
        Tokenised(batch=3), Asks(lambda model: (model.embed(texts, "token"), model.embed(texts[:2])))
    )
    assert plan.rows[0].cost == Cost(
        passes=12, naive_passes=12, tokens=58, tokens_out=0, requests=0, characters=58
    )
    assert plan_of(All(batch=3), Asks(lambda model: model.embed(texts))).total.cost == Cost(characters=55)
    assert Cost(passes=1, tokens=2) + Cost(passes=3, characters=4) == Cost(passes=4)
    both = Cost(requests=2, tokens_out=3, notes=("a bound",)) + Cost(requests=1, notes=("a bound", "another"))
    assert both == Cost(requests=3, notes=("a bound", "another"))


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


def test_starting_up_does_not_count_as_asking() -> None:
    clock = Clock()
    calls: list[int] = []

    def each(count: int) -> None:
        clock.pass_(0.01 * count if calls else 30)
        calls.append(count)

    metrics = Asks(lambda model: model.embed([f"text {i}" for i in range(100)]))
    (row,) = plan_of(All(batch=100, each=each), metrics, probe=True, clock=clock).rows
    assert row.seconds == pytest.approx(1.0)


def test_a_probe_that_fails_leaves_the_counts() -> None:
    def each(count: int) -> None:
        raise RuntimeError("out of memory")

    plan = plan_of(All(each=each), Asks(lambda model: model.embed(["a", "b"])), probe=True)
    assert [(row.asked, row.seconds, row.probed, row.counts) for row in plan.rows] == [(2, None, 0, "exact")]
    (stop,) = plan.stopped
    assert stop.what == "the probe of embed"
    assert "raised RuntimeError: out of memory" in stop.error


def test_models_are_closed_and_opening_them_is_timed() -> None:
    backend = All()
    clock = Clock()

    def open_model() -> Model:
        clock.pass_(7)
        return model_of(backend)

    planner = Planner(NoCache(), clock=clock, processor=lambda: clock() / 3)
    with Pool({"fake": open_model}) as pool:
        asks = Asks(lambda _model: clock.pass_(2))
        planner.rehearse("fake", pool.model, [(asks, TEST)], in_context, probe=lambda _name: True)
    assert backend.closed == 1
    plan = planner.plan("plan")
    assert (plan.other_seconds, plan.processor_seconds) == (9, 3)
    assert "takes 3 s of processor time (9 s by the clock, now)" in plan.notes[-1]


def test_json_and_text_say_the_same() -> None:
    texts = [f"text {i}" for i in range(2000)]
    plan = plan_of(Tokenised(), Asks(lambda model: (model.embed(texts), model.embed(texts))))
    body = plan.to_json()
    assert body["total"]["asked"] == 4000  # nothing is kept
    assert QuestionPlan.model_validate(body["rows"][0]) == plan.rows[0]
    title, header, row, *_notes = plan.readable().splitlines()
    assert title == "plan"
    assert header.split()[:3] == ["model", "hook", "questions"]
    numbers = ["4,000", "2,000", "0", "4,000", "4,000", "4,000", "33,780", "33,780"]
    assert row.split() == ["fake", "embed", *numbers]  # no time is known, and all counts are exact


def test_kinds_of_masked_questions_are_told_apart_where_there_are_both() -> None:
    alone = [Masked(text, None, one_at_a_time=True) for text in ("one two", "three")]
    whole = [Masked(text, ((0, 3),)) for text in ("one two", "six", "ten")]

    def ask(model: Model) -> None:
        model.mask_logprob(alone)
        model.mask_logprob(whole)

    plan = plan_of(All(batch=2), Asks(ask))
    assert [(part.kind, part.asked) for part in plan.rows[0].parts] == [
        ("tokens hidden one at a time", 2),
        ("words hidden whole", 3),
    ]
    assert any("one at a time: 2 to ask; words hidden whole: 3 to ask" in note for note in plan.notes)
    single = plan_of(All(), Asks(lambda model: model.mask_logprob(alone)))
    assert not any("one at a time" in note for note in single.notes)
