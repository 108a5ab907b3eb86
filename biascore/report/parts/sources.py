"""What the run was made of, and how to make it again: models, stimuli, provenance, audit."""

from __future__ import annotations

from pydantic import ValidationError

from biascore.audits.audit import Audit
from biascore.files.toml import dumps
from biascore.report.parts.part import Part
from biascore.results.run import Run


def models(run: Run) -> Part:
    """The models as they were opened."""
    return Part("models", "Models", "models", {"run": run})


def stimuli(run: Run) -> Part:
    """The files that the tests came from."""
    return Part("stimuli", "Stimuli", "stimuli", {"run": run})


def provenance(run: Run) -> Part:
    """Where, when and with what."""
    return Part("provenance", "Provenance", "provenance", {"made": run.provenance, "run": run})


def again(run: Run) -> Part:
    """How to cite the results, and the audit file that gives them again."""
    values = {"run": run, "made": run.provenance, "digest": run.results_digest(), "audit": _audit(run)}
    return Part("again", "Cite and repeat", "again", values)


def _audit(run: Run) -> str:
    """The audit as a TOML file, or empty where what was asked is none, or one that only Python can hold."""
    try:
        audit = Audit.model_validate(run.provenance.audit)
        told = audit.model_dump(mode="json", exclude_defaults=True)
        # In the order of a file, and with what decides results even where it is the default.
        entries = {"title": audit.title, "seed": audit.seed, "adjust": audit.adjust.value} | told
        return dumps(entries)
    except (TypeError, ValidationError):
        return ""
