"""A plan says what a run then asks, to the question, and leaves no trace of how it found out."""

from __future__ import annotations

import sqlite3
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pytest

from biascore import Audit, Engine
from biascore.errors import QuestionError
from biascore.metric import Context, Metric
from biascore.models.cache import DiskCache, NoCache
from biascore.models.cost import Cost
from biascore.models.model import Model
from biascore.models.pool import Pool
from biascore.models.source import Services, Source
from biascore.planning.plan import Plan, Planner, QuestionPlan
from biascore.planning.rehearsal import DIMENSIONS
from biascore.plugins_api import (
    Backend,
    Catalogue,
    Identity,
    Masked,
    ModelPlugin,
    ModelRef,
    Test,
    Text,
    TokenLogprobs,
    WordList,
    hookimpl,
)

FEW = {"resamples": 100}
MEASUREMENTS = [
    {"metric": "weat", "tests": ["en/weat6", "en/weat7"], "options": FEW},
    {"metric": "sc-weat", "tests": ["en/weat7", "en/weat8"], "options": FEW},
    {"metric": "weat", "tests": ["en/weat8"], "options": FEW | {"level": "token"}},
]
SOME = [{"metric": "weat", "tests": ["en/weat7"], "options": FEW}]


def audit_of(*refs: str, measurements: Sequence[dict[str, Any]] = MEASUREMENTS) -> Audit:
    models = [{"ref": ref, "name": f"model {number}"} for number, ref in enumerate(refs)]
    return Audit.from_parts(title="Planned", models=models, measurements=list(measurements), seed=3)


class Watcher(ModelPlugin):
    """Sees every text that reaches the model."""

    name = "watcher"
    role = "observer"

    def __init__(self) -> None:
        self.texts: list[str] = []

    @hookimpl(wrapper=True)
    def embed(self, texts: tuple[Text, ...]) -> Any:
        answer = yield
        self.texts += [text.text for text in texts]
        return answer


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return Engine(cache=tmp_path / "cache")


