"""A stored run as an in-toto Statement (v1), unsigned: which model, which tests, which gates, and what they came to.

A field is named as in the draft predicate for evaluation results of in-toto/attestation where it has one (``harness``,
``metric``, ``threshold``, ``passed``, ``sampleSize``). What that draft lets an issuer claim of itself, such as an assurance
level, is left out: a run does not show it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from biascore.archive.check import Check
from biascore.audits.gates import Gate, named
from biascore.comparing.two_runs import loaded
from biascore.errors import OptionsError, RunError
from biascore.exporting.cyclonedx import MEDIA_TYPE, SOFTWARE_FILE, bill_of_materials
from biascore.files.paths import user_path
from biascore.files.reading import parse_json, read_bytes
from biascore.models.usage import DIGEST, ModelUsed
from biascore.results.gates import GateCheck, GateResult
from biascore.results.left_out import not_asked
from biascore.results.measurement import Measurement
from biascore.results.run import Run
from biascore.results.run_files import RUN_FILE
from biascore.results.verdicts import RunVerdict

STATEMENT: Final = "https://in-toto.io/Statement/v1"
PREDICATE: Final = "urn:biascore:attestation:bias-audit:v1"


def statement(place: str | Path) -> dict[str, Any]:
    """What is attested of the run in this folder; the same for the same run.

    Its subjects are the models in use, controls aside, by the digests that biascore makes of their weights, and the file
    ``run.json``. Raises RunError for what is no whole run, OptionsError for one of models that have no digest.
    """
    run = loaded(user_path(place))
    folder = user_path(place)
    file = read_bytes(folder / RUN_FILE if folder.is_dir() else folder, RUN_FILE, RunError)
    models = [one for one in run.models if one.control is None]
    if not models:
        raise OptionsError(
            "only control models were measured, so there is nothing to attest. Run an audit of a model in use"
        )
    return {
        "_type": STATEMENT,
        "subject": [
            *(_subject(one) for one in models),
            {"name": RUN_FILE, "digest": {"sha256": hashlib.sha256(file).hexdigest()}},
        ],
        "predicateType": PREDICATE,
        "predicate": _predicate(run, [one.name for one in models]),
    }


def written(found: dict[str, Any]) -> str:
    """A statement as its file holds it."""
    return json.dumps(found, ensure_ascii=False, indent=1) + "\n"


def _subject(model: ModelUsed) -> dict[str, Any]:
    parts = DIGEST.fullmatch(model.digest)
    if parts is None:
        raise OptionsError(
            f"{model.name} has no digest of weights ({model.digest}), as it is asked over a network: a statement names what "
            "it is about by its digest. Pass on the run instead: biascore bundle RUN"
        )
    # Not by the bare name of the algorithm: it may be over several files, or a sample of one.
    return {"name": model.name, "digest": {f"biascore-{parts[1]}": parts[2]}}


def _predicate(run: Run, models: list[str]) -> dict[str, Any]:
    pairs = [(m, said) for m, said in zip(run, run.verdicts, strict=True) if m.model in models]
    stated = dict(named(Gate.model_validate(dict(one)) for one in run.provenance.audit.get("gates", ())))
    return {
        "harness": {"name": "biascore", "version": run.provenance.biascore_version},
        "finishedOn": datetime.fromtimestamp(run.provenance.finished, UTC).isoformat(timespec="seconds"),
        "run": {
            "title": run.title,
            "line": run.line,
            "release": run.release,
            "resultsDigest": run.results_digest(),
            "seed": run.provenance.seed,
            "adjustment": run.adjustment.value,
        },
        "models": [
            {
                "name": one.name,
                "ref": one.ref,
                "revision": one.revision,
                "digest": one.digest,
                "transforms": [transform.name for transform in one.transforms],
            }
            for one in run.models
            if one.name in models
        ],
        "software": {
            "name": SOFTWARE_FILE,
            "mediaType": MEDIA_TYPE,
            "digest": {"sha256": hashlib.sha256(bill_of_materials(run).encode()).hexdigest()},
        },
        "passed": all(one.passed for one in run.gates) if run.gates else None,
        "gates": [_gate(one, stated.get(one.name)) for one in run.gates],
        "results": [_result(*pair) for pair in pairs],
        "notMade": [
            {"model": one.model, "metric": one.metric, "test": one.test, "reason": one.message}
            for one in run.failed
            if one.model in models
        ],
        "notAsked": list(not_asked(run)),
    }


def _gate(found: GateResult, stated: Gate | None) -> dict[str, Any]:
    threshold = {} if stated is None else stated.model_dump(mode="json", exclude_defaults=True)
    threshold.pop("name", None)
    return {
        "name": found.name,
        "passed": found.passed,
        "warned": found.warned,
        "threshold": threshold,
        "criteria": list(found.criteria),
        "inconclusive": found.inconclusive,
        "notMeasured": found.not_measured,
        "problem": found.problem,
        "baseRun": found.base or None,
        "checks": [_check(one, found) for one in found.checks],
    }


def _check(check: GateCheck, gate: GateResult) -> dict[str, Any]:
    return {
        "model": check.model,
        "metric": check.metric,
        "variant": check.variant,
        "subject": check.subject,
        "test": check.test,
        "criterion": check.criterion,
        "held": check.held.value,
        "passed": check not in gate.failing,
        "reason": check.reason,
    }


def _result(measurement: Measurement, said: RunVerdict) -> dict[str, Any]:
    head = measurement.headline
    interval = head.interval
    return {
        "model": measurement.model,
        "metric": measurement.metric,
        "variant": measurement.variant,
        "subject": measurement.subject,
        "test": measurement.test,
        "role": said.role.value,
        "estimate": head.name,
        "value": head.value,
        "unit": head.unit,
        "neutral": head.neutral,
        "interval": interval and {"low": interval.low, "high": interval.high, "level": interval.level},
        "pValue": measurement.p_value,
        "pAdjusted": said.p_adjusted,
        "alpha": measurement.alpha,
        "bound": measurement.equivalence and measurement.equivalence.bound,
        "verdict": said.verdict.value,
        "hint": said.hint,
        "sampleSize": dict(head.n),
    }


def statement_checks(file: Path, run: Path) -> Iterator[Check]:
    """Each part of a statement compared with what its run gives; no signature is looked at.

    ``file`` may be the statement, its DSSE envelope or a Sigstore bundle. Raises RunError for what is none of them.
    """
    given = _read(file)
    try:
        own = statement(run)
    except RunError as error:
        yield Check(what="statement", outcome="not here", detail=str(error))
        return
    parts = {"subject": (given.get("subject"), own["subject"])}
    predicate = given.get("predicate")
    theirs = predicate if isinstance(predicate, dict) else {}
    for name in dict.fromkeys([*own["predicate"], *theirs]):
        parts[name] = (theirs.get(name), own["predicate"].get(name))
    for name, (stated, derived) in parts.items():
        same = stated == derived
        detail = "" if same else f"from the run it is {json.dumps(derived, ensure_ascii=False)[:200]}"
        yield Check(what=f"statement: {name}", outcome="matches" if same else "differs", detail=detail)


def _read(file: Path) -> dict[str, Any]:
    problem = (
        f"{file} is no statement of {PREDICATE}. Name a file that biascore attest wrote, or cosign signed"
    )
    try:
        found = parse_json(read_bytes(user_path(file), str(file), RunError).decode("utf-8"))
        if isinstance(found, dict):
            found = found.get("dsseEnvelope", found)
        if isinstance(found, dict) and "payload" in found:
            found = parse_json(base64.b64decode(found["payload"], validate=True).decode("utf-8"))
    except (ValueError, TypeError, binascii.Error) as error:
        raise RunError(f"{problem} ({error})") from error
    if not isinstance(found, dict) or (found.get("_type"), found.get("predicateType")) != (
        STATEMENT,
        PREDICATE,
    ):
        raise RunError(problem)
    return found
