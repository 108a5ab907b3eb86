"""A run as trackers take it: what has no value has no number, names stay apart, and states say what was not measured."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from biascore.api.exporters import tracked, tracked_files
from biascore.audits.evaluating_gates import evaluate
from biascore.audits.gates import Gate
from biascore.results.failure import Failure
from biascore.results.run_files import REPORT_MARK

from ..builders.runs import MODELS, decided, hostile_run, model_used, run_of


def test_each_measurement_has_its_numbers_and_its_state() -> None:
    run = run_of(decided(0.001, test="it/weat6"), decided(0.6, test="it/weat7"))
    (found,) = tracked(run)
    for name, measurement, said in zip(("it/weat6", "it/weat7"), run, run.verdicts, strict=True):
        head = measurement.headline
        assert head.interval is not None
        expected = {
            "effect": head.value,
            "low": head.interval.low,
            "high": head.interval.high,
            "p": measurement.p_value,
            "p_adjusted": said.p_adjusted,
            **{f"n/{what}": count for what, count in head.n.items()},
        }
        prefix = f"made/{name}/"
        assert {
            key.removeprefix(prefix): value for key, value in found.numbers.items() if key.startswith(prefix)
        } == expected
        assert found.settings[f"{prefix}unit"].startswith(f"{head.name} ({head.unit}), no bias is 0")
    assert found.states == {"made/it/weat6": "detected", "made/it/weat7": "inconclusive"}
    model = run.models[0]
    assert (found.settings["model"], found.settings["digest"]) == (model.name, model.digest)
    assert found.settings["results_digest"] == run.results_digest()


def test_what_was_not_measured_is_a_state_and_no_number() -> None:
    failure = Failure(metric="weat", test="it/w9", model="m", kind="answering", error="E", message="x")
    run = run_of(decided(0.4, value=None), audit={"not_asked": ["it/left"]})
    (found,) = tracked(run.model_copy(update={"failed": (failure,)}))
    name = "made/en/weat6"
    assert found.states == {name: "not measured", "weat/it/w9": "failed", "it/left": "not asked"}
    assert list(found.numbers) == [f"{name}/n/X"]


def test_a_gate_is_a_state_of_the_models_that_it_looks_at() -> None:
    run = run_of(decided(0.001), decided(0.6, model=MODELS[1]))
    (test,) = {one.test for one in run}
    gates = [
        Gate.model_validate({"name": name, "measurements": [test], "fail_on": "detected", **more})
        for name, more in (("all of it", {}), ("one", {"models": [MODELS[1]], "inconclusive": "pass"}))
    ]
    first, second = tracked(run.model_copy(update={"gates": evaluate(gates, run, Path())}))
    assert first.states["gate/all-of-it"] == "failed"
    assert "gate/one" not in first.states
    assert (second.states["gate/all-of-it"], second.states["gate/one"]) == ("passed with a warning", "passed")


def test_controls_stand_alone_only_and_say_what_they_are() -> None:
    one, other = decided(0.001), decided(0.001, model=MODELS[1])
    known = model_used(MODELS[1], control={other.test: 1.0})
    assert [found.model for found in tracked(run_of(one, other, models=[model_used("m"), known]))] == ["m"]
    (alone,) = tracked(run_of(other, models=[known]))
    assert alone.settings["control"] == "a model with a known bias"
    assert set(alone.states.values()) == {"detected (control)"}


def test_names_are_what_trackers_take_and_no_two_are_the_same() -> None:
    for found in tracked(hostile_run()):
        for name in (*found.numbers, *found.settings, *found.states):
            assert all(part.strip(".") for part in name.split("/")), name
            assert re.fullmatch(r"[\w./-]+", name)
    twice = run_of(decided(0.001), decided(0.6), decided(0.6, test="../it//weat 6"))
    (found,) = tracked(twice)
    test = twice[0].test
    assert list(found.states) == [f"made/{test}", f"made/{test}.2", "made/_/it/_/weat-6"]
    assert found.numbers[f"made/{test}/p"] != found.numbers[f"made/{test}.2/p"]


@pytest.mark.parametrize("place", ["run/report.html", "run.html", "named.html"])
def test_the_report_goes_along_and_no_other_file_that_a_run_names(place: str, tmp_path: Path) -> None:
    run = run_of(decided(0.001)).model_copy(update={"report_path": "../named.html"})
    folder = run.save(tmp_path / "run")
    page = tmp_path / place
    page.write_text("somebody's key", encoding="utf-8")
    assert tracked_files(folder, run) == (folder / "run.json",)
    page.write_bytes(REPORT_MARK + run.results_digest().encode())
    assert [one.resolve() for one in tracked_files(folder, run)] == [folder / "run.json", page]
