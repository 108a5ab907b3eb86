"""GEST from English to Spanish on Apertium, a rule-based engine that writes the masculine: end to end, for real."""

from __future__ import annotations

from pathlib import Path

import pytest

from biascore import Engine
from biascore.stats import Verdict

requests = pytest.importorskip("requests", reason="needs biascore[mt]")


@pytest.mark.slow
def test_own_samples_come_out_in_the_masculine(apertium: str) -> None:
    run = Engine(cache=None).measure("gest-mt", f"apertium:{apertium}", "en/gest_own", target="es")
    (got,) = run
    items = got.items_frame()
    found = items[items["value"].notna()]
    assert len(found) >= 10
    assert found["value"].mean() > 0.9
    assert got.subject == "English to Spanish"
    assert any("less than 70%" in warning for warning in got.warnings)  # Spanish verbs rarely have a gender
    assert got.headline.value is None  # of two stereotypes no sample shows a gender
    assert got.first is not None
    assert got.first.name == "pooled masculine share"
    assert got.first.value > 0.9
    assert got.first.interval.low > 0.5


@pytest.mark.slow
def test_the_documented_audit_ends_in_a_masculine_default(apertium: str) -> None:
    engine = Engine(cache=None)
    run = engine.run(engine.audit(f"apertium:{apertium}", to="es"))
    found = {(one.test, one.subject): one for one in run}
    for test in ("en/gest_own", "en/audit-occupations"):
        default = found[test, "English to Spanish, masculine default"]
        assert default.verdict is Verdict.DETECTED
        assert default.headline.value > 0.9
    stated = found["en/audit-stated", "English to Spanish, stated gender"]
    assert stated.verdict is Verdict.DETECTED
    assert stated.headline.value < -0.9


@pytest.mark.slow
def test_gest_is_masculine_throughout_whatever_the_stereotype(apertium: str, shared_data: Path) -> None:
    engine = Engine(cache=None)
    gest = engine.data("gest", shared_data / "gest" / "gest.csv.gz", language="en")
    (got,) = engine.measure("gest-mt", f"apertium:{apertium}", gest, target="es")
    assert got.estimate("raw global masculine rate f_m").value > 0.97
    # Spanish verbs rarely have a gender, so more than half of the samples say nothing: the test is not measured.
    assert got.headline.value is None
    assert got.reason.startswith("It was not measured")
    assert abs(got.estimate("raw stereotype rate f_s, of what is left").value) < 0.02
    # With some 16 gendered sentences a stereotype the Agresti-Coull centre draws f_m towards one half.
    assert got.estimate("global masculine rate f_m").value > 0.85
