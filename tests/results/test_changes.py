"""What a transform changed is no bias that was found: changes are a family of their own, and counted apart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from biascore import Run
from biascore.cli.results import print_run
from biascore.results.verdicts import Role, run_verdicts
from biascore.stats import Adjustment, Verdict

from ..builders.runs import decided, run_of


def test_a_change_is_adjusted_and_counted_apart_from_findings() -> None:
    some = [decided(0.04), decided(0.04, change_from="raw"), decided(0.9, change_from="raw")]
    said = run_verdicts(some, (), Adjustment.HOLM)
    assert [one.role for one in said] == [Role.FINDING, Role.CHANGE, Role.CHANGE]
    assert [one.tests for one in said] == [1, 2, 2]
    assert [one.verdict for one in said] == [Verdict.DETECTED, Verdict.INCONCLUSIVE, Verdict.INCONCLUSIVE]
    assert said[1].shown == "hint (change)"
    assert said[2].shown == "inconclusive (change)"


def test_what_tests_nothing_is_no_inconclusive_finding() -> None:
    some = [decided(0.04), decided(None, verdict=Verdict.INCONCLUSIVE, alpha=None, describes=True)]
    said = run_verdicts(some, (), Adjustment.HOLM)
    assert [one.role for one in said] == [Role.FINDING, Role.DESCRIPTION]
    assert said[1].note == "description"
    change = decided(None, verdict=Verdict.INCONCLUSIVE, alpha=None, describes=True, change_from="raw")
    assert [one.role for one in run_verdicts([change], (), Adjustment.HOLM)] == [Role.DESCRIPTION]
    assert [one.role for one in run_verdicts([change], [change.model], Adjustment.HOLM)] == [Role.DESCRIPTION]


def test_a_description_has_no_verdict_where_it_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    run = run_of(decided(None, verdict=Verdict.INCONCLUSIVE, alpha=None, describes=True))
    print_run(run)
    table = capsys.readouterr().out.partition("p-values are adjusted")[0]
    assert "Descriptions (nothing is tested)" in table
    assert "inconclusive" not in table
    pytest.importorskip("altair", reason="needs biascore[report]")
    from biascore.report.page import render

    page = render(run)
    assert 'class="badge inconclusive"' not in page.partition('id="results"')[2]
    assert "<small>description</small>" in page


def test_a_change_is_stored_and_what_is_none_keeps_its_bytes(tmp_path: Path) -> None:
    one = decided(0.04)
    assert "change_from" not in one.model_dump()
    assert not {"change_from", "describes"} & json.loads(one.model_dump_json()).keys()
    run = run_of(one, decided(0.04, change_from="raw"))
    run.save(tmp_path / "run")
    assert [measurement.change_from for measurement in Run.load(tmp_path / "run")] == ["", "raw"]
