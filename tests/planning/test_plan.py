"""A plan says what a run then asks, to the question, and leaves no trace of how it found out."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from biascore import Audit, Engine
from biascore.cli.app import app
from biascore.engine.prices import Prices
from biascore.errors import AuthError
from biascore.models.pipeline.calling import Caller, Hook
from biascore.models.questions.cost import Cost

from ..builders.vectors import random_vectors, write_vectors

FEW = {"resamples": 100}
MEASUREMENTS = [
    {"metric": "weat", "tests": ["en/weat6", "en/weat7"], "options": FEW},
    {"metric": "sc-weat", "tests": ["en/weat7", "en/weat8"], "options": FEW | {"draws": 500}},
    {"metric": "weat", "tests": ["en/weat8"], "options": FEW | {"level": "token", "reference": "none"}},
]
SOME = [{"metric": "weat", "tests": ["en/weat7"], "options": FEW | {"reference": "none"}}]
"""Without harmless groups, which each test draws its own of: a batch of kept and new words is asked as a whole."""


def audit_of(*refs: str, measurements: Sequence[dict[str, Any]] = MEASUREMENTS) -> Audit:
    models = [{"ref": ref, "name": f"model {number}"} for number, ref in enumerate(refs)]
    return Audit.from_parts(title="Planned", models=models, measurements=list(measurements), seed=3)


class Watcher:
    """Sees every query that reaches a model."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self.asked: list[object] = []
        self._call = call

    def __call__(self, caller: Caller, hook: Hook[Any, Any], questions: tuple[Any, ...], flight: Any) -> Any:
        self.asked += questions
        return self._call(caller, hook, questions, flight)


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return Engine(cache=tmp_path / "cache")


@pytest.fixture
def watcher(monkeypatch: pytest.MonkeyPatch) -> Watcher:
    found = Watcher(Caller.call)
    monkeypatch.setattr(Caller, "call", lambda *given: found(*given))
    return found


