"""``biascore mlflow``: a stored run as runs of MLflow, one for each model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from biascore import Run
from biascore.api.commands import say
from biascore.api.exporters import Tracked, tracked, tracked_files
from biascore.errors import OptionsError
from biascore_plugin_mlflow.form import batch

if TYPE_CHECKING:
    from mlflow import MlflowClient

_MOST: Final = 100
"""Params and tags that a server takes at once; of metrics it takes ten times as many."""


def log(
    run_folder: Annotated[Path, typer.Argument(help="The folder of a stored run.", metavar="RUN")],
    tracking_uri: Annotated[
        str | None, typer.Option(help="Where MLflow keeps runs. Default: MLFLOW_TRACKING_URI.", metavar="URI")
    ] = None,
    experiment: Annotated[
        str, typer.Option(help="The experiment, which is made where there is none.", metavar="NAME")
    ] = "biascore",
    run_name: Annotated[
        str | None,
        typer.Option(help="What the run is called; of several models, before their names.", metavar="NAME"),
    ] = None,
) -> None:
    """Log a stored run to MLflow: a run for each model."""
    run = Run.load(run_folder)
    every = tracked(run)
    if not every:
        raise OptionsError(f"{run_folder} holds no measurement, so there is nothing to log. Name another run")
    files = tracked_files(run_folder, run)
    from mlflow import MlflowClient
    from mlflow.exceptions import MlflowException

    try:
        client = MlflowClient(tracking_uri=tracking_uri)
        found = client.get_experiment_by_name(experiment)
        place = found.experiment_id if found else client.create_experiment(experiment)
        for one in every:
            own = one.model if run_name is None else f"{run_name} {one.model}" if len(every) > 1 else run_name
            id = _logged(client, place, own, run, one, files)
            say(f"{one.model}: run {id} of experiment {experiment}")
    except MlflowException as error:
        raise OptionsError(f"MLflow refuses: {error}. Name another --tracking-uri or --experiment") from error


def _logged(
    client: MlflowClient, experiment: str, name: str, run: Run, one: Tracked, files: Sequence[Path]
) -> str:
    """The id of the new run, which has failed where an exception left it incomplete."""
    from mlflow.entities import Metric, Param, RunTag

    began, ended = (int(1000 * when) for when in (run.provenance.started, run.provenance.finished))
    id = str(client.create_run(experiment, start_time=began, run_name=name).info.run_id)
    content = batch(run, one)
    metrics = [Metric(**own) for own in content["metrics"]]
    params = [Param(**own) for own in content["params"]]
    tags = [RunTag(**own) for own in content["tags"]]
    try:
        for at in range(0, max(map(len, (metrics, params, tags))), _MOST):
            part = slice(at, at + _MOST)
            client.log_batch(id, metrics[part], params[part])
            client.log_batch(id, tags=tags[part])
        for file in files:
            client.log_artifact(id, str(file))
    except BaseException:
        client.set_terminated(id, "FAILED")
        raise
    client.set_terminated(id, "FINISHED", ended)
    return id
