"""Re-derives the hashes of a stored run, so that a reader need not believe it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Literal

from biascore.engine import Engine
from biascore.errors import BiascoreError, RunError
from biascore.files import user_path
from biascore.frozen import Frozen
from biascore.run import ModelUsed, StimuliUsed, read_run
from biascore.run_files import RUN_FILE


class Check(Frozen):
    """One hash re-derived: it matches, differs, or could not be derived here."""

    what: str
    outcome: Literal["matches", "differs", "not here"]
    detail: str = ""


def verify_run(folder: str | Path, engine: Engine, *, models: bool = False) -> tuple[Check, ...]:
    """Check results and item tables, then the stimuli this engine knows and, with ``models``, the weights."""
    path = user_path(folder)
    if not (path / RUN_FILE).is_file():
        raise RunError(
            f"{path} is not a stored run: it has no {RUN_FILE}. Name a folder that biascore run wrote."
        )
    problems, run = read_run(path)
    checks = [
        Check(what="results and item tables", outcome="differs", detail=problem) for problem in problems
    ]
    if run is None:
        return tuple(checks)
    if not problems:
        checks.append(Check(what="results and item tables", outcome="matches", detail=run.results_digest()))
    checks += [_check_stimuli(used, engine) for used in run.stimuli]
    if models:
        checks += [_check_model(used, engine) for used in run.models]
    return tuple(checks)


def _check_stimuli(used: StimuliUsed, engine: Engine) -> Check:
    what = f"stimuli {used.file}"
    for file in engine.catalogue.files:
        # By what the file is called and holds, for the folder it lies in depends on who names it from where.
        if Path(file.display).parts[-2:] == Path(used.file).parts[-2:] and {t.id for t in file.tests} >= {
            *used.tests
        }:
            same = file.sha256 == used.sha256
            return Check(what=what, outcome="matches" if same else "differs", detail=file.sha256)
    data = user_path(used.file)
    if data.suffix == ".toml":
        return Check(what=what, outcome="not here", detail="give its folder with --stimuli")
    if not data.is_file():  # a data file, which is named by its path
        return Check(what=what, outcome="not here", detail="no such data file at this path")
    digest = hashlib.sha256(data.read_bytes()).hexdigest()
    return Check(what=what, outcome="matches" if digest == used.sha256 else "differs", detail=digest)


def _check_model(used: ModelUsed, engine: Engine) -> Check:
    what = f"model {used.name}"
    try:
        model = engine.model(used.ref, **used.explicit_options)
    except BiascoreError as error:
        return Check(what=what, outcome="not here", detail=str(error))
    same = model.identity.digest == used.digest
    model.close()
    return Check(what=what, outcome="matches" if same else "differs", detail=model.identity.digest)