@pytest.fixture(params=["planted", "fasttext", pytest.param("hf", marks=pytest.mark.slow)])
def ref(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "planted":
        return "planted:gender=1"
    if request.param == "fasttext":
        words = ["male", "man", "boy", "brother", "female", "woman", "girl", "she", "math", "poetry", "art"]
        return write_vectors(tmp_path / "tiny.vec", random_vectors(words, 5, seed=1))
    return f"hf:{request.getfixturevalue('saved_model')('bert-uncased')}"


def kept(folder: Path) -> set[tuple[bytes, bytes]]:
    """Everything in the cache."""
    files = list(folder.glob("cache/*.sqlite"))
    if not files:
        return set()
    with closing(sqlite3.connect(files[0])) as connection:
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


@pytest.mark.parametrize(
    "ref",
    [
        "planted:gender=1",
        pytest.param("bert-uncased", marks=pytest.mark.slow),
        pytest.param("gpt2", marks=pytest.mark.slow),
    ],
)
def test_an_estimate_asks_little_and_bounds_what_the_run_asks(
    engine: Engine, ref: str, request: pytest.FixtureRequest
) -> None:
    if ":" not in ref:
        ref = f"hf:{request.getfixturevalue('saved_model')(ref)}"
    measurements = [{"metric": "lpbs", "tests": ["en/weat6"], "options": {"draws": 99, "resamples": 100}}]
    audit = audit_of(ref, measurements=measurements)
    plan = engine.plan(audit, whole=False)
    assert plan.stopped == ()
    counts = {row.hook: (row.counts, row.asked) for row in plan.rows if row.asked}
    # 16 targets with 16 attributes and with 180 harmless words, asked twice where the model hides words.
    assert {hook: one for hook, one in counts.items() if hook != "embed"} == (
        {"score": ("at most", 16 * 196)} if "gpt2" in ref else {"mask_logprob": ("at most", 2 * 16 * 196)}
    )
    assert counts["embed"][0] == "exact"
    assert plan.total.seconds is not None
    assert 0 < plan.total.probed <= 2000
    asked = engine.run(audit).questions.asked
    assert asked <= plan.total.asked
    if ref.startswith("planted"):
        assert asked == plan.total.asked
    # Where the cache answers all that was to be timed, the rest has no time, and not none to take.
    again = engine.plan(audit, whole=False).total
    assert (again.counts, again.seconds) == ("at most", None)


def test_a_plan_of_vectors_counts_all_without_computing_the_statistics(
    engine: Engine, ref: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    audit = audit_of(ref, measurements=[*SOME, {"metric": "weat", "tests": ["en/weat6"]}])
    exact = engine.plan(audit, probe=False)

    def computes(*_given: object) -> None:
        raise AssertionError

    monkeypatch.setattr("biascore.designs.association.AssociationMetric.result", computes)
    fast = engine.plan(audit, probe=False, whole=False)
    assert fast.stopped == ()
    assert [(row.counts, row.put, row.asked, row.cost) for row in fast.rows] == [
        (row.counts, row.put, row.asked, row.cost) for row in exact.rows
    ]
    assert (fast.whole, exact.whole) == (False, True)
    assert fast.notes[-1] == "computing the metrics is not in it; whole=True rehearses it"


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


@pytest.mark.slow
def test_the_same_model_under_two_names_is_asked_once(engine: Engine) -> None:
    audit = audit_of("planted:gender=1", "planted:gender=1", "planted:gender=0")
    plan = engine.plan(audit, probe=False)
    run = engine.run(audit)
    assert [row.asked for row in plan.rows] == [used.questions.asked for used in run.models]
    assert plan.rows[1].asked == 0
    assert plan.rows[1].cached == plan.rows[0].unique


@pytest.mark.slow
def test_without_a_probe_no_model_is_asked(engine: Engine, watcher: Watcher, tmp_path: Path) -> None:
    plan = engine.plan(audit_of("planted:gender=1", "planted:gender=0"), probe=False)
    assert watcher.asked == []
    assert kept(tmp_path) == set()
    assert (plan.total.probed, plan.total.seconds) == (0, None)
    assert "no time where nothing was timed" in plan.notes


@pytest.mark.slow
def test_a_probe_asks_what_it_says_and_keeps_nothing(
    engine: Engine, watcher: Watcher, tmp_path: Path
) -> None:
    engine.run(audit_of("planted:gender=1", measurements=SOME))
    before, watcher.asked = kept(tmp_path), []
    audit = audit_of("planted:gender=1")
    plan = engine.plan(audit)
    assert len(watcher.asked) == plan.total.probed > 0
    assert plan.total.probed < plan.total.asked
    assert plan.total.seconds is not None
    assert kept(tmp_path) == before
    watcher.asked = []
    run = engine.run(audit)
    assert len(watcher.asked) == plan.total.asked + run.questions.again


@pytest.mark.slow
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
    assert watcher.asked == []
    assert plan.total.seconds is None
    assert plan.total.cost.characters


def test_a_service_is_planned_without_its_key_and_with_its_price(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DEEPL_AUTH_KEY", raising=False)
    audit = tmp_path / "audit.toml"
    audit.write_text(
        '[[models]]\nref = "deepl:"\n[[measurements]]\nmetric = "gest-mt"\ntests = ["en/gest_own"]\n'
        'options = { target = "es" }\n',
        encoding="utf-8",
    )
    plan = Engine(cache=None).plan(audit)
    assert not plan.stopped
    (row,) = plan.rows
    assert row.cost.characters
    price = plan.price(Prices(characters=20))
    (told,) = price.told
    assert f"{row.cost.characters:,} characters" in told
    assert f"{row.cost.characters * 20 / 1e6:.2f}" in told
    assert price.amount == row.cost.characters * 20 / 1e6
    assert "DEEPL_AUTH_KEY" not in os.environ
    done = CliRunner().invoke(app, ["plan", str(audit), "--no-cache", "--price-per-million", "20"])
    assert told in done.output
    with pytest.raises(AuthError):
        Engine(cache=None).run(audit)
