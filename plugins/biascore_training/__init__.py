"""Counterfactual data augmentation: a corpus with the words of pairs swapped, on which a model is trained further."""

from biascore.api.commands import Command

MITIGATE = Command(
    "mitigate",
    "Train a copy of a masked model on a corpus with gender swapped; an interrupted training resumes.",
    "biascore_training.command:mitigate_command",
    resumes=True,
)
