"""Which outputs of a model are emotions of the test, and their scores of sentences, checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from biascore.api.adapters import Model, find_output
from biascore.api.support import listed
from biascore.errors import AnswerError, CapabilityError
from biascore_metrics.eec.options import EecOptions
from biascore_metrics.eec.sentences import EquityTest


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
            f"meant, as in -o '{meant}'{without(lacking, wanted) if known else ''}"
        )
    return known


def _output(emotion: str, held: Sequence[str], options: EecOptions) -> str:
    if emotion in options.quantities:
        meant = options.quantities[emotion]
        return meant if not held or meant in held else ""
    if not held:
        return emotion
    return find_output(emotion, held) or ""


def scores_of(
    model: Model, sentences: Sequence[str], emotion: str, quantities: Mapping[str, str], options: EecOptions
) -> npt.NDArray[np.float64]:
    """The scores (n,) of an emotion; raises AnswerError where the regressions asked for have no place for them.

    ``quantities``: the output of the model for each emotion that is measured.
    """
    scores = model.score(sentences, quantities[emotion])
    if float(np.ptp(scores)) == 0.0:
        raise AnswerError(
            f"{model.name} gives all {scores.size} sentences the score {scores[0]:g} for {emotion}, so there is nothing to "
            f"compare. Check that it reads its input{without([emotion], quantities)}"
        )
    if options.link == "identity":
        return scores
    outside = (scores < 0.0) | (scores > 1.0)
    if outside.any():
        worst = scores[int(np.argmax(np.abs(scores - 0.5)))]
        raise AnswerError(
            f"{model.name}: {np.count_nonzero(outside)} of {scores.size} scores for {emotion} are outside [0, 1], the "
            f"farthest {worst:g}, and a Beta regression has no place for them. Leave it out (least squares and "
            "Welch's t, which decides, are the same without it): -o link=identity"
        )
    ends = [int(np.count_nonzero(scores == end)) for end in (0.0, 1.0)]
    if any(ends) and not options.squeeze:
        raise AnswerError(
            f"{model.name}: {ends[0]} of {scores.size} scores for {emotion} are exactly 0 and {ends[1]} exactly 1, where a "
            "Beta regression has no likelihood. Move all scores to (y (n - 1) + 1/2) / n with -o squeeze=true, or fit "
            "least squares alone: -o link=identity"
        )
    return scores


def without(left: Sequence[str], emotions: Iterable[str]) -> str:
    """How some emotions are left out, as the end of a sentence; "" where there are no others."""
    others = ", ".join(f'"{other}"' for other in emotions if other not in left)
    return f", or measure the others: -o 'emotions=[{others}]'" if others else ""
