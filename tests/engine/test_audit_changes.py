"""Audits changed from outside: other models, fewer models; globs by kind; second models that options name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from biascore import Audit, Engine
from biascore.api.metrics import Coverage, Estimate, Finding, Test
from biascore.errors import CapabilityError, OptionsError, TestKindError, UnknownNameError
from biascore.metric import SELF, Context, Metric, MetricOptions
from biascore.models.model import Model
from biascore.models.pipeline.asking import Availability
from biascore.models.pool import Pool
from biascore.models.usage import QuestionCounts
from biascore.plugins.registry import Plugin, PluginRecord

AUDIT = {
    "title": "two",
    "models": [{"ref": "planted:gender=1", "name": "a"}, {"ref": "planted:gender=0", "name": "b"}],
    "measurements": [
        {"metric": "weat", "tests": ["en/weat7"], "options": {"resamples": 100}},
        {"metric": "weat", "tests": ["en/weat8"], "models": ["b"], "options": {"resamples": 100}},
    ],
}


class OtherOptions(MetricOptions):
    """``other`` is a second model."""

    other: str | None = None


class TwoModels(Metric[OtherOptions, Test]):
    """Asks a second model for the words of X, and says who answered."""

    name = "two-models"
    summary = "asks two models"
    reference = "none"
    requires = frozenset({"embed"})
    kinds = frozenset({"weat"})
    model_options = MappingProxyType({"other": frozenset({"embed"})})

    def measure(self, model: Model, test: Test, context: Context) -> Finding:
        other = model if self.options.other in (None, SELF) else context.model(self.options.other)
        words = test.roles["X"].words
        value = float(other.embed(words).sum())
        counts = {"X": len(words)}
        return Finding(
            positive_means="nothing",
            estimates=(Estimate(name=f"sum by {other.name}", value=value, unit="", n=counts),),
            coverage=Coverage(given=counts, used=counts),
            conventions={},
        )


@pytest.fixture
def engine() -> Engine:
    engine = Engine(cache=None)
    owner = PluginRecord("made", "made", "1", "made", "loaded")
    engine.plugins.metrics.add("two-models", TwoModels, Plugin(owner))
    return engine


def audit(**changes: Any) -> Audit:
    return Audit.from_parts(**{**AUDIT, **changes})


def test_another_reference_keeps_the_name() -> None:
    changed = audit().with_models({"b": "planted:gender=0.2"})
    assert [(m.name, m.ref) for m in changed.models] == [
        ("a", "planted:gender=1"),
        ("b", "planted:gender=0.2"),
    ]
    assert changed.measurements == audit().measurements


def test_a_model_is_left_out_with_what_names_it_alone() -> None:
    changed = audit().with_models({}, without=["b"])
    assert [m.name for m in changed.models] == ["a"]
    assert [entry.tests for entry in changed.measurements] == [("en/weat7",)]


def test_a_model_that_another_measurement_needs_is_not_left_out() -> None:
    entry = {"metric": "two-models", "tests": ["en/weat7"], "models": ["a"], "options": {"other": "b"}}
    needing = audit(measurements=[entry, *AUDIT["measurements"]])
    with pytest.raises(OptionsError, match="two-models takes 'b' as its other, so it cannot be left out"):
        needing.with_models({}, without=["b"])
    assert needing.with_models({"b": "planted:gender=0.5"}).models[1].ref == "planted:gender=0.5"


@pytest.mark.parametrize(
    ("refs", "without", "error", "told"),
    [
        ({"c": "planted:gender=1"}, [], UnknownNameError, "no model 'c'; it has: a, b"),
        ({}, ["c"], UnknownNameError, "no model 'c'"),
        ({}, ["a", "b"], OptionsError, "nothing is left to measure"),
    ],
)
def test_changes_that_cannot_be_made(
    refs: dict[str, str], without: list[str], error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=told):
        audit().with_models(refs, without)


@pytest.mark.slow
def test_a_glob_names_the_tests_that_the_metric_takes(engine: Engine) -> None:
    run = engine.measure("weat", "planted:gender=1", "it/*", resamples=100)
    kinds = {engine.catalogue.test(measurement.test).kind for measurement in run}
    assert kinds == {"weat"}
    assert {test.kind for test in engine.catalogue.select("it/*")} > kinds


def test_a_test_of_another_kind_is_refused_by_name_and_by_a_glob_of_nothing_else(engine: Engine) -> None:
    for pattern in ("it/crows_own", "it/crows*"):
        with pytest.raises(TestKindError, match=r"weat takes tests of kind weat, and it/crows_own"):
            engine.measure("weat", "planted:gender=1", pattern)


@pytest.mark.parametrize("other", ["b", "planted:gender=1.5"])
def test_a_second_model_answers_and_is_in_the_record(engine: Engine, other: str) -> None:
    entry = {"metric": "two-models", "tests": ["en/weat7"], "models": ["a"], "options": {"other": other}}
    models = AUDIT["models"] if other == "b" else AUDIT["models"][:1]
    run = engine.run(audit(models=models, measurements=[entry]))
    assert [m.headline.name for m in run] == [f"sum by {other}"]
    assert [model.name for model in run.models] == ["a", other]
    expected = engine.model("planted:gender=0" if other == "b" else other)
    words = engine.catalogue.test("en/weat7").roles["X"].words
    assert run[0].headline.value == pytest.approx(float(expected.embed(words).sum()))
    assert [model.questions.put for model in run.models] == [0, len(words)]


def test_the_plan_counts_the_questions_of_second_models(engine: Engine) -> None:
    entries = [
        {
            "metric": "two-models",
            "tests": ["en/weat7", "en/weat8"],
            "models": ["a"],
            "options": {"other": "b"},
        },
        {"metric": "weat", "tests": ["en/weat7"], "models": ["a", "b"], "options": {"resamples": 100}},
    ]
    chosen = audit(measurements=entries)
    plan = engine.plan(chosen, probe=False)
    run = engine.run(chosen)
    assert plan.stopped == ()
    assert {(row.model, row.put) for row in plan.rows} == {(m.name, m.questions.put) for m in run.models}
    # "a" is asked for weat7 by weat alone, "b" for the X of two tests by two-models and for weat7 by weat.
    assert {row.counts for row in plan.rows} == {"exact"}


def test_measure_opens_a_second_model_once(engine: Engine) -> None:
    run = engine.measure(
        "two-models", "planted:gender=1", ["en/weat7", "en/weat8"], other="planted:gender=0.2"
    )
    assert [model.ref for model in run.models] == ["planted:gender=1", "planted:gender=0.2"]
    assert run.models[1].questions.put == 16
    with engine.model("planted:gender=1", name="mine") as model:
        run = engine.measure("two-models", model, "en/weat7", other=SELF)
        assert [used.name for used in run.models] == ["mine"]


def test_a_second_model_that_is_measured_too_is_opened_once_with_all_its_questions(engine: Engine) -> None:
    refs = ["planted:gender=1", "planted:gender=0.2"]
    run = engine.measure("two-models", refs, "en/weat7", other=refs[0])
    assert [(used.name, used.questions.put) for used in run.models] == [(refs[0], 16), (refs[1], 0)]


def test_a_second_model_is_checked_before_any_is_opened(engine: Engine, tmp_path: Path) -> None:
    entry = {"metric": "two-models", "tests": ["en/weat7"], "options": {"other": "plantet:gender=1"}}
    with pytest.raises(UnknownNameError, match="Did you mean 'planted'"):
        engine.check(audit(measurements=[entry]))

    class Translated(TwoModels):
        model_options = MappingProxyType({"other": frozenset({"translate"})})

    owner = PluginRecord("made", "made", "1", "made", "loaded")
    engine.plugins.metrics.add("translated", Translated, Plugin(owner))
    vectors = tmp_path / "some.vec"
    vectors.write_text("1 2\nword 1 2\n", encoding="utf-8")
    entry = {"metric": "translated", "tests": ["en/weat7"], "options": {"other": f"fasttext:{vectors}"}}
    with pytest.raises(CapabilityError, match=r"the model of other = 'fasttext:.* must translate"):
        engine.check(audit(measurements=[entry]))


def test_a_pool_closes_what_it_opened_and_nothing_else() -> None:
    closed: list[str] = []

    class Fake:
        counts = QuestionCounts()

        def __init__(self, name: str) -> None:
            self.name = name
            self.standing = Availability()

        def close(self) -> None:
            closed.append(self.name)

    def opener(name: str) -> Callable[[], Any]:
        return lambda: Fake(name)

    given: Any = Fake("given")
    with Pool({"one": opener("one"), "two": opener("two")}, {"given": given}) as pool:
        assert pool.model("one") is pool.model("one")
        assert pool.model("given") is given
        assert pool.opened == ("one",)
    assert closed == ["one"]
