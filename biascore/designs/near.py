"""Words of a list that are nearly one to a model and that no family declares: fewer observations than they seem."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from biascore.designs.words import MAX_LOST_SHARE, Vectors
from biascore.results.caveat import Caveat, caveats_of
from biascore.stats import cosine_matrix
from biascore.stimuli import WordList

NEARLY: Final = 0.5
"""Words nearer than this part of the usual distance between two words of a test are near-duplicates ("pistol", "gun")."""


def near_duplicates(
    lists: Mapping[str, WordList], words: Mapping[str, Sequence[str]], vectors: Mapping[str, Vectors]
) -> tuple[Caveat, ...]:
    """Lists of which more than a fifth of the words nearly repeat others that are not declared to be of their family.

    They are exchanged and resampled one by one, so p-values and intervals take them for more observations than they are.
    """
    everything = np.concatenate([vectors[role] for role in lists])
    distances = 1.0 - cosine_matrix(everything, everything)  # half of the squared ones between unit vectors
    limit = NEARLY**2 * distances.sum() / (len(distances) * (len(distances) - 1))
    found, start = [], 0
    for role, given in lists.items():
        own, count = words[role], len(words[role])
        near = distances[start : start + count, start : start + count] <= limit
        family = [given.family_of(word) for word in own]
        start += count
        first: dict[int, int] = {}
        for place in range(count):
            others = (one for one in range(place) if near[place, one] and family[one] != family[place])
            one = next(others, None)
            if one is not None:
                first[place] = first.get(one, one)
        if len(first) > MAX_LOST_SHARE * count:
            groups = [
                [own[one], *(own[place] for place, of in first.items() if of == one)]
                for one in dict.fromkeys(first.values())
            ]
            found.append(
                f"{role}: {', '.join(' = '.join(group) for group in groups)} are nearly the same to this model, so its "
                f"{count} words are fewer observations, and p-values and intervals too good; declare them in a list of "
                f"yours as families = {json.dumps(groups, ensure_ascii=False)}"
            )
    return caveats_of(found, short="words of a list nearly repeat each other")
