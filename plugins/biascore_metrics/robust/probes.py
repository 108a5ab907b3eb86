"""Probe sentences: templates x attribute words x target words, with the words that may be in their other slots.

Shrestha, Tay & Srinivasan 2025, section 2.1. Which article and determiner a sentence gets, its perplexity decides
(`scores`); here are all that it could get.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Final, Literal

from biascore.api.queries import Span
from biascore_metrics.robust.items import AGREEING, ATTRIBUTE, TARGET, AssociationsTest, Part
from biascore_metrics.robust.options import RobustOptions, Template

Role = Literal["targets", "opposites"]
SIGNS: Final[dict[Role, int]] = {"targets": 1, "opposites": -1}


@dataclass(frozen=True, slots=True)
class Probe:
    """A sentence with the places of the attribute word, the target word, and what agrees with the attribute.

    ``choice`` are the slots that were filled by choice, each with its word.
    """

    text: str
    attribute: Span
    target: Span
    agreeing: tuple[Span, ...]
    choice: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Place:
    """One place of the design: an attribute word of a group with a target word in a template.

    ``row`` is that of the word in its list, or in its pairs, so that words of a pair have the same one; ``pairs`` names
    them, "" for a list. ``probes`` are the sentences that could stand there, in the order of the choices.
    """

    template: str
    group: str
    pairs: str
    row: int
    attribute: str
    target: str
    role: Role
    probes: tuple[Probe, ...]

    @property
    def paired(self) -> tuple[object, ...]:
        """What it has in common with the places of its pair; a word of a list is its own pair."""
        partner = self.pairs or f"list {self.group}"
        return (self.template, partner, self.row, self.target, self.role)


@dataclass(frozen=True, slots=True)
class Design:
    """What is measured of a test, by the options: templates, the attribute words by group with their rows, target words."""

    test: AssociationsTest
    templates: tuple[Template, ...]
    taken: dict[str, tuple[tuple[int, str], ...]]
    targets: dict[Role, tuple[str, ...]]
    lower_case: bool
    whole_words: bool
    """Hidden for the pseudo-perplexity: words, not sub-tokens."""

    @classmethod
    def of(cls, test: AssociationsTest, options: RobustOptions) -> Design:
        """The design; raises OptionsError for an option that names what the test does not have."""
        targets: dict[Role, tuple[str, ...]] = {"targets": test.targets.words}
        if options.polarity == "both":
            targets["opposites"] = options.opposites(test).words
        return cls(
            test=test,
            templates=options.chosen_templates(test),
            taken={
                group.name: tuple((row, group.words[row]) for row in options.chosen_rows(test, group))
                for group in options.chosen_groups(test)
            },
            targets=targets,
            lower_case=options.lower_case,
            whole_words=options.perplexity_hides == "words",
        )

    @property
    def groups(self) -> tuple[str, ...]:
        """Those that are compared, the first against the others."""
        return tuple(self.taken)

    @property
    def by_role(self) -> dict[str, tuple[str, ...]]:
        """All words that are taken, by group and role."""
        return {group: self.words(group) for group in self.groups} | dict(self.targets)

    def words(self, group: str) -> tuple[str, ...]:
        """The attribute words of a group that are taken, in list order and as often as they are listed."""
        return tuple(word for _, word in self.taken[group])

    def pairs(self) -> dict[str, tuple[str, ...]]:
        """The pairs that are taken, by the list that they are of, as ``mother/father``; of a list, its words."""
        rows: dict[str, dict[int, list[str]]] = {}
        for group in self.test.groups:
            for row, word in self.taken.get(group.name, ()):
                rows.setdefault(group.pairs or group.name, {}).setdefault(row, []).append(word)
        return {name: tuple(map("/".join, some.values())) for name, some in rows.items()}

    def places(self, lost: Collection[tuple[str, str]] = ()) -> list[Place]:
        """Every place of the design but those of ``lost`` words, given by group, or role, and word."""
        frame = lru_cache(maxsize=None)(self.test.parts)
        pairs = {group.name: group.pairs for group in self.test.groups}
        return [
            Place(
                template.name, group, pairs[group], row, word, target, role,
                self._probes(frame(template.sentence, group, word), target),
            )
            for template in self.templates
            for group, words in self.taken.items()
            for row, word in words
            for role, targets in self.targets.items()
            for target in targets
            if (group, word) not in lost and (role, target) not in lost
        ]  # fmt: skip

    def _probes(self, parts: tuple[Part, ...], target: str) -> tuple[Probe, ...]:
        slots = tuple(dict.fromkeys(part.slot for part in parts if part.slot in self.test.choices))
        choices = product(*(dict.fromkeys(self.test.choices[slot]) for slot in slots))
        return tuple(self._filled(parts, target, dict(zip(slots, words, strict=True))) for words in choices)

    def _filled(self, parts: tuple[Part, ...], target: str, choice: dict[str, str]) -> Probe:
        text, attribute, stands, agreeing = "", (0, 0), (0, 0), []
        for part in parts:
            start = len(text)
            words = {**choice, TARGET: target.replace("_", " ")}.get(part.slot, part.text)
            # Each part by itself: lower case may have another length.
            text += words.lower() if self.lower_case else words
            span = (start, len(text))
            if part.slot == ATTRIBUTE:
                attribute = span
            elif part.slot == TARGET:
                stands = span
            elif part.slot == AGREEING:
                agreeing.append(span)
        return Probe(text, attribute, stands, tuple(agreeing), tuple(choice.items()))
