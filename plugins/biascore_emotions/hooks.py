"""The command ``train-scorer``, in a module of its own that imports nothing of it."""

from __future__ import annotations

from collections.abc import Callable

from biascore.api.commands import Command, hookimpl


@hookimpl
def register_commands(register: Callable[[Command], None]) -> None:
    """Register ``biascore train-scorer``."""
    register(
        Command(
            "train-scorer",
            "Train a regressor for each emotion of a labelled file; the folder is a model: scorer:FOLDER.",
            "biascore_emotions.command:train_scorer_command",
        )
    )
