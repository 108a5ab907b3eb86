"""Diagnostics of biascore itself; each looks at the scores of a design, and any plugin may register another one."""

from __future__ import annotations

from typing import Any, Final

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


DIAGNOSTICS: Final[tuple[Diagnostic, ...]] = (WordFrequency(), NearDuplicates())


def diagnose(model: Model, test: Test, scores: Any, context: Context, *, few: bool = False) -> Diagnosis:
    """What all diagnostics that read these scores say together; ``few``: they are too few to be measured."""
    found = [
        one.diagnose(model, test, scores, context)
        for one in (*DIAGNOSTICS, *context.diagnostics)
        if isinstance(scores, one.reads) and (one.few or not few)
    ]
    return Diagnosis(
        tuple(caveat for one in found for caveat in one.caveats),
        tuple(estimate for one in found for estimate in one.estimates),
        {name: value for one in found for name, value in one.stated.items()},
    )
