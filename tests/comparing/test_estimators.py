"""Metrics declare how their estimates follow from their items: computed again, they are the same."""

from __future__ import annotations

import pytest

from biascore import Engine, compare
from biascore.results.estimates import Estimate
from biascore.results.measurement import Measurement

from ..metrics.planted_cases import CASES

SLOW = ("seat", "lpbs", "eec", "gest-lm", "robust-association")
DECLARED = ("weat", "crows-pairs", "crows-pairs, causal", "gest-mt", "gest-lm, causal", "sc-weat", *SLOW)


def declared(measurement: Measurement) -> list[Estimate]:
    return [estimate for estimate in measurement.estimates if estimate.estimator is not None]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in DECLARED]
)
def test_an_estimate_follows_from_the_items_as_declared(engine: Engine, name: str) -> None:
    case = CASES[name]
    old, new = (case.measure(engine, f"{case.test}={effect}", 1) for effect in (0.2, 1.0))
    assert declared(old)
    wanted = {"sc-weat": "mean lean of the words from the centre of control words"}
    assert name not in wanted or wanted[name] in {one.name for one in declared(old)}
    for one in declared(old):
        for estimate, of in ((one, old), (new.estimate(one.name), new)):
            assert estimate.estimator == one.estimator is not None
            assert one.estimator.value(of.items) == pytest.approx(estimate.value)


@pytest.mark.slow
def test_names_are_compared_by_name(engine: Engine) -> None:
    models = [engine.model(f"planted:en/eec={d}", name=name) for d, name in ((0.1, "old"), (1.0, "new"))]
    run = engine.measure("eec", models, "en/eec", emotions=["anger"], link="identity")
    found = {d.estimate: d for d in compare(run, models={"old": "new"})}
    assert len(found) == 3
    race = found["anger: African-American - European"]
    assert race.change.value == pytest.approx(race.new.value - race.old.value)  # type: ignore[operator]
    assert race.paired
    assert race.note.startswith("moved by +0.04") or race.outcome.value in ("increased", "changed sign")
    assert found["anger: female - male"].outcome.value in ("inconclusive", "unchanged")
