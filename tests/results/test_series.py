"""Lines, releases and lead tests of a run: stated, derived, and stored so that digests of before stay."""

from __future__ import annotations

import json
from pathlib import Path

from biascore import Engine, Run
from biascore.audits.audit import Audit
from biascore.results.hashes import content_hash
from biascore.results.leads import Lead
from biascore.results.series import leads_of, lines_of

from ..builders.releases import paired, release, used

FAST = {"resamples": 200, "draws": 500, "reference": "none"}


def test_a_run_without_line_release_and_leads_is_stored_as_before(tmp_path: Path) -> None:
    run = release(paired("gender", 0.4), month=0)
    run.save(tmp_path / "run")
    body = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    assert not {"line", "release", "leads", "report_path"} & body.keys()
    stated = run.model_copy(update={"line": "chat", "release": "2", "report_path": "../page.html"})
    assert stated.results_digest() == run.results_digest() == body["results_digest"]
    stated.save(tmp_path / "stated")
    again = Run.load(tmp_path / "stated")
    assert (again.line, again.release, again.report_path) == ("chat", "2", "../page.html")
    body.pop("content_sha256")
    assert content_hash(body) == run.to_json()["content_sha256"]


def test_the_default_line_is_the_reference_without_the_revision_that_its_adapter_read() -> None:
    def line(ref: str, revision: str | None = None) -> str:
        return lines_of(release(paired("gender", 0.4), month=0, models=[used(ref=ref, revision=revision)]))[
            "m"
        ]

    assert line("hf:a/b@v2", "v2") == "hf:a/b"
    assert line("hf:a/b", "0f3c") == "hf:a/b"
    assert line("fasttext:/models/@me/v2.bin") == "fasttext:/models/@me/v2.bin"


def test_the_line_of_a_run_of_several_models_is_followed_by_their_names() -> None:
    some = [paired("gender", 0.4, model=name) for name in ("a", "b", "c")]
    models = [used("a"), used("b"), used("c", control={"en/gender": 1.0})]
    assert lines_of(release(*some, month=0, models=models, line="ours")) == {"a": "ours: a", "b": "ours: b"}
    twins = [used("a", ref="hf:x"), used("b", ref="hf:x"), models[2]]
    assert lines_of(release(*some, month=0, models=twins)) == {"a": "hf:x (a)", "b": "hf:x (b)"}


def test_leads_of_a_run_of_before_follow_from_flags_and_else_from_the_order() -> None:
    some = [
        paired("gender", 2.0, test="en/first"),
        paired("gender", 0.1, test="en/flagged", lead=True),
        paired("race", 0.1, test="en/r1"),
        paired("race", 3.0, test="en/r2"),
    ]
    assert [(one.ground, one.test) for one in leads_of(release(*some, month=0))] == [
        ("gender", "en/flagged"),
        ("race", "en/r1"),
    ]


def test_an_audit_states_line_and_release_and_its_run_the_lead_tests(engine: Engine) -> None:
    audit = Audit.from_parts(
        title="T",
        models=[{"ref": "planted:gender=1", "name": "p"}],
        measurements=[{"metric": "weat", "tests": ["en/weat7", "en/weat8"], "options": FAST}],
    ).of_release("ours", "2026-11")
    assert 'line = "ours"\nrelease = "2026-11"\n' in audit.to_toml()
    run = engine.run(audit)
    assert (run.line, run.release, run.leads) == ("ours", "2026-11", ())  # of a control there is none
    plain = engine.run(audit.of_release("", ""))
    assert plain.results_digest() == run.results_digest()
    assert Lead(model="m", ground="g", metric="weat", test="t").model_dump() == {
        "model": "m", "ground": "g", "metric": "weat", "test": "t",
    }  # fmt: skip
