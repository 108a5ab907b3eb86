"""Runs over time: to which line of releases a model belongs, and which test represents a ground in each run."""

from __future__ import annotations

from biascore.models.usage import ModelUsed
from biascore.results.leads import Lead, chosen_leads
from biascore.results.run import Run
from biascore.results.verdicts import Role


def lines_of(run: Run) -> dict[str, str]:
    """The line of each model in use, by name: that of the run, else the model's reference without its version.

    In a run of several models the line of the run is followed by the name of the model. Nothing is guessed from a reference
    but the revision that its adapter read there. In a run of controls alone these are the models.
    """
    measured = dict.fromkeys((*(m.model for m in run), *(f.model for f in run.failed)))
    names = [name for name in measured if name not in run.controls] or list(measured)
    if run.line:
        return {name: run.line if len(names) == 1 else f"{run.line}: {name}" for name in names}
    used = {model.name: model for model in run.models}
    lines = {name: _unversioned(used[name]) if name in used else name for name in names}
    every = list(lines.values())
    return {name: f"{line} ({name})" if every.count(line) > 1 else line for name, line in lines.items()}


def leads_of(run: Run) -> tuple[Lead, ...]:
    """The lead tests of the models in use, as the run states them; of runs stored before, by the same rule from what was
    measured."""
    if run.leads:
        return tuple(one for one in run.leads if one.model not in run.controls)
    return chosen_leads(
        (Lead(model=m.model, ground=m.concept, metric=m.metric, test=m.test), m.lead)
        for m, said in zip(run, run.verdicts, strict=True)
        if said.role in (Role.FINDING, Role.DESCRIPTION)
    )


def _unversioned(model: ModelUsed) -> str:
    """The reference without a revision that its adapter read there, and after which transforms the model is."""
    ref = model.ref.rpartition("@")[0] if model.revision is not None and "@" in model.ref else model.ref
    after = ", ".join(one.name for one in model.transforms)
    return f"{ref} after {after}" if after else ref
