"""``biascore attest``: a run as an in-toto statement, and whether one is of a run."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from biascore import Run
from biascore.archive.attest import PREDICATE, statement
from biascore.audits.evaluating_gates import evaluate
from biascore.audits.gates import Gate
from biascore.cli import codes
from biascore.cli.app import app
from biascore.errors import OptionsError

from ..builders.runs import MODELS, decided, model_used, run_of

PARTS = (
    *("harness", "finishedOn", "run", "models", "software"),
    *("passed", "gates", "results", "notMade", "notAsked"),
)
GATE = {"name": "release", "measurements": ["it/*"], "fail_on": "detected", "within": 0.8}


def two_models() -> Run:
    """A detected effect on one model, and an inconclusive one on another."""
    return run_of(decided(0.001, test="it/weat6"), decided(0.6, test="it/weat7", model=MODELS[1]))


def gated(run: Run) -> Run:
    """The run after this gate looked at it."""
    provenance = run.provenance.model_copy(
        update={"audit": {**run.provenance.audit, "gates": [GATE], "not_asked": ["it/left-out"]}}
    )
    gates = evaluate([Gate.model_validate(GATE)], run, Path())
    return run.model_copy(update={"gates": gates, "provenance": provenance})


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    return gated(two_models()).save(tmp_path / "run")


def attested(*arguments: str | Path, code: int = 0) -> str:
    done = CliRunner().invoke(app, [str(one) for one in arguments])
    assert done.exit_code == code, done.output
    return done.stdout


def outcomes(file: Path, run: Path, code: int) -> dict[str, str]:
    checks = json.loads(attested("verify", file, run, "--json", code=code))
    return {one["what"]: one["outcome"] for one in checks if one["what"].startswith("statement")}


def differing(made: dict[str, Any], run: Path, folder: Path) -> set[str]:
    file = folder / "changed.json"
    file.write_text(json.dumps(made), encoding="utf-8")
    found = outcomes(file, run, codes.DIFFERENT)
    return {what for what, outcome in found.items() if outcome != "matches"}


def test_a_statement_holds_what_the_run_does(stored: Path) -> None:
    made = json.loads(attested("attest", stored))
    run = Run.load(stored)
    assert (made["_type"], made["predicateType"]) == ("https://in-toto.io/Statement/v1", PREDICATE)
    *models, file = made["subject"]
    assert {one["name"]: one["digest"] for one in models} == {
        one.name: {"biascore-sha256": "ab" * 32} for one in run.models
    }
    assert file["digest"]["sha256"] == hashlib.sha256((stored / "run.json").read_bytes()).hexdigest()
    said = made["predicate"]
    assert sorted(said) == sorted(PARTS)
    assert said["run"]["resultsDigest"] == run.results_digest()
    assert [one["value"] for one in said["results"]] == [one.headline.value for one in run]
    assert [one["sampleSize"] for one in said["results"]] == [dict(one.headline.n) for one in run]
    assert [one["verdict"] for one in said["results"]] == [one.verdict for one in run.verdicts]
    assert [one["pAdjusted"] for one in said["results"]] == [one.p_adjusted for one in run.verdicts]
    (gate,) = said["gates"]
    assert gate["threshold"] == {"measurements": ["it/*"], "fail_on": "detected", "within": 0.8}
    assert (said["passed"], gate["passed"]) == (False, run.gates[0].passed)
    passed = [one["passed"] for one in gate["checks"]]
    assert passed.count(False) == len(run.gates[0].failing) > 0
    assert said["notAsked"] == ["it/left-out"]


def test_the_same_run_gives_the_same_bytes_and_without_gates_nothing_passed(
    stored: Path, tmp_path: Path
) -> None:
    assert attested("attest", stored) == attested("attest", stored)
    plain = two_models().save(tmp_path / "plain")
    assert statement(plain)["predicate"]["passed"] is None


def test_verify_compares_a_statement_with_its_run(stored: Path, tmp_path: Path) -> None:
    file = tmp_path / "statement.json"
    attested("attest", stored, "--out", file)
    found = outcomes(file, stored, codes.NOT_VERIFIED)  # its stimuli are not here
    assert set(found.values()) == {"matches"}
    assert {"statement: subject", "statement: gates", "statement: results"} <= set(found)


def _of(value: Any) -> Any:
    """Another value of the same kind, as somebody may write it who wants a better one."""
    match value:
        case bool():
            return not value
        case str():
            return f"{value} and better"
        case int() | float():
            return value + 1
        case dict():
            name = next(iter(value))
            return {**value, name: _of(value[name])}
        case list():
            return value[1:]
        case _:
            return "stated"


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("how", [_of, None])
def test_each_part_that_was_changed_or_left_out_differs(
    part: str, how: Callable[[Any], Any] | None, stored: Path, tmp_path: Path
) -> None:
    made = statement(stored)
    if how is None:
        made["predicate"].pop(part)
    else:
        made["predicate"][part] = how(made["predicate"][part]) if made["predicate"][part] else ["stated"]
    assert differing(made, stored, tmp_path) == {f"statement: {part}"}


@pytest.mark.parametrize(
    ("change", "part"),
    [
        (lambda made: made["subject"].pop(0), "subject"),
        (lambda made: made["subject"][-1]["digest"].update(sha256="0" * 64), "subject"),
        (lambda made: made["predicate"].update(fair=True), "fair"),
        (lambda made: made["predicate"]["results"][0]["sampleSize"].update(X=80), "results"),
        (lambda made: made["predicate"]["gates"][0]["threshold"].update(within=9), "gates"),
        (lambda made: made["predicate"]["run"].update(resultsDigest="sha256:0"), "run"),
        (lambda made: made["predicate"]["software"]["digest"].update(sha256="0" * 64), "software"),
    ],
)
def test_what_an_issuer_could_want_to_change_differs(
    change: Callable[[dict[str, Any]], object], part: str, stored: Path, tmp_path: Path
) -> None:
    made = statement(stored)
    change(made)
    assert differing(made, stored, tmp_path) == {f"statement: {part}"}


def test_without_a_predicate_all_of_it_differs(stored: Path, tmp_path: Path) -> None:
    made = statement(stored)
    parts = {f"statement: {name}" for name in made.pop("predicate")}
    assert differing(made, stored, tmp_path) == parts


def test_the_software_is_named_by_the_digest_of_what_the_run_gives(stored: Path, tmp_path: Path) -> None:
    file = tmp_path / "software.cdx.json"
    attested("report", stored, "--format", "cyclonedx", "--out", file)
    named = statement(stored)["predicate"]["software"]
    assert named["digest"] == {"sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
    assert named["mediaType"] == "application/vnd.cyclonedx+json"


@pytest.mark.parametrize("wrapped", ["envelope", "bundle"])
def test_a_signed_statement_is_read_too(wrapped: str, stored: Path, tmp_path: Path) -> None:
    envelope: dict[str, Any] = {
        "payloadType": "application/vnd.in-toto+json",
        "payload": base64.b64encode(json.dumps(statement(stored)).encode()).decode(),
        "signatures": [],
    }
    file = tmp_path / "signed.json"
    file.write_text(json.dumps(envelope if wrapped == "envelope" else {"dsseEnvelope": envelope}))
    assert set(outcomes(file, stored, codes.NOT_VERIFIED).values()) == {"matches"}


@pytest.mark.parametrize(
    "text", ["[]", "{}", "no JSON", '{"payload": "é"}', '{"payload": 5}', '{"dsseEnvelope": 1}']
)
def test_what_is_no_statement_is_an_error(text: str, stored: Path, tmp_path: Path) -> None:
    file = tmp_path / "other.json"
    file.write_text(text, encoding="utf-8")
    done = CliRunner().invoke(app, ["verify", str(file), str(stored)])
    assert "is no statement of" in str(done.exception)


def test_a_run_that_was_changed_has_no_statement_and_matches_none(stored: Path, tmp_path: Path) -> None:
    file = tmp_path / "statement.json"
    attested("attest", stored, "--out", file)
    text = (stored / "run.json").read_text(encoding="utf-8")
    (stored / "run.json").write_text(text.replace('"title": "', '"title": "A '), encoding="utf-8")
    assert outcomes(file, stored, codes.DIFFERENT) == {"statement": "not here"}
    assert "verify" in str(CliRunner().invoke(app, ["attest", str(stored)]).exception)


def test_models_without_a_digest_and_controls_alone_are_no_subject(tmp_path: Path) -> None:
    one = decided(0.01)
    service = model_used(one.model).model_copy(update={"digest": "service:host gpt"})
    with pytest.raises(OptionsError, match="over a network"):
        statement(run_of(one, models=[service]).save(tmp_path / "service"))
    control = model_used(one.model, control={one.test: 1.0})
    with pytest.raises(OptionsError, match="only control models"):
        statement(run_of(one, models=[control]).save(tmp_path / "control"))
    after = model_used(one.model).model_copy(update={"digest": f"blake2b:{'cd' * 32}+leace:12"})
    made = statement(run_of(one, models=[after]).save(tmp_path / "after"))
    assert made["subject"][0]["digest"] == {"biascore-blake2b": "cd" * 32}
    assert made["predicate"]["models"][0]["digest"].endswith("+leace:12")
