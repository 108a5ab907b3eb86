"""The demo's controls make the point at first sight: what was planted is found, and where nothing was, it is negligible."""

from __future__ import annotations

import pytest

from biascore import Engine
from biascore.stats import Verdict


@pytest.mark.slow
def test_an_audit_finds_what_was_planted_and_nothing_else() -> None:
    engine = Engine(cache=None)
    audit = engine.audit("planted:gender=0", grounds=["gender"])
    controls = {"models": audit.models[1:], "measurements": audit.measurements[-1:]}
    run = engine.run(audit.model_copy(update=controls))
    found = {
        (one.model, one.test): (said.verdict, run.controls[one.model][one.test])
        for one, said in zip(run, run.verdicts, strict=True)
    }
    assert len(found) == 2
    assert set(found.values()) == {(Verdict.DETECTED, 0.8), (Verdict.NEGLIGIBLE, 0.0)}
