"""A run as an object: nothing in it can be changed, and what it shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import ValidationError

from biascore import Audit, Engine, Run
from biascore.basics.frozen import Frozen
from biascore.results.estimates import format_p

from .conftest import QUICK, TESTS


def frozen_values(run: Run) -> Iterator[Frozen]:
    yield run
    yield run[0]
    yield run[0].headline
    yield run[0].headline.p_values[0]
    yield run[0].coverage
    yield run.models[0]
    yield run.provenance
    yield run.stimuli[0]


def test_no_attribute_can_be_changed(run: Run) -> None:
    for value in frozen_values(run):
        for name in type(value).model_fields:
            with pytest.raises(ValidationError, match="frozen"):
                setattr(value, name, getattr(value, name))
        with pytest.raises(ValidationError):
            value.anything = 1  # type: ignore[attr-defined]


def test_no_mapping_and_no_list_can_be_changed(engine: Engine, run: Run) -> None:
    for mapping in (run[0].conventions, run[0].headline.n, run[0].coverage.given, run.models[0].options):
        with pytest.raises(TypeError):
            mapping["new"] = 1  # type: ignore[index]
    models = [{"ref": "planted:gender=1", "options": {"seed": 1}}]
    measurements = [{"metric": "weat", "tests": TESTS, "options": QUICK}]
    audit = Audit.from_parts(title="t", models=models, measurements=measurements)
    stored = engine.run(audit).provenance.audit
    with pytest.raises(TypeError):
        stored["models"][0]["ref"] = "another"
    with pytest.raises(TypeError):
        stored["models"][0]["options"]["seed"] = 2
    with pytest.raises(AttributeError):
        stored["measurements"][0]["tests"].append("en/weat8")


def test_changing_what_was_given_changes_nothing(engine: Engine) -> None:
    parts: dict[str, Any] = {"ref": "planted:gender=1", "options": {"seed": 1}}
    audit = Audit.from_parts(title="t", models=[parts], measurements=[{"metric": "weat", "tests": TESTS}])
    parts["options"]["seed"] = 2
    assert audit.models[0].options == {"seed": 1}


def test_unknown_keys_and_nan_are_refused(run: Run) -> None:
    body = run[0].model_dump()
    for change_to in ({"extra": 1}, {"seed": float("nan")}):
        with pytest.raises(ValidationError):
            type(run[0]).model_validate({**body, **change_to})


def test_repr_is_readable(run: Run) -> None:
    text = repr(run)
    assert text.startswith("<Run 'weat on planted:gender=0.8': 2 measurement(s) on 1 model(s)>\n  <weat")
    assert str(run) == text
    assert len(text.splitlines()) == 3
    headline = run[0].headline
    value, low, high = headline.texts()
    assert f"effect size d = {value} [{low}, {high}], p = " in text
    assert f"(adjusted {format_p(run.verdicts[0].p_adjusted or 0.0)}) -> " in text


def test_a_run_is_a_sequence(run: Run) -> None:
    assert [m.test for m in run] == TESTS
    assert len(run) == 2
    assert run[-1] is run.measurements[1]


def test_to_frame(run: Run) -> None:
    frame = run.to_frame()
    assert len(frame) == sum(len(m.estimates) for m in run)
    columns = {
        "model",
        "metric",
        "test",
        "estimate",
        "value",
        "unit",
        "ci_low",
        "ci_high",
        "p_value",
        "verdict",
        "verdict_alone",
        "family",
        "adjustment",
    }
    assert columns | {"p_adjusted", "n_X", "n_Y"} <= set(frame.columns)
    headlines = frame[frame["verdict"].notna()]
    assert headlines["test"].tolist() == TESTS
    assert headlines["value"].tolist() == [m.headline.value for m in run]
    # Holm over two p-values, by hand: the smaller doubled, and the larger not below that.
    p = [m.p_value for m in run]
    low, high = sorted(p)
    expected = {low: min(2 * low, 1.0), high: min(max(2 * low, high), 1.0)}
    assert headlines["p_adjusted"].tolist() == pytest.approx([expected[value] for value in p])
    assert frame[frame["verdict"].isna()]["p_adjusted"].isna().all()
    assert set(headlines["family"]) == {"control planted:gender=0.8"}
