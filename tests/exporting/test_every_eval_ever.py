"""A run as records of Every Eval Ever: what its schema asks, and scores whose lower ones are truly better."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from biascore.exporting.forms import exported
from biascore.plugins.loading import Plugins
from biascore.results.run import Run

from ..builders.runs import decided, run_of, typical_run

NONE = Plugins([])


@pytest.fixture(scope="module")
def run() -> Run:
    return typical_run()


def test_every_eval_ever_holds_what_its_schema_asks(run: Run) -> None:
    """What the schema requires, in words of ours: required keys, types, closed vocabularies, and its rule of score types."""
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    texts = {"type": "object", "additionalProperties": {"type": "string"}}

    def table(required: str, **properties: object) -> dict[str, object]:
        return {"type": "object", "required": required.split(), "properties": properties}

    text_, number = {"type": "string"}, {"type": "number"}
    interval = table("lower upper", lower=number, upper=number, confidence_level=number, method=text_)
    score = table("score", score=number, details=texts, uncertainty=table("", confidence_interval=interval))
    # A type of score that is not given is "levels" to a validator: an absent property breaks no rule.
    by_type = {
        "if": {"properties": {"score_type": {"const": "levels"}}},
        "then": {"required": ["level_names", "has_unknown_level"]},
        "else": {
            "if": {"properties": {"score_type": {"const": "continuous"}}},
            "then": {"required": ["min_score", "max_score"]},
        },
    }
    config = table("lower_is_better", lower_is_better={"type": "boolean"}, additional_details=texts)
    data = table("dataset_name source_type", source_type={"const": "other"}, additional_details=texts)
    result = table(
        "evaluation_name source_data metric_config score_details",
        evaluation_name=text_, source_data=data, metric_config=config | by_type, score_details=score,
    )  # fmt: skip
    source = table(
        "source_type source_organization_name evaluator_relationship",
        source_type={"enum": ["documentation", "evaluation_run"]},
        evaluator_relationship={"enum": ["first_party", "third_party", "collaborative", "other"]},
    )
    about = table(
        "deployment_type model_availability",
        deployment_type={"enum": ["self_deployed", "externally_managed", "unknown"]},
        model_availability={"enum": ["open_weights", "closed_weights", "unknown"]},
    )
    model = table("name id additional_details", name=text_, id=text_, additional_details={**about, **texts})
    keys = "schema_version evaluation_id retrieved_timestamp source_metadata model_info eval_library evaluation_results"
    schema = table(
        keys, schema_version=text_, evaluation_id=text_, retrieved_timestamp=text_, evaluation_timestamp=text_,
        source_metadata=source, model_info=model,
        eval_library=table("name version", name=text_, version=text_),
        evaluation_results={"type": "array", "items": result},
    ) | {"additionalProperties": False}  # fmt: skip
    found = exported(run, "every-eval-ever", NONE)
    assert found
    for one in found:
        record = json.loads(one.text)
        jsonschema.Draft7Validator(schema).validate(record)
        assert float(record["retrieved_timestamp"]) == run.provenance.finished
        assert re.fullmatch(r"[\w.-]+/[\w.-]+", record["model_info"]["id"])
        for made in record["evaluation_results"]:
            assert made["metric_config"]["max_score"] == "Infinity"
            ends = made["score_details"]["uncertainty"]["confidence_interval"]
            assert ends["lower"] <= made["score_details"]["score"] <= ends["upper"]


def test_the_score_is_the_distance_to_no_bias() -> None:
    near, far = (
        decided(0.5, test=f"en/{name}", value=value, ends=(value - 0.3, value + 0.2))
        for name, value in (("near", 0.1), ("far", -1.0))
    )
    (made,) = exported(run_of(near, far), "every-eval-ever", NONE)
    found = {
        one["source_data"]["dataset_name"]: one["score_details"]
        for one in json.loads(made.text)["evaluation_results"]
    }
    assert (found["en/near"]["score"], found["en/far"]["score"]) == pytest.approx((0.1, 1.0))
    assert float(found["en/far"]["details"]["effect"]) == pytest.approx(-1.0)
    intervals = {test: one["uncertainty"]["confidence_interval"] for test, one in found.items()}
    assert (intervals["en/near"]["lower"], intervals["en/near"]["upper"]) == pytest.approx((0.0, 0.3))
    assert (intervals["en/far"]["lower"], intervals["en/far"]["upper"]) == pytest.approx((0.8, 1.3))


@pytest.mark.slow
def test_the_schema_of_the_package_accepts_it(run: Run, tmp_path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    package = ["every-eval-ever==0.3.0", "--no-deps", "--python-version", "3.12", "--only-binary=:all:"]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "-d", tmp_path, *package],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"every-eval-ever cannot be fetched: {done.stderr.strip()[-200:]}")
    (wheel,) = tmp_path.glob("*.whl")
    schema = json.loads(zipfile.ZipFile(wheel).read("every_eval_ever/schemas/eval.schema.json"))
    assert schema["version"] == "0.3.0"
    made = exported(run, "every-eval-ever", NONE)
    assert made
    for one in made:
        jsonschema.Draft7Validator(schema).validate(json.loads(one.text))
