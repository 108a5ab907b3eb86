"""Texts that a model writes: prompts, settings, and what became of each; for adapters and metrics."""

from typing import TYPE_CHECKING

from biascore.basics.lazy import lazily

if TYPE_CHECKING:
    from biascore.models.questions.writing import Finish as Finish
    from biascore.models.questions.writing import Outcome as Outcome
    from biascore.models.questions.writing import Prompt as Prompt
    from biascore.models.questions.writing import Settings as Settings
    from biascore.models.questions.writing import Written as Written
    from biascore.models.questions.writing import as_written as as_written
    from biascore.models.questions.writing import unwritten as unwritten
    from biascore.planting.texts import PlantedText as PlantedText
else:
    __getattr__, __dir__ = lazily(__name__)
