"""Models that do not give the same answers twice: what that means for a measurement."""

from __future__ import annotations

from collections.abc import Iterable

from biascore.basics.surface import either
from biascore.models.usage import ModelUsed, Repeated
from biascore.results.caveat import Caveat
from biascore.results.measurement import Measurement


def with_deviations(found: Measurement, models: Iterable[ModelUsed]) -> Measurement:
    """The measurement, with a caveat for each of the models it was made on that is not deterministic."""
    caveats = tuple(_caveat(model.name, one) for model in models for one in model.deviations)
    return found.model_copy(update={"caveats": (*caveats, *found.caveats)}) if caveats else found


def _caveat(model: str, found: Repeated) -> Caveat:
    if found.problem:
        return Caveat(
            f"whether {model} is deterministic is not known: asked {found.questions} of its questions again, it failed "
            f"({found.problem})",
            verdict=False,
        )
    largest = "" if found.largest is None else f" (largest deviation {found.largest:.2g})"
    what = f"asked {found.questions} of its questions again ({found.hook}), it gave {found.differing} other answers{largest}"
    if found.in_last_digits:
        return Caveat(
            f"{model} is not deterministic in the last digits: {what}. Those of this result differ from run to run",
            verdict=False,
        )
    return Caveat(
        f"{model} is not deterministic: {what}. This result is one of several that it gives: have it answer without "
        f"sampling and dropout, or measure it several times ({either('--no-cache', 'cache=None')})",
        short="the model is not deterministic",
    )
