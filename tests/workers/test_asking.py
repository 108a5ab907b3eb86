"""A model on workers is the model that it is here: what it answers, what it raises, what it costs; and what travels."""

from __future__ import annotations

import hashlib
import inspect
import pickle
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biascore import Engine, errors
from biascore.api.writing import Prompt, Settings
from biascore.cli.options import cluster_of
from biascore.engine import worker, workers
from biascore.engine.worker import Ask, Close, Open
from biascore.errors import (
    AnswerError,
    At,
    BiascoreError,
    MissingExtraError,
    ModelLoadError,
    OptionsError,
    Owner,
    PluginError,
    PluginFailedError,
    RateLimitError,
    TimeLimitError,
)
from biascore.models.backend import Identity
from biascore.models.executor import Cluster

from ..builders.vectors import random_vectors, write_vectors
from .conftest import Here, local_and_on, log_of

WORDS = ["rose", "lily", "ant", "wasp", "love", "peace", "hate", "war"]


@pytest.fixture
def vectors(tmp_path: Path) -> str:
    """A model of word vectors."""
    return write_vectors(tmp_path / "vectors.txt", random_vectors(WORDS, 6, 1))


def calls(here: Here, kind: type) -> list[Any]:
    return [call for call in map(pickle.loads, here.sent) if isinstance(call, kind)]


def test_a_stored_run_is_equal_to_a_local_one(ends: None, here: Here, folder: Path, tmp_path: Path) -> None:
    local, on_workers = local_and_on(here, tmp_path, "weat", f"ends:{folder}", "en/weat6", size=5)
    assert local == on_workers
    asked = [batch for _, batch in log_of(folder)]
    half = len(asked) // 2
    assert sorted(asked[:half]) == sorted(asked[half:])  # the same batches, in the order of threads
    assert len(calls(here, Ask)) == half > 5


def test_what_is_asked_of_vectors_is_answered_alike(here: Here, vectors: str) -> None:
    local, on_workers = Engine(cache=None), Engine(cache=None, executor=here)
    with local.model(vectors) as one, on_workers.model(vectors) as two:
        assert (one.identity, one.capabilities, one.lacks) == (two.identity, two.capabilities, two.lacks)
        words = [*WORDS, "unknown"]
        assert one.embed(words).tobytes() == two.embed(words).tobytes()
        assert one.familiarity(words) == two.familiarity(words)
        assert one.first_words() == two.first_words() != ()
        assert one.cost_of("embed", words, {"level": "token"}) == two.cost_of(
            "embed", words, {"level": "token"}
        )
        assert list(one.vocabulary().words()) == list(two.vocabulary().words())
        for model in (one, two):
            with pytest.raises(errors.CapabilityError, match="cannot translate; it can embed"):
                model.translate(["a"], "en", "it")


def test_texts_are_written_alike(here: Here, tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="needs biascore[hf]")
    from ..builders import tiny

    folder = tiny.save_model("gpt2", tmp_path / "gpt2", 1)
    prompts = [Prompt("The nurse is", sample=sample) for sample in range(3)]
    for settings in (Settings(6), Settings(6, 1.0, 0.9)):
        local, on_workers = Engine(cache=None), Engine(cache=None, executor=here)
        with local.model(f"hf:{folder}") as one, on_workers.model(f"hf:{folder}") as two:
            assert one.generate(prompts, settings) == two.generate(prompts, settings)
            assert one.cost_of("generate", prompts, {"settings": settings}) == two.cost_of(
                "generate", prompts, {"settings": settings}
            )


def test_what_is_kept_here_is_not_asked_again(here: Here, vectors: str, tmp_path: Path) -> None:
    engine = Engine(cache=tmp_path / "cache", executor=here)
    for _ in range(2):
        with engine.model(vectors) as model:
            model.embed(WORDS)
    assert len(calls(here, Ask)) == 1
    assert len(calls(here, Open)) == len(calls(here, Close)) == 4  # on two workers, twice
    engine.close()
    assert here.closed == 0  # it was given


