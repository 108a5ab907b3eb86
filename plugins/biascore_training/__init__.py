"""Counterfactual data augmentation: a corpus with the words of pairs swapped, on which a model is trained further."""

from __future__ import annotations

from collections.abc import Callable

from biascore.api.commands import Command, hookimpl


@hookimpl
def register_commands(register: Callable[[Command], None]) -> None:
    """Register ``biascore mitigate``."""
    register(
        Command(
            "mitigate",
            "Train a copy of a masked model on a corpus with gender swapped; an interrupted training resumes.",
            "biascore_training.command:mitigate_command",
            resumes=True,
        )
    )
