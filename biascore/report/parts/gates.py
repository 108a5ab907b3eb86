"""What the gates of an audit said of the run, and its scenarios with what was and was not tested."""

from __future__ import annotations

from biascore.audits.evaluating_scenarios import without_scenario
from biascore.report.parts.part import Part
from biascore.results.gates import GateOutcome
from biascore.results.run import Run


def gates(run: Run) -> Part | None:
    """Each gate with what keeps it from passing; nothing where there is none."""
    if not run.gates:
        return None
    values = {"gates": run.gates, "held": GateOutcome}
    return Part("gates", "Gates", "gates", values)


def scenarios(run: Run) -> Part | None:
    """Each scenario as it was stated, what speaks of it, what was not tested, and what it could see."""
    if not run.scenarios:
        return None
    values = {
        "scenarios": run.scenarios,
        "mappings": {one.name: one for one in run.mappings},
        "without": without_scenario(run.scenarios),
        "finished": run.provenance.finished,
    }
    return Part(
        "scenarios", "Scenarios: who may be harmed, and what was not tested", "scenarios", values, "Scenarios"
    )