def test_what_has_no_weights_or_may_charge_is_asked_from_here(
    here: Here, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DEEPL_AUTH_KEY", "canary")
    (tmp_path / "answers.csv").write_text("text,joy\na,1\n", encoding="utf-8")
    engine = Engine(cache=None, executor=here)
    for ref in ("planted:gender=1", "deepl:", f"answers:{tmp_path / 'answers.csv'}"):
        engine.model(ref).close()
    assert here.sent == []


ERRORS = [
    ("foreign", PluginFailedError),
    ("exit", PluginFailedError),
    ("usable", AnswerError),
    ("rate", RateLimitError),
]


@pytest.mark.parametrize(("how", "kind"), ERRORS)
def test_an_error_is_the_one_that_a_local_run_raises(
    ends: None, here: Here, folder: Path, tmp_path: Path, how: str, kind: type[BiascoreError]
) -> None:
    found = []
    for number, given in enumerate((None, here)):
        engine = Engine(cache=tmp_path / str(number), executor=given)
        model = engine.model(f"ends:{folder}", name="model", how=how)
        with pytest.raises(kind) as info:
            model.embed(["a", "b"])
        found.append(info.value)
        assert engine._services.cache.info().answers == (how == "usable")
        model.close()
    local, there = found
    assert (type(local), str(local), local.at, local.may_pass) == (
        type(there),
        str(there),
        there.at,
        there.may_pass,
    )
    assert local.__dict__.keys() == there.__dict__.keys()
    assert type(local.__cause__).__name__ == type(there.__cause__).__name__
    assert getattr(local, "retry_after", 0) == getattr(there, "retry_after", 0)
    if how == "foreign":
        assert "ValueError: no such luck" in there.trace


@pytest.mark.parametrize(
    ("how", "words"), [("unsent", "cannot travel"), ("lambda", "gave what cannot be sent")]
)
def test_what_cannot_travel_is_an_error_of_the_plugin(
    ends: None, here: Here, folder: Path, how: str, words: str
) -> None:
    with (
        Engine(cache=None, executor=here).model(f"ends:{folder}", how=how) as model,
        pytest.raises(PluginFailedError, match=words),
    ):
        model.embed(["a"])


ALL = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, BiascoreError)]


@pytest.mark.parametrize("kind", ALL)
def test_every_error_survives_the_way_back(kind: type[BiascoreError]) -> None:
    error = kind.__new__(kind)
    BiascoreError.__init__(error, "what, and what to do")
    error.__dict__ |= {
        "at": At(Owner("a", "b", "1"), "answering", "x"),
        "extra": "hf",
        "usable": {1: "one"},
        "trace": "Tr",
    }
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.args, again.__dict__) == (kind, error.args, error.__dict__)


def test_the_time_of_a_batch_is_kept_where_it_is_answered(ends: None, here: Here, folder: Path) -> None:
    engine = Engine(cache=None, executor=here, time_limit=0.2)
    with (
        engine.model(f"ends:{folder}", how="waits") as model,
        pytest.raises(TimeLimitError, match=r"longer than the 0\.2"),
    ):
        model.embed(["a"])


