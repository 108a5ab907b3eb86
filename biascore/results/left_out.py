"""The tests that the design of an audit leaves out of a run."""

from __future__ import annotations

from biascore.basics.wording import counted
from biascore.results.run import Run


def not_asked(run: Run) -> tuple[str, ...]:
    """Their ids, as the audit states them, without what was measured all the same."""
    met = {one.test for one in run.measurements} | {one.test for one in run.failed}
    return tuple(id for id in run.provenance.audit.get("not_asked", ()) if id not in met)


def not_asked_line(run: Run) -> str:
    """How many there are, and of which design, or an empty text."""
    out = len(not_asked(run))
    return (
        f"{counted(out, 'test')} left out by the design {run.provenance.audit.get('design')}" if out else ""
    )
