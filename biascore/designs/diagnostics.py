"""The diagnostics of crossed scores: word frequency, and words that are nearly one to a model though no family says so."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from biascore.basics.wording import MAX_LISTED
from biascore.designs.crossed import Crossed
from biascore.designs.frequency import Frequency
from biascore.designs.words import BLOCK, MAX_LOST_SHARE, Vectors
from biascore.metric import Context, Diagnosis, Diagnostic
from biascore.models.model import Model
from biascore.results.caveat import Caveat, caveats_of
from biascore.stats.association import unit_rows
from biascore.stimuli import Test, WordList

NEARLY: Final = 0.5
"""Words nearer than this part of the usual distance between two words of a test are near-duplicates ("pistol", "gun")."""


def near_duplicates(
    lists: Mapping[str, WordList], words: Mapping[str, Sequence[str]], vectors: Mapping[str, Vectors]
) -> tuple[Caveat, ...]:
    """Lists of which more than a fifth of the words nearly repeat others that are not declared to be of their family.

    They are exchanged and resampled one by one, so p-values and intervals take them for more observations than they are.
    """
    everything = unit_rows(np.concatenate([vectors[role] for role in lists]))
    # Half of the squared distances between unit vectors: of all pairs, from the length of their sum.
    count = len(everything)
    limit = NEARLY**2 * (count**2 - float((everything.sum(axis=0) ** 2).sum())) / (count * (count - 1))
    found, start = [], 0
    for role, given in lists.items():
        own, count = words[role], len(words[role])
        rows = everything[start : start + count]
        numbers: dict[object, int] = {}
        family = np.array([numbers.setdefault(name, len(numbers)) for name in given.families_of(own)])
        start += count
        first: dict[int, int] = {}
        for begin in range(0, count, BLOCK):
            block = slice(begin, min(begin + BLOCK, count))
            near = 1.0 - rows[block] @ rows[: block.stop].T <= limit
            near &= family[block, None] != family[: block.stop]
            near &= np.arange(block.stop) < np.arange(begin, block.stop)[:, None]
            for row in np.flatnonzero(near.any(axis=1)).tolist():
                one = int(near[row].argmax())
                first[begin + row] = first.get(one, one)
        if len(first) > MAX_LOST_SHARE * count:
            groups = [
                [own[one], *(own[place] for place, of in first.items() if of == one)]
                for one in dict.fromkeys(first.values())
            ]
            shown = ", ".join(" = ".join(group) for group in groups[:MAX_LISTED])
            shown += f" and {len(groups) - MAX_LISTED:,} more groups" * (len(groups) > MAX_LISTED)
            found.append(
                f"{role}: {shown} are nearly the same to this model, so its "
                f"{count} words are fewer observations, and p-values and intervals too good; declare them in a list of "
                f"yours as families = {json.dumps(groups[:MAX_LISTED], ensure_ascii=False)}"
            )
    return caveats_of(found, short="words of a list nearly repeat each other")


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
