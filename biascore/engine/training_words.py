"""Words that a transform was learnt from and that are measured after it: counted, with a caution."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from biascore.basics.wording import listed
from biascore.models.model import Model
from biascore.results.caveat import Caveat
from biascore.results.measurement import Measurement
from biascore.stimuli import Origin, PairList, Test, WordList

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
