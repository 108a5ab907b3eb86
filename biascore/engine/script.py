"""Texts of a test in another script than its language is usually written in: counted, with a caveat."""

from __future__ import annotations

from biascore.basics.scripts import other_script
from biascore.languages.names import language_name
from biascore.results.caveat import Caveat
from biascore.results.measurement import Measurement
from biascore.stimuli import Test


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
