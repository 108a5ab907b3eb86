"""Every metric that ships keeps the contract of metrics, and no metric is missing here."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from biascore import Engine
from biascore.testing import NotAskedError
from biascore.testing.contract import check_all

from .metric_cases import CASES, contract_of

PLANTED = frozenset({"rises", "sign", "false positives"})
LONG = frozenset(
    {
        "characters", "crows-pairs-mixed", "discrim-eval", "fise", "gest-lm", "gg-fise", "lpbs", "lpbs, causal",
        "pairwise-distance",
        "robust-association", "sc-gg-weat", "seat",
    }
)  # fmt: skip
"""Whose single measurements take long, on any test that ships."""


def checked(engine: Engine, folder: Path, name: str, clauses: Iterable[str]) -> set[str]:
    """Check clauses of a case; the names of those that say nothing of it."""
    contract, wanted = contract_of(name, engine, folder), set(clauses)
    try:
        not_asked = check_all(clause for clause in contract.clauses() if clause.name in wanted)
    finally:
        contract.close()
    assert all(not_asked.values())
    return set(not_asked)


def every(engine: Engine, folder: Path, name: str) -> set[str]:
    return {clause.name for clause in contract_of(name, engine, folder).clauses()}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in CASES]
)
def test_a_metric_keeps_its_contract(engine: Engine, tmp_path: Path, name: str) -> None:
    clauses = every(engine, tmp_path, name) - PLANTED
    assert checked(engine, tmp_path, name, clauses) == CASES[name].not_asked - PLANTED


@pytest.mark.parametrize(
    "name",
    [
        name
        if name == "weat" or CASES[name].not_asked >= PLANTED
        else pytest.param(name, marks=pytest.mark.slow)
        for name in CASES
    ],
)
def test_a_metric_recovers_what_is_planted_and_keeps_its_level(
    engine: Engine, tmp_path: Path, name: str
) -> None:
    assert checked(engine, tmp_path, name, PLANTED) == CASES[name].not_asked & PLANTED


def test_no_metric_is_missing(engine: Engine) -> None:
    metrics = engine.plugins.metrics
    shipped = [metrics.get(name) for name in metrics.names]
    ours = [one for one in shipped if one.__module__.startswith("biascore_metrics.")]
    assert {name.partition(",")[0] for name in CASES} == {one.name for one in ours}
    assert {f"{one.name}, causal" for one in ours if one.causal} <= CASES.keys()


def test_what_cannot_be_asked_has_a_reason(engine: Engine, tmp_path: Path) -> None:
    contract = contract_of("weat-change", engine, tmp_path)
    (rises,) = (clause for clause in contract.clauses() if clause.name == "rises")
    with pytest.raises(NotAskedError, match="what it was before a transform, and a planted model has none"):
        rises()
    contract.close()
