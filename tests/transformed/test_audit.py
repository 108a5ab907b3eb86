"""Transforms in an audit: by name, checked before a model is opened, measured before and after."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biascore import Audit, AuditTransform, Engine, Run
from biascore.api.metrics import Finding, Metric, Model
from biascore.errors import BiascoreError, CapabilityError, OptionsError, UnknownNameError
from biascore.plugins.loading import Plugins

from ..builders.transforms import Centre, CentreOptions

REF = "planted:gender=1"
CENTRE: dict[str, Any] = {"name": "centre", "options": {"words": ("rose", "ant")}}


def audit(*models: dict[str, Any], **more: Any) -> Audit:
    measurements = [{"metric": "weat", "tests": ["en/weat7"], "options": {"resamples": 100}}]
    return Audit.from_parts(
        title="Made", models=list(models), measurements=more.pop("measurements", measurements), **more
    )


def labels(run: Run) -> list[str]:
    return [measurement.model for measurement in run]


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ({"name": "es", "before": True}, ["es before", "es"]),
        ({"name": "es"}, ["es"]),
        ({"before": True}, [REF, f"{REF} after centre"]),
        ({}, [f"{REF} after centre"]),
    ],
)
def test_a_model_is_measured_after_and_where_asked_before(
    made: Engine, model: dict[str, Any], expected: list[str]
) -> None:
    run = made.run(audit({"ref": REF, "transforms": [CENTRE], **model}))
    assert labels(run) == expected
    assert [one.name for one in run.models] == expected
    plain = made.measure("weat", REF, "en/weat7", resamples=100)
    after = made.model(REF).with_transform("centre", words=("rose", "ant"))
    clean = made.measure("weat", after, "en/weat7", resamples=100)
    values = [measurement.headline.value for measurement in run]
    assert values == [plain[0].headline.value, clean[0].headline.value][-len(values) :]
    assert plain[0].headline.value != clean[0].headline.value


def test_the_model_underneath_is_opened_and_asked_once(
    made: Engine, plugins: Plugins, monkeypatch: pytest.MonkeyPatch
) -> None:
    adapter = plugins.adapters.get("planted")
    load, opened = adapter.load, []
    monkeypatch.setattr(adapter, "load", lambda self, *given: opened.append(given[0]) or load(self, *given))
    run = made.run(audit({"name": "es", "ref": REF, "transforms": [CENTRE], "before": True}))
    before, after = (one.questions for one in run.models)
    assert len(opened) == 1
    assert len(Centre.fits) == 1
    assert (after.put, after.cached, after.asked) == (before.put + 2, before.put, 2)


def test_models_of_one_reference_share_it_only_one_behind_the_other(
    made: Engine, plugins: Plugins, monkeypatch: pytest.MonkeyPatch
) -> None:
    adapter = plugins.adapters.get("planted")
    load, opened = adapter.load, []
    monkeypatch.setattr(
        adapter, "load", lambda self, *given: opened.append(str(given[0])) or load(self, *given)
    )
    other = {"ref": "planted:gender=0.5", "name": "other"}
    clean = {"name": "clean", "ref": REF, "transforms": [CENTRE]}
    made.run(audit({"name": "raw", "ref": REF}, clean, other, {**clean, "name": "again"}))
    assert opened == [REF, "planted:gender=0.5", REF]


def test_a_chain_is_applied_in_its_order(made: Engine) -> None:
    chain = [CENTRE, {"name": "centre", "options": {"words": ("sun",)}}]
    run = made.run(audit({"ref": REF, "transforms": chain}))
    assert labels(run) == [f"{REF} after centre, centre"]
    assert [one.options["words"] for one in run.models[0].transforms] == [("rose", "ant"), ("sun",)]
    with made.model(REF, transforms=[AuditTransform(**one) for one in chain]) as model:
        assert np.abs(model.embed(["sun"])).max() == 0
        assert model.identity.digest == run.models[0].digest


def test_python_takes_names_instances_and_several_models(made: Engine) -> None:
    with made.model(REF, name="es", transforms=[Centre(CentreOptions(words=("rose",)))]) as model:
        assert (model.name, model.untransformed and model.untransformed.name) == ("es", "es before")
        assert np.abs(model.embed(["rose"])).max() == 0
        run = made.measure("weat", [model.untransformed or model, model], "en/weat7", resamples=100)
    assert labels(run) == ["es before", "es"]
    assert [len(one.transforms) for one in run.models] == [0, 1]
    with made.model(REF, transforms=["centre"]) as model:
        assert model.name == f"{REF} after centre"


WRONG: dict[str, tuple[dict[str, Any], type[BiascoreError], str]] = {
    "unknown": ({"name": "center"}, UnknownNameError, r"no transform is called 'center'\. Did you mean 'centre'"),
    "option": ({"name": "centre", "options": {"wrods": ()}}, OptionsError, r"transform centre: wrods .*words"),
    "stimuli": (
        {"name": "centre", "options": {"test": "en/weat67"}},
        UnknownNameError,
        r"no test 'en/weat67'\. Did you mean",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_told_before_a_model_is_opened(
    made: Engine, plugins: Plugins, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    transform, error, text = WRONG[case]
    monkeypatch.delattr(plugins.adapters.get("planted"), "load")
    with pytest.raises(error, match=text):
        made.check(audit({"ref": REF, "transforms": [transform]}))


def test_a_model_without_vectors_has_no_transform(made: Engine, tmp_path: Path) -> None:
    scores = tmp_path / "scores.csv"
    scores.write_text("sentence,score\na,1\n", encoding="utf-8")
    with pytest.raises(
        CapabilityError, match=r"centre changes vectors, and answers:.* it can choose, generate, score"
    ):
        made.check(audit({"ref": f"answers:{scores}", "transforms": [CENTRE]}))
    with (
        made.model(f"answers:{scores}") as model,
        pytest.raises(CapabilityError, match="centre changes vectors"),
    ):
        model.with_transform("centre")


def test_what_a_transform_does_not_change_is_not_measured_after_it(made: Engine) -> None:
    both = {"name": "es", "ref": REF, "transforms": [CENTRE], "before": True}
    lpbs = {"metric": "lpbs", "tests": ["en/weat7"]}
    with pytest.raises(CapabilityError, match=r"centre changes vectors alone.*leave 'es' out"):
        made.check(audit(both, measurements=[lpbs]))
    run = made.run(audit(both, measurements=[{**lpbs, "models": ["es before"]}, {"metric": "weat", "tests": ["en/weat7"],
        "models": ["es"], "options": {"resamples": 100}}]))  # fmt: skip
    assert sorted((one.metric, one.model) for one in run) == [
        ("lpbs", "es before"),
        ("weat", "es"),
        ("weat", "es before"),
    ]


def test_a_metric_that_needs_a_transform_is_not_measured_before_one(
    made: Engine, plugins: Plugins, monkeypatch: pytest.MonkeyPatch
) -> None:
    weat: type[Metric] = plugins.metrics.get("weat")
    monkeypatch.setattr(weat, "needs_transform", True)
    both = {"name": "es", "ref": REF, "transforms": [CENTRE], "before": True}
    assert labels(made.run(audit(both))) == ["es"]
    for wrong in (audit({"ref": REF}), audit(both, measurements=[{"metric": "weat", "tests": ["en/weat7"],
                  "models": ["es", "es before"]}])):  # fmt: skip
        with pytest.raises(
            OptionsError, match=r"weat compares .* has none\. Add one, .*biascore list transforms"
        ):
            made.check(wrong)
    with pytest.raises(OptionsError, match="weat compares"):
        made.measure("weat", REF, "en/weat7")


def test_two_models_of_one_name_are_told(made: Engine) -> None:
    both = {"name": "es", "ref": REF, "transforms": [CENTRE], "before": True}
    with pytest.raises(OptionsError, match="several models are called 'es before'"):
        made.check(audit(both, {"name": "es before", "ref": REF}))


def test_another_reference_keeps_the_transforms() -> None:
    both = {"name": "es", "ref": REF, "transforms": [CENTRE], "before": True}
    whole = audit(both, {"ref": "planted:gender=2", "name": "it"})
    changed = whole.with_models({"es": "planted:gender=3"})
    assert [one.name for one in changed.models[0].transforms] == ["centre"]
    assert [one.label for one in changed.models[0].measured] == ["es before", "es"]
    assert [one.label for one in whole.with_models({}, ["es"]).models] == ["it"]
    assert [one.label for one in whole.with_models({}, ["es before"]).models[0].measured] == ["es"]
    with pytest.raises(UnknownNameError, match="give the reference to 'es'"):
        whole.with_models({"es before": REF})


def test_what_was_learnt_and_from_what_is_recorded(made: Engine) -> None:
    used = {"name": "wary", "options": {"test": "en/weat1", "parts": 2}}
    run = made.run(audit({"name": "es", "ref": REF, "transforms": [used]}))
    (record,) = run.models[0].transforms
    assert (record.name, record.dist, record.explicit_options) == ("wary", "unknown", used["options"])
    assert record.options["words"] == ("aa", "bbbb")
    (fit,) = record.fits
    assert fit.digest.startswith("blake2b:")
    assert fit.facts["steps"] == 2
    assert run.warnings == ("es, wary (sentence): few words were known",)
    assert {test for file in run.stimuli for test in file.tests} == {"en/weat7", "en/weat1"}
    again = Run.model_validate(run.model_dump(mode="json"))
    assert again.models == run.models


def test_runs_that_hold_names_of_transforms_are_read(made: Engine) -> None:
    body = made.run(audit({"ref": REF})).model_dump(mode="json")
    body["models"][0]["transforms"] = ["unit-length"]
    (record,) = Run.model_validate(body).models[0].transforms
    assert (record.name, record.fits) == ("unit-length", ())


def test_a_plan_counts_the_words_to_learn_from_and_fits_nothing(made: Engine) -> None:
    planned = audit({"name": "es", "ref": REF, "transforms": [CENTRE], "before": True})
    before, after = made.plan(planned).rows
    run = made.run(planned)
    assert Centre.fits != []
    assert [before.model, after.model] == ["es before", "es"]
    for row, used in zip((before, after), run.models, strict=True):
        counts = used.questions
        assert (row.counts, row.put, row.asked, row.cached) == (
            "exact",
            counts.put,
            counts.asked,
            counts.cached,
        )
    Centre.fits.clear()
    assert [row.asked for row in made.plan(planned).rows] == [0, 0]
    assert Centre.fits == []


def test_a_plan_does_not_know_the_steps_of_a_transform(
    made: Engine, plugins: Plugins, monkeypatch: pytest.MonkeyPatch
) -> None:
    weat: type[Metric] = plugins.metrics.get("weat")
    measure = weat.measure

    def on_steps(self: Metric, model: Model, test: Any, context: Any) -> Finding:
        return [measure(self, step, test, context) for step in model.steps()][-1]

    monkeypatch.setattr(weat, "measure", on_steps)
    chain = {"name": "centre", "options": {"words": ("rose", "ant"), "parts": 3}}
    planned = audit({"name": "es", "ref": REF, "transforms": [chain]})
    (row,) = made.plan(planned).rows
    assert row.counts == "approximate"
    (used,) = made.run(planned).models
    assert row.asked == used.questions.asked
    assert row.put < used.questions.put
