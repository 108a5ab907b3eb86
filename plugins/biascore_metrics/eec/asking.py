"""Which outputs of a model are emotions of the test, and their scores of sentences, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.errors import AnswerError, CapabilityError
from biascore.plugins_api import EquityTest, Model, listed
from biascore_metrics.eec.options import EecOptions

ALIASES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {"joy": ("happiness",), "happiness": ("joy",)}
)
"""Other names of an emotion, taken where the model has no output of its own name."""


def quantities_of(model: Model, test: EquityTest, options: EecOptions) -> dict[str, str]:
    """The output of the model for each emotion that is measured.

    Of a model that does not list its outputs every emotion of the test. Raises CapabilityError where the model lacks an
    emotion that the options name, or has none of the test.
    """
    held = model.identity.quantities
    wanted = options.emotions or test.emotions
    found = {emotion: _output(emotion, held, options) for emotion in wanted}
    known = {emotion: output for emotion, output in found.items() if output}
    if not known or (options.emotions and len(known) < len(wanted)):
        lacking = [emotion for emotion in wanted if emotion not in known]
        meant = f'quantities={{"{lacking[0]}" = "{held[0]}"}}'
        raise CapabilityError(
            f"{model.name} has no output for {listed(lacking)}; its outputs are: {listed(list(held))}. Say which one is "
            f"meant, as in -o '{meant}', or choose other emotions with the option "
            "emotions"
        )
    return known


def _output(emotion: str, held: Sequence[str], options: EecOptions) -> str:
    if emotion in options.quantities:
        meant = options.quantities[emotion]
        return meant if not held or meant in held else ""
    if not held:
        return emotion
    by_folded = {name.casefold(): name for name in reversed(held)}
    candidates = [emotion, *ALIASES.get(emotion.casefold(), ())]
    exact = [name for name in candidates[:1] if name in held]
    return next(iter(exact + [by_folded[c.casefold()] for c in candidates if c.casefold() in by_folded]), "")


def scores_of(
    model: Model, sentences: Sequence[str], emotion: str, quantity: str, options: EecOptions
) -> npt.NDArray[np.float64]:
    """The scores (n,) of an emotion; raises AnswerError where the regressions asked for have no place for them."""
    scores = model.score(sentences, quantity)
    others = "leave the emotion out with the option emotions"
    if float(np.ptp(scores)) == 0.0:
        raise AnswerError(
            f"{model.name} gives all {scores.size} sentences the score {scores[0]:g} for {emotion}, so there is nothing to "
            f"compare. Check that it reads its input, or {others}"
        )
    if options.link == "identity":
        return scores
    outside = (scores < 0.0) | (scores > 1.0)
    if outside.any():
        worst = scores[int(np.argmax(np.abs(scores - 0.5)))]
        raise AnswerError(
            f"{model.name}: {np.count_nonzero(outside)} of {scores.size} scores for {emotion} are outside [0, 1], the "
            f"farthest {worst:g}, and a Beta regression has no place for them. Rescale them, or fit least squares alone: "
            "-o link=identity"
        )
    ends = [int(np.count_nonzero(scores == end)) for end in (0.0, 1.0)]
    if any(ends) and not options.squeeze:
        raise AnswerError(
            f"{model.name}: {ends[0]} of {scores.size} scores for {emotion} are exactly 0 and {ends[1]} exactly 1, where a "
            "Beta regression has no likelihood. Move all scores to (y (n - 1) + 1/2) / n with -o squeeze=true, or fit "
            "least squares alone: -o link=identity"
        )
    return scores