def test_no_secret_travels(
    ends: None, here: Here, folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    adapters = Engine(cache=None).plugins.adapters.items()
    names = {name for kind in adapters for name in (*filter(None, [kind.key_env_var]), *kind.secret_env_vars)}
    assert {"ENDS_TOKEN", "HF_TOKEN"} <= names
    canaries = {name: hashlib.sha256(name.encode()).hexdigest()[:24] for name in names}
    for name, canary in canaries.items():
        monkeypatch.setenv(name, canary)
    engine = Engine(cache=None, executor=here)
    with engine.model(f"ends:{folder}") as model:
        model.embed(["a", "b"])
    with pytest.raises(PluginFailedError, match=r"the token is \[ENDS_TOKEN\]") as info:
        engine.model(f"ends:{folder}", how="secret")
    assert not [name for name, canary in canaries.items() if canary in info.value.trace]
    travelled = b"".join([*here.sent, *here.returned])
    assert b"the token is [ENDS_TOKEN]" in travelled
    assert not [name for name, canary in canaries.items() if canary.encode() in travelled]


def test_the_error_of_one_worker_names_it(ends: None, here: Here, folder: Path) -> None:
    with pytest.raises(
        MissingExtraError, match=r"^the worker one: ends: needs .*pip install .*biascore-test-ends\[more\]"
    ):
        Engine(cache=None, executor=here).model(f"ends:{folder}", how="extra")


@pytest.mark.parametrize(
    ("version", "words"),
    [
        (None, "biascore-test-ends is not installed here"),
        ("0.9", r"biascore-test-ends 0\.9 is loaded here"),
    ],
)
def test_a_worker_needs_the_same_versions(
    ends: None, here: Here, folder: Path, monkeypatch: pytest.MonkeyPatch, version: str | None, words: str
) -> None:
    there = worker.versions_of(Engine(cache=None).plugins) | {"biascore-test-ends": version}
    monkeypatch.setattr(worker, "versions_of", lambda _plugins: there)
    with pytest.raises(
        PluginError, match=rf"^the worker one: {words}.*, and 1\.0 .*pip install .*biascore-test-ends==1\.0"
    ):
        Engine(cache=None, executor=here).model(f"ends:{folder}")


def test_a_file_that_one_worker_lacks_is_named_with_it(
    here: Here, vectors: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = Path(vectors.removeprefix("fasttext:"))
    gone: list[Path] = []

    def everywhere(call: Any) -> dict[str, Any]:
        found = {"one": here.submit(call)}
        if gone:
            return found
        gone.append(file.rename(file.with_suffix(".gone")))
        return {**found, "two": replace(call, order=replace(call.order, session="of another process"))()}

    monkeypatch.setattr(here, "everywhere", everywhere)
    with pytest.raises(ModelLoadError, match=r"^the worker two: .*vectors\.txt: no such file"):
        Engine(cache=None, executor=here).model(vectors)


def test_another_model_on_one_of_the_workers_is_refused(ends: None, here: Here, folder: Path) -> None:
    def altered(name: str, packed: Any) -> Any:
        outcome = pickle.loads(packed)
        if name == "two" and outcome.answer is not None:
            other = replace(outcome.answer.identity, digest="test:other", facts={"threads": 2})
            outcome = replace(outcome, answer=replace(outcome.answer, identity=other))
        return pickle.dumps(outcome)

    here.altered = altered
    with pytest.raises(
        ModelLoadError,
        match=r"not the same on the workers one and two \(digest: test:ends and test:other; how:",
    ):
        Engine(cache=None, executor=here).model(f"ends:{folder}")
    assert len(calls(here, Close)) == 2


def test_a_worker_that_comes_later_must_have_the_same_model(ends: None, here: Here, folder: Path) -> None:
    engine = Engine(cache=None, executor=here)
    with engine.model(f"ends:{folder}") as model:
        model.embed(["a"])
        (ask,) = calls(here, Ask)
        worker._HELD.clear()  # as in a new process
        assert np.array_equal(worker.unpacked(ask()), model.embed(["a"]))
        later = replace(ask, expected=replace(ask.expected, digest="test:before"))
        with pytest.raises(
            ModelLoadError,
            match=r"the worker .*process \d+: .*another model here .*test:before and",
        ):
            worker.unpacked(later())


def test_a_model_that_nobody_asks_for_long_makes_way(
    ends: None, here: Here, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Engine(cache=None, executor=here)
    engine.model(f"ends:{folder}")
    assert not (folder / "closed").exists()
    later = time.monotonic() + worker.UNUSED + 1
    monkeypatch.setattr(worker.time, "monotonic", lambda: later)
    engine.model(f"ends:{folder}", size=3).close()
    assert len((folder / "closed").read_text().splitlines()) == 2  # the one that was left, and this one


def test_an_adapter_of_this_process_is_opened_here(ends: None, here: Here) -> None:
    from ..builders.models import Lengths
    from ..plugins.made import adapter_of

    engine = Engine(cache=None, executor=here, adapters=[adapter_of(id="own", load=lambda *_: Lengths())])
    with engine.model("own:") as model:
        assert model.embed(["abc"]).tolist() == [[3.0, 97.0]]
    assert here.sent == []


def test_workers_are_named_in_one_way() -> None:
    for wrong in ({}, {"scheduler": "tcp://a:1", "workers": 2}, {"workers": -1}):
        with pytest.raises(OptionsError, match="name the workers in one way"):
            Cluster(**wrong)
    with pytest.raises(OptionsError, match="Add scheduler="):
        Cluster(workers=2, resources={"GPU": 1})
    with pytest.raises(
        OptionsError,
        match=r"no executor takes the scheduler 'ray://a:1'. Addresses begin as .*tcp://HOST:PORT",
    ):
        Engine(cache=None, executor="ray://a:1")
    for wrong_one in ("http://127.0.0.1:8786", "127.0.0.1:8786"):
        with pytest.raises(OptionsError, match=r"no executor takes the scheduler '.*'. Addresses begin as"):
            Engine(cache=None, executor=wrong_one)
    for wrong_one in ("tcp://127.0.0.1", "tcp://127.0.0.1:abc", "tcp://:8786", "tls://a:99999"):
        with pytest.raises(OptionsError, match=r"is no address of a scheduler. Write, .*tcp://HOST:8786"):
            Engine(cache=None, executor=wrong_one)
    with pytest.raises(OptionsError, match="processes on one machine are too many"):
        Cluster(workers=10**20)
    assert cluster_of(None, None, None) is None
    with pytest.raises(OptionsError, match="name the workers in one way"):  # an empty variable of a shell
        cluster_of("", None, None)


def test_nothing_is_connected_before_a_model_needs_it() -> None:
    engine = Engine(cache=None, executor="tcp://127.0.0.1:9")
    with warnings.catch_warnings():
        engine.model("planted:gender=1").close()
    engine.close()


def test_what_a_worker_loaded_for_another_model_is_no_difference() -> None:
    described = worker.Described(
        Identity("test:same"), 8, "", frozenset({"embed"}), frozenset(), {"numpy": "2"}
    )
    before = replace(described, packages={"numpy": "2", "torch": "2.13"})
    assert workers._compared("ends:x", {"one": before, "two": described}) == described
    other = replace(described, packages={"numpy": "1"})
    with pytest.raises(ModelLoadError, match="not the same on the workers one and two"):
        workers._compared("ends:x", {"one": before, "two": other})
