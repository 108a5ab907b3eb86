"""Caveats that no metric can give: the model does not give the same answers twice, or the texts are in another script."""

from __future__ import annotations

from collections.abc import Iterable

from biascore.basics.scripts import other_script
from biascore.basics.surface import either
from biascore.languages.names import language_name
from biascore.models.usage import ModelUsed, Repeated
from biascore.results.caveat import Caveat
from biascore.results.measurement import Measurement
from biascore.stimuli import Test


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


def with_script(found: Measurement, test: Test) -> Measurement:
    """The measurement, with a caveat where most texts of its test are in another script than the language's."""
    other = other_script((text for some in test.lists.values() for text in some.texts()), test.language)
    if other is None:
        return found
    language = language_name(test.language)
    caveat = Caveat(
        f"{other.others:,} of the {other.texts:,} texts of {test.id} are not written in {other.usual}, in which {language} "
        f"usually is, but in {other.script} or another script: the language may be another one than {test.language}, or the "
        "texts are transliterated, which models have seldom seen. Give the language that they are in, with its script where "
        f"that is not the usual one (such as {test.language}-Latn)",
        short=f"{other.others:,} of {other.texts:,} texts are in {other.script} and not in {other.usual}",
    )
    return found.model_copy(update={"caveats": (caveat, *found.caveats)})
