"""Planted associations: sentences of the declared tests of kind ``associations``, recognised by their templates.

The log-probability of a hidden attribute word, less that with the target hidden too, is +-d/2 for the first and the second
group of the test and 0 for others, plus a normal deviate with sd 1, in nats; with an opposite of the targets the other
way round, so that the difference is d whichever of them are measured. Every token hidden alone has one
log-probability over a whole sentence, -2 plus a tenth of a deviate, so that perplexities differ little.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Final

from biascore.api.planting import FLOOR, Sentence, deviate
from biascore.api.planting import Part as PlantedPart
from biascore.api.queries import Masked, Span
from biascore.api.stimuli import Test
from biascore_metrics.robust.items import ATTRIBUTE, TARGET, AssociationsTest, Part

ALONE: Final = -2.0
"""Log-probability of a token that is hidden alone, in nats, on average."""
SPREAD: Final = 0.1
_A, _T = "\0", "\1"


@dataclass(frozen=True, slots=True)
class Associated:
    """A sentence of a planted test: the places of attribute and target, and the mean of its association in nats."""

    test: str
    attribute: Span
    target: Span
    mean: float


@dataclass(slots=True)
class Associations(PlantedPart):
    """What is planted in tests of associations, by what is left of their sentences without attribute and target."""

    carries = "mask_logprob of the attribute word, and of every token one at a time"
    _frames: dict[str, set[str]] = field(default_factory=dict)
    _means: dict[tuple[str, str], float] = field(default_factory=dict)
    _targets: dict[str, dict[str, int]] = field(default_factory=dict)
    _attributes_pattern: re.Pattern[str] | None = None
    _targets_pattern: re.Pattern[str] | None = None

    def plant(self, test: Test, effect: float, seed: int) -> None:
        """Plant a test; a sentence of several tests carries the effect of the first by its id."""
        assert isinstance(test, AssociationsTest)
        for place, group in enumerate(test.groups):
            mean = (effect / 2, -effect / 2, 0.0)[min(place, 2)]
            for templates in test.templates:
                for sentence in templates.sentences:
                    for word in dict.fromkeys(group.words):
                        self._plant_frames(test, test.parts(sentence, group.name, word), mean)
        for sign, words in ((1, test.targets.words), (-1, test.opposites.words if test.opposites else ())):
            for word in words:
                self._targets.setdefault(_written(word), {}).setdefault(test.id, sign)
        attributes = {form for form, _ in self._means}
        self._attributes_pattern, self._targets_pattern = _pattern(attributes), _pattern(self._targets)

    def refused(self, text: str) -> Sentence | None:
        """A sentence of a planted test."""
        found = self.within(text)
        return None if found is None else self.sentence(text, found.test, "associations", found.mean)

    def within(self, text: str) -> Associated | None:
        """What a text carries that is a sentence of a planted test, in whatever letter case."""
        if self._attributes_pattern is None or self._targets_pattern is None:
            return None
        lower = text.lower()
        if len(lower) != len(text):
            return None
        for target in _matches(self._targets_pattern, lower):
            for attribute in _matches(self._attributes_pattern, lower):
                found = self._found(lower, attribute, target)
                if found is not None:
                    return found
        return None

    def logprobs(self, query: Masked, asked: int, seed: int) -> list[float] | None:
        """The log-probabilities of the asked tokens, None for a question that is none of these."""
        found = self.within(query.text)
        if found is None:
            return None
        text = query.text.lower()
        if query.one_at_a_time:
            return [ALONE + SPREAD * deviate(seed, "perplexity", text)] * asked
        if query.spans != (found.attribute,):
            return None
        hidden = any(start <= found.target[0] and found.target[1] <= end for start, end in query.also)
        total = FLOOR if hidden else FLOOR + found.mean + deviate(seed, "association", text)
        return [total / asked] * asked

    def told(self) -> list[str]:
        frames = [f"{frame}\t{sorted(tests)}" for frame, tests in sorted(self._frames.items())]
        means = [f"{form}\t{test}\t{mean}" for (form, test), mean in sorted(self._means.items())]
        targets = [f"{word}\t{sorted(signs.items())}" for word, signs in sorted(self._targets.items())]
        return [*frames, *means, *targets]

    def _plant_frames(self, test: AssociationsTest, parts: tuple[Part, ...], mean: float) -> None:
        (attribute,) = (part.text.lower() for part in parts if part.slot == ATTRIBUTE)
        self._means.setdefault((attribute, test.id), mean)
        slots = list(dict.fromkeys(part.slot for part in parts if part.slot in test.choices))
        for words in product(*(test.choices[slot] for slot in slots)):
            stands = {ATTRIBUTE: _A, TARGET: _T, **dict(zip(slots, words, strict=True))}
            frame = "".join(stands.get(part.slot, part.text) for part in parts).lower()
            self._frames.setdefault(frame, set()).add(test.id)

    def _found(self, text: str, attribute: Span, target: Span) -> Associated | None:
        (first, one), (second, other) = sorted([(attribute, _A), (target, _T)])
        if first[1] > second[0]:
            return None
        frame = text[: first[0]] + one + text[first[1] : second[0]] + other + text[second[1] :]
        signs = self._targets[text[slice(*target)]]
        tests = self._frames.get(frame, set()) & signs.keys()
        form = text[slice(*attribute)]
        known = sorted(test for test in tests if (form, test) in self._means)
        if not known:
            return None
        return Associated(known[0], attribute, target, signs[known[0]] * self._means[form, known[0]])


def _written(word: str) -> str:
    return word.replace("_", " ").lower()


def _pattern(words: Iterable[str]) -> re.Pattern[str]:
    """Any of the words, wherever it starts: a word may stand within another."""
    longest = sorted(words, key=lambda word: (-len(word), word))
    return re.compile(rf"(?<!\w)(?=({'|'.join(map(re.escape, longest))})(?!\w))")


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    return (match.span(1) for match in pattern.finditer(text))