@pytest.fixture
def watcher(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Watcher:
    found = Watcher()
    monkeypatch.setattr(engine.plugins, "model_plugins", lambda _ref: [found])
    return found


@pytest.fixture(params=["planted", "fasttext", "hf"])
def ref(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "planted":
        return "planted:gender=1"
    if request.param == "fasttext":
        words = ["male", "man", "boy", "brother", "female", "woman", "girl", "she", "math", "poetry", "art"]
        rows = np.random.default_rng(1).standard_normal((len(words), 5))
        lines = [f"{word} {' '.join(map(str, row))}" for word, row in zip(words, rows, strict=True)]
        path = tmp_path / "tiny.vec"
        path.write_text("\n".join([f"{len(words)} 5", *lines]) + "\n", encoding="utf-8")
        return f"fasttext:{path}"
    return f"hf:{request.getfixturevalue('tiny_bert')}"


@pytest.fixture
def tiny_bert(tmp_path: Path) -> Path:
    """A BERT of one layer with random weights, whose vocabulary is single letters."""
    torch = pytest.importorskip("torch", reason="needs biascore[hf]")
    transformers = pytest.importorskip("transformers", reason="needs biascore[hf]")
    letters = "abcdefghijklmnopqrstuvwxyz'-"
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = [*specials, *letters, *(f"##{letter}" for letter in letters)]
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    size = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = transformers.BertModel(transformers.BertConfig(vocab_size=len(vocabulary), **size))
    model.save_pretrained(folder)
    transformers.BertTokenizerFast(str(folder / "vocab.txt"), do_lower_case=True).save_pretrained(folder)
    return folder


def kept(folder: Path) -> set[tuple[bytes, bytes]]:
    """Everything in the cache."""
    files = list(folder.glob("cache/*.sqlite"))
    if not files:
        return set()
    with sqlite3.connect(files[0]) as connection:
        return set(connection.execute("SELECT key, value FROM answers"))


def test_a_plan_says_what_the_run_asks(engine: Engine, ref: str, tmp_path: Path) -> None:
    audit = audit_of(ref)
    plan = engine.plan(audit, probe=False)
    assert plan.stopped == ()
    assert [(row.model, row.hook, row.counts) for row in plan.rows] == [("model 0", "embed", "exact")]
    assert kept(tmp_path) == set()
    run = engine.run(audit)
    total = plan.total
    assert (total.put, total.asked) == (run.questions.put, run.questions.asked)
    assert total.put > total.unique == total.asked > 0
    assert total.cached == 0
    assert len(kept(tmp_path)) == total.asked

    again = engine.plan(audit, probe=False).total
    assert (again.put, again.unique, again.cached, again.asked) == (total.put, total.unique, total.unique, 0)
    assert again.cost == Cost.none()
    assert again.seconds == 0
    assert engine.run(audit).questions.asked == 0


def test_answers_in_the_cache_are_counted_and_mix_with_placeholders(engine: Engine, ref: str) -> None:
    before = engine.run(audit_of(ref, measurements=SOME)).questions
    audit = audit_of(ref)
    plan = engine.plan(audit, probe=False)
    assert plan.stopped == ()
    run = engine.run(audit)
    total = plan.total
    assert (total.put, total.asked) == (run.questions.put, run.questions.asked)
    assert total.cached == before.asked
    assert total.unique == total.cached + total.asked
    assert total.asked > 0


def test_without_a_cache_each_measurement_asks_anew(ref: str) -> None:
    engine = Engine(cache=None)
    audit = audit_of(ref)
    total = engine.plan(audit, probe=False).total
    run = engine.run(audit)
    assert (total.put, total.asked) == (run.questions.put, run.questions.asked)
    assert total.asked > total.unique


def test_the_same_model_under_two_names_is_asked_once(engine: Engine) -> None:
    audit = audit_of("planted:gender=1", "planted:gender=1", "planted:gender=0")
    plan = engine.plan(audit, probe=False)
    run = engine.run(audit)
    assert [row.asked for row in plan.rows] == [used.questions.asked for used in run.models]
    assert plan.rows[1].asked == 0
    assert plan.rows[1].cached == plan.rows[0].unique


def test_without_a_probe_no_model_is_asked(engine: Engine, watcher: Watcher, tmp_path: Path) -> None:
    plan = engine.plan(audit_of("planted:gender=1", "planted:gender=0"), probe=False)
    assert watcher.texts == []
    assert kept(tmp_path) == set()
    assert (plan.total.probed, plan.total.seconds) == (0, None)
    assert "no time for what was not probed" in plan.notes


def test_a_probe_asks_what_it_says_and_keeps_nothing(
    engine: Engine, watcher: Watcher, tmp_path: Path
) -> None:
    engine.run(audit_of("planted:gender=1", measurements=SOME))
    before, watcher.texts = kept(tmp_path), []
    audit = audit_of("planted:gender=1")
    plan = engine.plan(audit)
    assert len(watcher.texts) == plan.total.probed > 0
    assert plan.total.probed < plan.total.asked
    assert plan.total.seconds is not None
    assert kept(tmp_path) == before
    watcher.texts = []
    engine.run(audit)
    assert len(watcher.texts) == plan.total.asked


def test_a_plan_does_not_change_the_results(engine: Engine, tmp_path: Path) -> None:
    audit = audit_of("planted:gender=1")
    engine.plan(audit)
    other = Engine(cache=tmp_path / "other")
    assert engine.run(audit).results_digest() == other.run(audit).results_digest()


def test_a_service_with_a_key_is_not_probed(
    engine: Engine, watcher: Watcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine.plugins.adapters.get("planted"), "key_env_var", "SOME_KEY")
    plan = engine.plan(audit_of("planted:gender=1"))
    assert watcher.texts == []
    assert plan.total.seconds is None
    assert plan.total.cost.characters


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
    source = Source("fake", ModelRef("fake", ""), "dist 1", {}, {})
    model = Model(source, backend, (), Services(cache=cache or NoCache()))
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
    source = Source("fake", ModelRef("fake", ""), "dist 1", {}, {})
    adaptive_ask(Model(source, All(), (), Services(cache=cache)))
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
    assert plan.rows[0].cost == Cost(passes=12, naive_passes=12, tokens=58, characters=58)
    assert plan_of(All(batch=3), Asks(lambda model: model.embed(texts))).total.cost == Cost(characters=55)
    assert Cost(passes=1, tokens=2) + Cost(passes=3, characters=4) == Cost(passes=4)


@pytest.mark.parametrize(("per_question", "asked"), [(1e-4, 2 * (1 + 4 + 16 + 64 + 256)), (1.0, 2)])
def test_the_time_is_that_of_a_few_questions_times_all_of_them(per_question: float, asked: int) -> None:
    clock = Clock()
    backend = All(batch=512, each=lambda count: clock.pass_(per_question * count))
    texts = [f"text {i}" for i in range(2000)]
    metrics = [Asks(lambda model: model.embed(texts, "sentence"))]
    (row,) = plan_of(backend, *metrics, probe=True, clock=clock).rows
    assert (row.probed, row.probed) == (asked, backend.asked)
    assert row.seconds == pytest.approx(2000 * per_question)


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
    source = Source("fake", ModelRef("fake", ""), "dist 1", {}, {})

    def open_model() -> Model:
        clock.pass_(7)
        return Model(source, backend)

    planner = Planner(NoCache(), clock=clock)
    with Pool({"fake": open_model}) as pool:
        asks = Asks(lambda _model: clock.pass_(2))
        planner.rehearse("fake", pool.model, [(asks, TEST)], in_context, probe=lambda _name: True)
    assert backend.closed == 1
    assert planner.plan("plan").other_seconds == 9


def test_json_and_text_say_the_same() -> None:
    texts = [f"text {i}" for i in range(2000)]
    plan = plan_of(Tokenised(), Asks(lambda model: (model.embed(texts), model.embed(texts))))
    body = plan.to_json()
    assert body["total"]["asked"] == 4000  # nothing is kept
    assert QuestionPlan.model_validate(body["rows"][0]) == plan.rows[0]
    title, header, row, *_notes = plan.readable().splitlines()
    assert title == "plan"
    assert header.split()[:3] == ["model", "hook", "counts"]
    assert row.split() == [
        "fake",
        "embed",
        "exact",
        "4,000",
        "2,000",
        "0",
        "4,000",
        *["4,000"] * 2,
        "33,780",
        "33,780",
        "-",
    ]
