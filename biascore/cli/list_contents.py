"""A list of stimuli as ``--json`` shows it."""

from __future__ import annotations

from biascore.stimuli import Stimuli


def list_json(one: Stimuli) -> dict[str, object]:
    """Everything a list holds."""
    doubtful = [{"printed": d.printed, "proposed": d.proposed, "note": d.note} for d in one.doubtful]
    return {"name": one.name, **one.entries(), "notes": list(one.notes), "doubtful": doubtful}
