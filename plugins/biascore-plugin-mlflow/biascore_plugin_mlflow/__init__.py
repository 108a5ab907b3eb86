"""Runs of biascore in MLflow: the command ``biascore mlflow``, and the form ``mlflow``, which shows what it logs."""

from biascore.api.commands import Command

LOG = Command(
    "mlflow", "Log a stored run to MLflow: a run for each model.", "biascore_plugin_mlflow.command:log"
)
