"""The command ``train-scorer``, in a module of its own that imports nothing of it."""

from biascore.api.commands import Command

TRAIN_SCORER = Command(
    "train-scorer",
    "Train a regressor for each emotion of a labelled file; the folder is a model: scorer:FOLDER.",
    "biascore_emotions.command:train_scorer_command",
)
