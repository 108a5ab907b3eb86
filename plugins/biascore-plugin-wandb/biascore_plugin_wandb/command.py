"""``biascore wandb``: a stored run as runs of Weights & Biases, one for each model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from biascore import Run
from biascore.api.commands import say
from biascore.api.exporters import tracked, tracked_files
from biascore.errors import OptionsError
from biascore_plugin_wandb.form import logged


def log(
    run_folder: Annotated[Path, typer.Argument(help="The folder of a stored run.", metavar="RUN")],
    project: Annotated[str, typer.Option(help="The project.", metavar="NAME")] = "biascore",
    entity: Annotated[
        str | None, typer.Option(help="Whose project. Default: WANDB_ENTITY, or your own.", metavar="NAME")
    ] = None,
    run_name: Annotated[
        str | None,
        typer.Option(help="What the run is called; of several models, before their names.", metavar="NAME"),
    ] = None,
    offline: Annotated[
        bool, typer.Option("--offline", help="Write to the folder wandb, which wandb sync sends later.")
    ] = False,
) -> None:
    """Log a stored run to Weights & Biases: a run for each model."""
    run = Run.load(run_folder)
    every = tracked(run)
    if not every:
        raise OptionsError(f"{run_folder} holds no measurement, so there is nothing to log. Name another run")
    files = tracked_files(run_folder, run)
    import wandb

    # Nothing but what the form shows: no command line, output, code, repository or machine of whoever logs.
    settings = wandb.Settings(
        console="off",
        disable_code=True,
        disable_git=True,
        disable_job_creation=True,
        silent=True,
        x_disable_machine_info=True,
        x_disable_meta=True,
        x_disable_stats=True,
    )
    try:
        for one in every:
            found = logged(run, one)
            if run_name is not None:
                found["name"] = f"{run_name} {one.model}" if len(every) > 1 else run_name
            summary, mode = found.pop("summary"), "offline" if offline else None
            with wandb.init(project=project, entity=entity, mode=mode, settings=settings, **found) as new:
                new.summary.update(summary)
                kept = wandb.Artifact(f"run-{new.id}", type="biascore-run")
                for file in files:
                    kept.add_file(str(file))
                new.log_artifact(kept)
            say(f"{one.model}: run {new.id} of project {project}{' (offline)' * offline}")
    except wandb.Error as error:
        why = f"Weights & Biases refuses: {error}"
        raise OptionsError(
            f"{why}. Log in (wandb login), name another --project, or add --offline"
        ) from error
