"""Caveats that no metric can give: a model that is not deterministic, texts in another script, words learnt from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from biascore.basics.scripts import other_script
from biascore.basics.surface import either
from biascore.basics.wording import listed
from biascore.languages.names import language_name
from biascore.models.model import Model
from biascore.models.usage import ModelUsed, Repeated
from biascore.results.caveat import Caveat
from biascore.results.measurement import Measurement
from biascore.stimuli import Origin, PairList, Test, WordList


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


SHOWN = 5
"""So many of the words are named."""


def with_taught(found: Measurement, model: Model, origins: Iterable[Origin]) -> Measurement:
    """The measurement, with a caution where its words are among those that a transform of the model was learnt from.

    ``origins`` are the test and those that the metric reads in addition. Of their words, and of the items, those count whose
    vectors the metric asked for; all of them, where it asks for whole sentences.
    """
    if not model.transforms:
        return found
    lost = {_folded(word.word) for word in found.coverage.missing}
    asked = {_folded(text) for text in model.transforms[-1].asked}
    taught = {_folded(word) for one in model.transforms for word in one.taught_by}
    lists = [(name, {_folded(word): word for word in words}) for name, words in _lists(found, origins)]
    if any(asked & words.keys() for _, words in lists):
        lists = [(name, {key: word for key, word in words.items() if key in asked}) for name, words in lists]
    names: list[str] = []
    measured: set[str] = set()
    shared: dict[str, str] = {}
    for name, words in lists:
        own = words.keys() - lost - measured
        if own & taught:
            names.append(name)
            measured |= own
            shared |= {key: word for key, word in words.items() if key in own & taught}
    if not shared:
        return found
    count = f"{len(shared)} of the {len(measured)} words"
    caveat = Caveat(
        f"{count} of {' and '.join(names)} are words that {model.after} was learnt from: "
        f"{listed([*shared.values()], SHOWN)}. What is measured on them says little of other words: learn the transform "
        "from other words",
        short=f"{count} are those that the transform was learnt from",
    )
    return found.model_copy(update={"caveats": (caveat, *found.caveats)})


def _lists(found: Measurement, origins: Iterable[Origin]) -> Iterator[tuple[str, Iterable[str]]]:
    for number, test in enumerate(one for one in origins if isinstance(one, Test)):
        for role, some in test.lists.items():
            name = f"{test.id}, {role}" if number else role
            if isinstance(some, WordList):
                yield name, some.words
            elif isinstance(some, PairList):
                yield name, (word for pair in some.pairs for word in pair)
    items = [text for text in found.items["item"].to_pylist() if text]
    yield "the items", (word for text in items for word in (text, *text.split()))


def _folded(word: str) -> str:
    return word.casefold()
