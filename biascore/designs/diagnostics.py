"""Diagnostics of crossed scores; any plugin may register another one."""

from __future__ import annotations

from typing import Final

from biascore.designs.crossed import Crossed
from biascore.designs.frequency import Frequency
from biascore.designs.near import near_duplicates
from biascore.metric import Context, Diagnosis, Diagnostic
from biascore.models.model import Model
from biascore.stimuli import Test


class WordFrequency(Diagnostic):
    """Whether the lists differ in word frequency."""

    name = "word-frequency"
    summary = "lists that differ in word frequency"
    reads = (Crossed,)
    few = True

    def diagnose(self, model: Model, test: Test, scores: Crossed, context: Context) -> Diagnosis:
        """A caveat where both pairs of lists differ, and the means of each list."""
        found = Frequency.of(model, scores.words, scores.vectors if scores.norms else None)
        return Diagnosis(found.both(), stated=found.stated())


class NearDuplicates(Diagnostic):
    """Whether words of a list are nearly one to the model."""

    name = "near-duplicates"
    summary = "words of a list that nearly repeat each other"
    reads = (Crossed,)

    def diagnose(self, model: Model, test: Test, scores: Crossed, context: Context) -> Diagnosis:
        """A caveat for each list of which more than a fifth are."""
        if scores.vectors is None:
            return Diagnosis()
        return Diagnosis(near_duplicates(test.roles, scores.words, scores.vectors))


CROSSED: Final[tuple[Diagnostic, ...]] = (WordFrequency(), NearDuplicates())
