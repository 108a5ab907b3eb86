"""Runs of biascore in Weights & Biases: the command ``biascore wandb``, and the form ``wandb``, which shows what it logs."""

from biascore.api.commands import Command

LOG = Command(
    "wandb",
    "Log a stored run to Weights & Biases: a run for each model.",
    "biascore_plugin_wandb.command:log",
)
