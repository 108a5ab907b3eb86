"""What Model adds above the hook: each question asked once, in batches, kept, retried and checked."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biascore import Engine
from biascore.basics.progress import Advance
from biascore.errors import (
    AnswerError,
    CapabilityError,
    ModelLoadError,
    QuestionError,
    RateLimitError,
    TransientModelError,
)
from biascore.models.cache import DiskCache
from biascore.models.model import Model
from biascore.models.source import Services, Source
from biascore.plugins_api import (
    Backend,
    Identity,
    Masked,
    ModelPlugin,
    ModelRef,
    Text,
    TokenLogprobs,
    hookimpl,
)


class Lengths(Backend):
    """Answers with length and first code point of each text; keeps what it was asked."""

    def __init__(self, batch: int = 3, digest: str = "test:lengths", revision: str | None = None) -> None:
        self.batch = batch
        self.identity = Identity(digest=digest, revision=revision)
        self.calls: list[tuple[str, ...]] = []
        self.closed = 0

    @hookimpl
    def embed(self, texts: tuple[Text, ...], level: str) -> npt.NDArray[np.float32]:
        self.calls.append(tuple(text.text for text in texts))
        return np.array([[len(t.text), ord(t.text[0])] for t in texts], dtype=np.float32)

    @hookimpl
    def mask_logprob(self, queries: tuple[Masked, ...]) -> tuple[TokenLogprobs, ...]:
        self.calls.append(tuple(query.text for query in queries))
        return tuple(TokenLogprobs((q.text,), ((0, len(q.text)),), (-float(len(q.text)),)) for q in queries)

    @hookimpl
    def translate(self, texts: tuple[str, ...], source: str, target: str) -> tuple[str, ...]:
        self.calls.append(texts)
        return tuple(f"{source}>{target}:{text}" for text in texts)

    @hookimpl
    def score(self, texts: tuple[str, ...], quantity: str) -> npt.NDArray[np.float64]:
        self.calls.append(texts)
        return np.array([len(text) / 3 for text in texts], dtype=np.float64)

    def close(self) -> None:
        self.closed += 1


class Answers(Backend):
    """Gives, whatever it is asked, what it was told to; only the hooks that were named."""

    identity = Identity(digest="test:answers")

    def __init__(self, answer: Callable[[Sequence[Any]], Any]) -> None:
        self._answer = answer

    @hookimpl
    def embed(self, texts: tuple[Text, ...], level: str) -> Any:
        return self._answer(texts)

    @hookimpl
    def mask_logprob(self, queries: tuple[Masked, ...]) -> Any:
        return self._answer(queries)

    @hookimpl
    def translate(self, texts: tuple[str, ...], source: str, target: str) -> Any:
        return self._answer(texts)

    @hookimpl
    def score(self, texts: tuple[str, ...], quantity: str) -> Any:
        return self._answer(texts)


class OnlyScores(Backend):
    """Can do one thing."""

    identity = Identity(digest="test:scores")

    @hookimpl
    def score(self, texts: tuple[str, ...], quantity: str) -> npt.NDArray[np.float64]:
        return np.zeros(len(texts))


def model_of(
    backend: Backend,
    plugins: Sequence[ModelPlugin] = (),
    services: Services | None = None,
    *,
    options: dict[str, Any] | None = None,
    version: str = "dist 1",
    locator: str = "",
) -> Model:
    source = Source("fake", ModelRef("fake", locator), version, options or {}, {})
    return Model(source, backend, plugins, services)


def vectors(*words: str) -> npt.NDArray[np.float32]:
    return np.array([[len(w), ord(w[0])] for w in words], dtype=np.float32)


# Each asked once, in batches, in the order of the caller.


def test_each_question_is_asked_once_and_the_order_is_restored() -> None:
    backend = Lengths(batch=3)
    words = ["b", "aa", "b", "ccc", "aa", "dddd", "b"]
    answers = model_of(backend).embed(words)
    np.testing.assert_array_equal(answers, vectors(*words))
    assert answers.dtype == np.float32
    assert backend.calls == [("b", "aa", "ccc"), ("dddd",)]


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


# Kept.


def test_the_second_time_nothing_is_asked(tmp_path: Path) -> None:
    first, second = Lengths(), Lengths()
    words = ["a", "bb", "ccc", "dddd", "a"]
    cache = DiskCache(tmp_path)
    one = model_of(first, services=Services(cache=cache)).embed(words)
    cache.close()
    again = model_of(second, services=Services(cache=DiskCache(tmp_path)))
    other = again.embed(words)
    assert one.tobytes() == other.tobytes()
    assert second.calls == []
    counts = again.counts
    assert (counts.put, counts.repeated, counts.cached, counts.asked) == (5, 1, 4, 0)
    # A vector from the cache can be written into, as one from the model can.
    other[0, 0] = 7


def test_an_interrupted_call_goes_on_where_it_stopped(tmp_path: Path) -> None:
    class Breaks(Lengths):
        @hookimpl
        def score(self, texts: tuple[str, ...], quantity: str) -> npt.NDArray[np.float64]:
            if len(self.calls) == 2:
                signal.raise_signal(signal.SIGINT)
            return super().score(texts, quantity)

    services = Services(cache=DiskCache(tmp_path))
    words = [letter * 3 for letter in "abcdefghij"]
    with pytest.raises(KeyboardInterrupt):
        model_of(Breaks(batch=3), services=services).score(words, "length")
    backend, whole = Lengths(batch=3), Lengths(batch=3)
    resumed = model_of(backend, services=services)
    assert resumed.score(words, "length").tolist() == model_of(whole).score(words, "length").tolist()
    # The batches that were still missing are those of an uninterrupted run.
    assert backend.calls == whole.calls[2:]
    assert (resumed.counts.cached, resumed.counts.asked) == (6, 4)


class Shift(ModelPlugin):
    """Adds to every vector."""

    def __init__(self, by: float, name: str = "shift", fingerprint: str | None = None) -> None:
        self.role = "transform"
        self.by = by
        self.name = name
        self.fingerprint = fingerprint or f"by {by}"

    @hookimpl(wrapper=True)
    def embed(self, texts: tuple[Text, ...]) -> Iterator[Any]:
        return (yield) + np.float32(self.by)


class Watch(ModelPlugin):
    """Sees every call."""

    name = "watch"
    role = "observer"

    def __init__(self) -> None:
        self.seen: list[int] = []

    @hookimpl(wrapper=True)
    def embed(self, texts: tuple[Text, ...]) -> Iterator[Any]:
        self.seen.append(len(texts))
        return (yield)


def test_a_transform_changes_the_answer_and_is_recorded() -> None:
    model = model_of(Lengths(), [Shift(0.5), Watch()])
    np.testing.assert_array_equal(model.embed(["abc"]), vectors("abc") + np.float32(0.5))
    assert model.used().transforms == ("shift",)


def test_transforms_apply_in_their_order() -> None:
    class Double(Shift):
        @hookimpl(wrapper=True)
        def embed(self, texts: tuple[Text, ...]) -> Iterator[Any]:
            return (yield) * np.float32(2)

    shift, double = Shift(1), Double(0, "double")
    np.testing.assert_array_equal(model_of(Lengths(), [shift, double]).embed(["a"]), (vectors("a") + 1) * 2)
    np.testing.assert_array_equal(model_of(Lengths(), [double, shift]).embed(["a"]), vectors("a") * 2 + 1)


def test_an_observer_sees_batches_and_leaves_keys_alone(tmp_path: Path) -> None:
    services = Services(cache=DiskCache(tmp_path))
    watch, backend = Watch(), Lengths(batch=3)
    model_of(backend, [watch], services).embed(["a", "b", "c", "d"])
    assert watch.seen == [3, 1]
    model_of(backend, [], services).embed(["a", "b", "c", "d"])
    assert len(backend.calls) == 2


KEY_CHANGES: dict[str, Callable[[Services], Model]] = {
    "another digest": lambda s: model_of(Lengths(digest="test:other"), services=s),
    "another revision": lambda s: model_of(Lengths(revision="main"), services=s),
    "another version of the answers": lambda s: model_of(Lengths(), services=s, version="dist 2"),
    "an option": lambda s: model_of(Lengths(), services=s, options={"pooling": "mean"}),
    "another value of the option": lambda s: model_of(Lengths(), services=s, options={"pooling": "cls"}),
    "a transform": lambda s: model_of(Lengths(), [Shift(1)], s),
    "another fingerprint": lambda s: model_of(Lengths(), [Shift(2)], s),
    "another transform of the same fingerprint": lambda s: model_of(Lengths(), [Shift(1, "other")], s),
    "two transforms": lambda s: model_of(Lengths(), [Shift(1), Shift(2, "second")], s),
    "two transforms in the other order": lambda s: model_of(Lengths(), [Shift(2, "second"), Shift(1)], s),
}


def test_what_changes_an_answer_changes_its_key(tmp_path: Path) -> None:
    services = Services(cache=DiskCache(tmp_path))
    model_of(Lengths(), services=services).embed(["a"])
    for what, make in KEY_CHANGES.items():
        model = make(services)
        model.embed(["a"])
        assert model.counts.asked == 1, what
        again = make(services)
        again.embed(["a"])
        assert again.counts.asked == 0, what


def test_hook_level_language_and_quantity_are_part_of_the_key(tmp_path: Path) -> None:
    model = model_of(Lengths(), services=Services(cache=DiskCache(tmp_path)))
    model.embed(["a"], "sentence")
    model.embed(["a"], "token")
    model.score(["a"], "length")
    model.score(["a"], "width")
    model.translate(["a"], "en", "it")
    model.translate(["a"], "it", "en")
    model.mask_logprob([Masked("a", None)])
    model.mask_logprob([Masked("a", None, one_at_a_time=True)])
    model.mask_logprob([Masked("a", ((0, 1),))])
    assert model.counts.asked == model.counts.put == 9


def test_the_name_of_the_file_is_not_part_of_the_key(tmp_path: Path) -> None:
    services = Services(cache=DiskCache(tmp_path))
    model_of(Lengths(), services=services, locator="/here/model.vec").embed(["a"])
    moved = model_of(Lengths(), services=services, locator="/there/model.vec")
    moved.embed(["a"])
    assert moved.counts.cached == 1


def test_a_backend_may_reuse_its_array() -> None:
    class Reuses(Lengths):
        buffer = np.zeros((2, 1), dtype=np.float32)

        @hookimpl
        def embed(self, texts: tuple[Text, ...], level: str) -> npt.NDArray[np.float32]:
            self.buffer[: len(texts), 0] = [len(text.text) for text in texts]
            return self.buffer[: len(texts)]

    assert model_of(Reuses(batch=2)).embed(["a", "bb", "ccc", "dddd"]).ravel().tolist() == [1, 2, 3, 4]


# Tried again.


class Flaky(Lengths):
    """Fails with these errors, one after the other, before it answers."""

    def __init__(self, *errors: Exception) -> None:
        super().__init__()
        self.errors = list(errors)
        self.tries = 0

    @hookimpl
    def score(self, texts: tuple[str, ...], quantity: str) -> npt.NDArray[np.float64]:
        self.tries += 1
        if self.errors:
            raise self.errors.pop(0)
        return super().score(texts, quantity)


def retried(backend: Flaky, attempts: int = 5) -> tuple[list[float], Model]:
    waited: list[float] = []
    return waited, model_of(backend, services=Services(attempts=attempts, sleep=waited.append))


def test_a_failure_that_passes_is_waited_for() -> None:
    backend = Flaky(*[TransientModelError("503")] * 3)
    waited, model = retried(backend)
    assert model.score(["abc"], "length").tolist() == [1.0]
    assert waited == [1, 2, 4]
    assert backend.tries == 4


def test_the_wait_grows_to_a_minute() -> None:
    waited, model = retried(Flaky(*[TransientModelError("503")] * 9), attempts=10)
    model.score(["abc"], "length")
    assert waited == [1, 2, 4, 8, 16, 32, 60, 60, 60]


def test_a_rate_limit_is_respected() -> None:
    errors = [
        RateLimitError("429", retry_after=17.5),
        RateLimitError("429"),
        RateLimitError("429", retry_after=-3),
    ]
    waited, model = retried(Flaky(*errors))
    model.score(["abc"], "length")
    assert waited == [17.5, 2, 0]


def test_exhausted_attempts_raise_the_last_error() -> None:
    last = TransientModelError("the third")
    backend = Flaky(TransientModelError("the first"), TransientModelError("the second"), last)
    waited, model = retried(backend, attempts=3)
    with pytest.raises(TransientModelError) as info:
        model.score(["abc"], "length")
    assert info.value is last
    assert (backend.tries, waited) == (3, [1, 2])


@pytest.mark.parametrize("error", [QuestionError("too long"), ModelLoadError("gone")])
def test_other_errors_are_not_tried_again(error: Exception) -> None:
    backend = Flaky(error)
    waited, model = retried(backend)
    with pytest.raises(type(error)) as info:
        model.score(["abc"], "length")
    assert info.value is error
    assert (backend.tries, waited) == (1, [])


def test_batches_before_a_failure_are_kept(tmp_path: Path) -> None:
    class FailsLater(Flaky):
        @hookimpl
        def score(self, texts: tuple[str, ...], quantity: str) -> npt.NDArray[np.float64]:
            if "d" in texts:
                raise QuestionError("d is too long")
            return Lengths.score(self, texts, quantity)

    services = Services(cache=DiskCache(tmp_path))
    with pytest.raises(QuestionError):
        model_of(FailsLater(), services=services).score(list("abcdef"), "length")
    after = model_of(Lengths(), services=services)
    after.score(list("abcdef"), "length")
    assert (after.counts.cached, after.counts.asked) == (3, 3)


# Checked.

GOOD = np.ones((2, 3), dtype=np.float32)


def with_value(value: float) -> npt.NDArray[np.float32]:
    array = GOOD.copy()
    array[1, 2] = value
    return array


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (GOOD.astype(np.float64), r"shape \(2, 3\) and type float64"),
        (GOOD[:1], r"shape \(1, 3\)"),
        (np.ones((3, 3), np.float32), r"shape \(3, 3\).* for 2 questions"),
        (np.ones(2, np.float32), r"shape \(2,\)"),
        (np.ones((2, 0), np.float32), r"shape \(2, 0\)"),
        (np.ma.masked_array(GOOD, mask=GOOD > 0), r"a masked array of shape \(2, 3\)"),
        (GOOD.tolist(), "a list of 2"),
        (None, "a NoneType"),
        (with_value(np.nan), "vector of 'second' holds NaN or infinity"),
        (with_value(np.inf), "vector of 'second' holds NaN or infinity"),
        (with_value(-np.inf), "vector of 'second' holds NaN or infinity"),
    ],
)
def test_wrong_vectors(answer: Any, told: str) -> None:
    with pytest.raises(AnswerError, match=told):
        model_of(Answers(lambda _: answer)).embed(["first", "second"])


def test_a_row_of_nan_is_out_of_vocabulary() -> None:
    answer = GOOD.copy()
    answer[0] = np.nan
    rows = model_of(Answers(lambda _: answer)).embed(["first", "second"])
    assert np.isnan(rows[0]).all()
    assert rows[1].tolist() == [1, 1, 1]


def test_vectors_of_two_lengths() -> None:
    class Grows(Lengths):
        @hookimpl
        def embed(self, texts: tuple[Text, ...], level: str) -> npt.NDArray[np.float32]:
            return np.ones((len(texts), len(texts[0].text)), dtype=np.float32)

    with pytest.raises(AnswerError, match="vectors of different lengths"):
        model_of(Grows(batch=1)).embed(["a", "bb"])


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (np.zeros(2, np.float32), "type float32"),
        (np.zeros(1), r"shape \(1,\)"),
        (np.zeros((2, 1)), r"shape \(2, 1\)"),
        (np.ma.masked_array(np.zeros(2), mask=[0, 1]), r"a masked array of shape \(2,\)"),
        ([0.0, 0.0], "a list of 2"),
        (np.array([0, np.nan]), "score of 'second' is not finite"),
        (np.array([0, -np.inf]), "score of 'second' is not finite"),
    ],
)
def test_wrong_scores(answer: Any, told: str) -> None:
    with pytest.raises(AnswerError, match=told):
        model_of(Answers(lambda _: answer)).score(["first", "second"], "joy")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (("one",), "a tuple of 1 for 2 questions"),
        ("ab", "a str of 2"),
        (None, "a NoneType"),
        (iter(["a", "b"]), "a list_iterator"),
        (("one", None), "translation of 'second' is a NoneType"),
        (("one", b"two"), "translation of 'second' is a bytes"),
    ],
)
def test_wrong_translations(answer: Any, told: str) -> None:
    with pytest.raises(AnswerError, match=told):
        model_of(Answers(lambda _: answer)).translate(["first", "second"], "en", "it")


RIGHT = TokenLogprobs(("first",), ((0, 5),), (-1.0,))


@pytest.mark.parametrize(
    ("second", "told"),
    [
        (-1.0, "the answer for 'second' is -1.0"),
        (TokenLogprobs(("second",), ((0, 6),), (float("nan"),)), "log-probability in 'second'"),
        (TokenLogprobs(("second",), ((0, 6),), (float("-inf"),)), "log-probability in 'second'"),
        (TokenLogprobs(("second",), ((0, 6),), (0.01,)), "log-probability in 'second' is positive"),
        (TokenLogprobs(("second",), ((0, 6),), (-1.0, -2.0)), "the answer for 'second'"),
        (TokenLogprobs(("second",), (), (-1.0,)), "the answer for 'second'"),
        (TokenLogprobs(("second",), ((0, 6),), (np.float32(-1),)), "the answer for 'second'"),  # type: ignore[arg-type]
        (TokenLogprobs(("second",), ((0, 6),), (-1,)), "the answer for 'second'"),
        (TokenLogprobs((b"second",), ((0, 6),), (-1.0,)), "the answer for 'second'"),  # type: ignore[arg-type]
    ],
)
def test_wrong_logprobs(second: Any, told: str, tmp_path: Path) -> None:
    model = model_of(Answers(lambda _: (RIGHT, second)), services=Services(cache=DiskCache(tmp_path)))
    with pytest.raises(AnswerError, match=told):
        model.mask_logprob([Masked("first", ((0, 5),)), Masked("second", ((0, 6),))])


def test_an_answer_without_tokens_is_an_error_unless_the_metric_wants_to_know(tmp_path: Path) -> None:
    nothing = TokenLogprobs((), (), ())
    cached = Services(cache=DiskCache(tmp_path))
    queries = [Masked("first", ((0, 5),)), Masked("second", ((0, 3),), also=((3, 6),))]
    model = model_of(Answers(lambda _: (RIGHT, nothing)), services=cached)
    with pytest.raises(QuestionError, match="no sub-token covers 'sec', 'ond' of 'second'"):
        model.mask_logprob(queries)
    assert model.mask_logprob(queries, unread="empty") == (RIGHT, nothing)
    with pytest.raises(QuestionError, match="'second'"):  # from the cache as well
        model.mask_logprob(queries)


def test_too_few_logprobs() -> None:
    with pytest.raises(AnswerError, match="a tuple of 1 for 2 questions"):
        model_of(Answers(lambda _: (RIGHT,))).mask_logprob([Masked("first", None), Masked("second", None)])


def test_a_wrong_answer_is_not_kept(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path)
    with pytest.raises(AnswerError):
        model_of(Answers(lambda _: with_value(np.nan)), services=Services(cache=cache)).embed(["a", "b"])
    assert cache.info().answers == 0


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


def test_a_transform_adds_no_capability() -> None:
    assert model_of(OnlyScores(), [Shift(1)]).capabilities == {"score"}


def test_an_engine_checks_capabilities_before_it_opens_a_model() -> None:
    engine = Engine(cache=None)
    with pytest.raises(CapabilityError, match="weat needs a model that can embed, and fake can score"):
        engine.measure("weat", model_of(OnlyScores()), "en/weat6")


def test_a_run_counts_its_own_questions_only() -> None:
    engine = Engine(cache=None)
    model = engine.model("planted:gender=1")
    first = engine.measure("weat", model, "en/weat6")
    second = engine.measure("weat", model, "en/weat6")
    assert first.questions == second.questions
    assert model.counts.put == 2 * first.questions.put > 0


def test_close_and_repr() -> None:
    backend = Lengths()
    model = model_of(backend)
    assert repr(model) == "<Model fake (fake:): embed, mask_logprob, score, translate>"
    model.close()
    assert backend.closed == 1


# One test per hook, through Model, on the planted model.


@pytest.fixture(scope="module")
def planted() -> Model:
    return Engine(cache=None).model("planted:gender=1")


def test_hook_embed(planted: Model) -> None:
    alone = planted.embed(["executive"], "sentence")
    word = planted.embed([Text("an executive decision", (3, 12))], "token")
    assert alone.shape == (1, planted.embed(["home"]).shape[1])
    np.testing.assert_array_equal(alone, word)
    assert np.linalg.norm(alone) == pytest.approx(1, abs=1e-6)


def test_hook_mask_logprob(planted: Model) -> None:
    text = "john likes the office"
    him, both = planted.mask_logprob([Masked(text, ((0, 4),)), Masked(text, None, one_at_a_time=True)])
    assert (him.tokens, him.offsets) == (("john",), ((0, 4),))
    assert both.tokens == ("john", "likes", "the", "office")
    # The first token hidden alone is the same question, however it is put.
    assert both.logprobs[0] == him.logprobs[0] < 0
    # A man's name gains more than a woman's where the other word is one of career instead of family.
    test = Engine(cache=None).catalogue.test("en/weat6")
    male, female = (
        [f"{name} {word}" for name in test.roles[role].words for word in ("executive", "home")]
        for role in "XY"
    )
    queries = [Masked(text, ((0, text.index(" ")),)) for text in (*male, *female)]
    logprobs = np.array([answer.total for answer in planted.mask_logprob(queries)]).reshape(2, -1, 2)
    male_gain, female_gain = (logprobs[..., 0] - logprobs[..., 1]).mean(axis=1)
    assert male_gain > female_gain
    # With the only other word hidden too, every planted name is as likely as any other.
    priors = planted.mask_logprob(
        [Masked(q.text, q.spans, also=((q.spans[0][1] + 1, len(q.text)),)) for q in queries]
    )
    assert len({answer.total for answer in priors}) == 1


def test_hook_translate(planted: Model) -> None:
    texts = ["the office", "the kitchen"]
    answers = planted.translate(texts, "en", "it")
    assert all(text in answer for text, answer in zip(texts, answers, strict=True))
    assert planted.translate(texts[::-1], "en", "it") == answers[::-1]


def test_hook_score(planted: Model) -> None:
    text = "john likes the office"
    total = planted.score([text], "log_likelihood")
    assert total.dtype == np.float64
    # The chain rule, asked word by word: each word with only what stands before it visible.
    words, parts = text.split(), []
    for i in range(len(words)):
        before = " ".join(words[: i + 1])
        start = len(before) - len(words[i])
        parts.append(planted.mask_logprob([Masked(before, ((start, len(before)),))])[0].total)
    assert total[0] == pytest.approx(sum(parts), rel=1e-12)
    assert 0 < planted.score([text], "joy")[0] < 1
