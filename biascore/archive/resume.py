"""A run of which a part failed, and the same command again: it goes on, and loses nothing that it had."""

from __future__ import annotations

from pathlib import Path

from biascore.audits.audit import Audit
from biascore.basics.surface import either
from biascore.basics.wording import some_of
from biascore.errors import RunError
from biascore.results.run import Run, read_run


def unfinished(folder: Path, audit: Audit) -> Run | None:
    """The run in ``folder``, if a part of it failed and it measured what ``audit`` does.

    The models may have other references: that is how what failed is fixed.
    """
    if not folder.is_dir():
        return None
    problems, run = read_run(folder)
    if run is None or problems or not run.failed:
        return None
    stored, wanted = run.provenance.audit, audit.model_dump(mode="json")
    same = run.title == audit.title and all(
        _plain(stored.get(key)) == _plain(wanted[key]) for key in ("seed", "measurements")
    )
    return run if same else None


def check_keeps(run: Run, earlier: Run) -> None:
    """Raise RunError where ``run`` lacks what ``earlier`` had measured, and so must not take its place."""
    made = {(m.metric, m.variant, m.subject, m.test, m.model) for m in run}
    lost = [m for m in earlier if (m.metric, m.variant, m.subject, m.test, m.model) not in made]
    if lost:
        names = some_of([f"{m.metric} {m.test} on {m.model}" for m in lost])
        raise RunError(
            f"the run was not saved, for the one that is there has what failed now ({names}). Run the same again, "
            f"or save this one elsewhere{either(' with --out', '')}"
        )


def _plain(value: object) -> object:
    """Mappings and sequences as dicts and lists, whichever they were."""
    if hasattr(value, "items"):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
