"""Kind ``associations``: templates filled with words for groups of people and words for what is said of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from biascore.api.kinds import (
    About,
    AboutTest,
    ListEntry,
    Lists,
    Name,
    Problem,
    Prose,
    Reference,
    Rows,
    Section,
    Stimuli,
    TestEntry,
    Word,
    Words,
    check_fit,
)
from biascore.api.stimuli import PairList, TemplateList, Test, WordList
from biascore.api.support import did_you_mean

ATTRIBUTE: Final = "[attribute]"
TARGET: Final = "[target]"
AGREEING: Final = "[agreeing]"
_MARKED: Final = re.compile(r"^(?P<before>[^][]*)\[(?P<attribute>[^][]+)\](?P<after>[^][]*)$")
Slot = Annotated[str, StringConstraints(pattern=r"^\[[^\]\[]+\]$")]


@dataclass(frozen=True, slots=True)
class AttributeGroup:
    """The words that name a group, in list order; groups of the same ``pairs`` are its sides, row by row."""

    name: str
    words: tuple[str, ...]
    pairs: str = ""

    @classmethod
    def of(
        cls, name: str, wanted: str, lists: Mapping[str, Any], pairs: Mapping[str, Any]
    ) -> AttributeGroup | None:
        """The words of a list, or of a side of pairs (``gendered.female``); None where there is neither."""
        if wanted in lists:
            return cls(name, lists[wanted].words)
        listed, _, side = wanted.rpartition(".")
        if listed not in pairs or side not in pairs[listed].sides:
            return None
        place = pairs[listed].sides.index(side)
        return cls(name, tuple(pair[place] for pair in pairs[listed].pairs), listed)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a template around one attribute word: its text, or what is to be put there.

    ``slot`` is "" for plain text, ATTRIBUTE for the attribute word, whose form ``text`` is, TARGET for the target word, a
    slot of ``choices`` for one of its words, and AGREEING for a form that agrees with the attribute.
    """

    text: str
    slot: str = ""


@dataclass(frozen=True, slots=True)
class WordForms(Rows[str]):
    """What pieces of templates, the rows, become with some words: pronouns take no article, possessives agree.

    ``words`` gives an attribute word one form for each piece; ``groups`` gives all other words of a group one for each of
    the first pieces. In a form, the attribute itself is in square brackets ("admire [him]"); a form without any agrees with
    the attribute, and so gives its group away.
    """

    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)

    def __len__(self) -> int:
        return len(self.groups) + len(self.words)

    def contents(self) -> str:
        rows = {"of": self.rows, **self.groups, **self.words}
        return "\n  ".join(f"{name}: {' | '.join(forms)}" for name, forms in rows.items())

    def entries(self) -> dict[str, Any]:
        groups, words = ({name: list(of) for name, of in some.items()} for some in (self.groups, self.words))
        return {"pieces": list(self.rows), "groups": groups, "words": words}


def parts_of(
    template: str, group: str, word: str, choices: Sequence[str], forms: WordForms | None
) -> tuple[Part, ...]:
    """The template around a word of a group; where pieces of it overlap, the longest takes a form."""
    row = forms.words.get(word, forms.groups.get(group, ())) if forms else ()
    taken = dict(zip(forms.rows, row, strict=False)) if forms else {}
    found: list[Part] = []
    for place, text in enumerate(_any_of((*taken, ATTRIBUTE, TARGET, *choices)).split(template)):
        if place % 2 == 0:
            found.append(Part(text))
        elif text not in taken:
            # An underscore joins the words of a phrase where a list is one of single words.
            found.append(Part(word.replace("_", " ") if text == ATTRIBUTE else "", text))
        elif marked := _MARKED.match(taken[text]):
            found += [Part(marked["before"]), Part(marked["attribute"], ATTRIBUTE), Part(marked["after"])]
        else:
            found.append(Part(taken[text], AGREEING))
    return tuple(part for part in found if part.text or part.slot)


@lru_cache
def _any_of(pieces: tuple[str, ...]) -> re.Pattern[str]:
    """Splits a text into what is between pieces, and the pieces."""
    return re.compile(f"({'|'.join(map(re.escape, sorted(pieces, key=lambda piece: -len(piece))))})")


def template_problem(parts: Sequence[Part], slots: Sequence[str]) -> str:
    """Why a template cannot be filled, as a clause, or an empty text; ``slots`` are all that it may have."""
    for slot in (ATTRIBUTE, TARGET):
        count = sum(part.slot == slot for part in parts)
        if count != 1:
            return f"has {slot} {count} times, and must have it once"
    left = [slot for slot in slots if any(slot in part.text for part in parts if not part.slot)]
    return f"has the slot {left[0]}, which neither choices nor forms fill" if left else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AssociationsTest(Test):
    """Kind ``associations``: how strongly attribute words of groups are associated with target words (Shrestha et al. 2025).

    ``groups``: the first is the one whose association counts as positive. ``choices`` are the words that may be in
    further slots of the templates, such as articles. ``opposites`` say the opposite of the targets, so their
    association counts the other way round, where it is asked for.
    """

    planted: ClassVar[str] = "biascore_metrics.robust.planted:Associations"

    templates: tuple[TemplateList, ...]
    targets: WordList
    groups: tuple[AttributeGroup, ...]
    opposites: WordList | None = None
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    forms: WordForms | None = None
    pairs: tuple[PairList, ...] = ()

    def __post_init__(self) -> None:
        roles = {group.name: WordList(group.name, group.words) for group in self.groups}
        object.__setattr__(self, "roles", MappingProxyType(roles))
        object.__setattr__(self, "choices", MappingProxyType(dict(self.choices)))

    @property
    def lists(self) -> Mapping[str, Stimuli]:
        found: dict[str, Stimuli] = {f"templates.{one.name}": one for one in self.templates}
        found["targets"] = self.targets
        if self.opposites:
            found["opposites"] = self.opposites
        for pairs in self.pairs:
            names = [group.name for group in self.groups if group.pairs == pairs.name]
            found[" and ".join(names)] = pairs
        found |= {group.name: self.roles[group.name] for group in self.groups if not group.pairs}
        found |= {slot: WordList(slot, words) for slot, words in self.choices.items()}
        return found | ({"forms": self.forms} if self.forms else {})

    def parts(self, template: str, group: str, word: str) -> tuple[Part, ...]:
        """A template around one attribute word of a group."""
        return parts_of(template, group, word, tuple(self.choices), self.forms)


class FormsEntry(ListEntry):
    """``[forms.NAME]``: what pieces of templates become with the words of a group, and with words of their own forms."""

    pieces: Words
    groups: dict[Name, Words] = Field(default_factory=dict)
    words: dict[Word, Words] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _forms_fit_the_pieces(self) -> Self:
        count = len(self.pieces)
        for group, forms in self.groups.items():
            if len(forms) > count:
                raise ValueError(f"groups.{group} has {len(forms)} forms for {count} pieces")
        for word, forms in self.words.items():
            if len(forms) != count:
                raise ValueError(
                    f"words.{word} has {len(forms)} forms, and needs one for each of {count} pieces"
                )
        return self

    def build(self, about: About) -> WordForms:
        return WordForms(rows=self.pieces, groups=self.groups, words=self.words, **about)


class AssociationsEntry(TestEntry):
    """``[tests.ID]`` of kind ``associations``: templates, targets and groups of this file.

    A group is a list, or a side of pairs (``"gendered.female"``).
    """

    sections: ClassVar = {"forms": Section(FormsEntry, "table of forms")}

    kind: Literal["associations"]
    templates: Words
    targets: Prose
    opposites: Prose | None = None
    groups: dict[Name, Prose]
    choices: dict[Slot, Words] = Field(default_factory=dict)
    forms: Prose | None = None
    positive_means: Prose | None = None

    @model_validator(mode="after")
    def _groups_compare(self) -> Self:
        if len(self.groups) < 2:
            raise ValueError("groups has fewer than two groups, so there is nothing to compare")
        for name in self.groups:
            if name in ("targets", "opposites"):
                raise ValueError(
                    f"groups has one called {name!r}, which is what the test's other words are called"
                )
        return self

    def references(self) -> Iterator[Reference]:
        yield from (
            Reference(("templates", i), name, ("templates",)) for i, name in enumerate(self.templates)
        )
        yield Reference(("targets",), self.targets)
        if self.opposites:
            yield Reference(("opposites",), self.opposites)
        for slot, names in self.choices.items():
            yield from (Reference(("choices", slot, i), name) for i, name in enumerate(names))
        if self.forms:
            yield Reference(("forms",), self.forms, ("forms",))

    def build(self, lists: Lists, about: AboutTest) -> AssociationsTest:
        words, pairs = lists["lists"], lists["pairs"]
        found = {name: AttributeGroup.of(name, wanted, words, pairs) for name, wanted in self.groups.items()}
        check_fit(
            (("groups", name), _no_group(self.groups[name], words, pairs))
            for name, group in found.items()
            if group is None
        )
        groups = tuple(group for group in found.values() if group)
        test = AssociationsTest(
            templates=tuple(lists["templates"][name] for name in self.templates),
            targets=words[self.targets],
            opposites=words[self.opposites] if self.opposites else None,
            groups=groups,
            choices={
                slot: tuple(word for name in names for word in words[name].words)
                for slot, names in self.choices.items()
            },
            forms=lists["forms"][self.forms] if self.forms else None,
            pairs=tuple(pairs[name] for name in dict.fromkeys(one.pairs for one in groups if one.pairs)),
            positive_means=self.positive_means or "",
            **about,
        )
        check_fit(_unfilled(test))
        return test


def _no_group(wanted: str, words: Mapping[str, WordList], pairs: Mapping[str, PairList]) -> str:
    sides = [f"{name}.{side}" for name, some in pairs.items() for side in some.sides]
    advice = "A group is a table [lists.NAME], or a side of [pairs.NAME], written NAME.SIDE"
    hint = did_you_mean(wanted, [*words, *sides])
    return f"there is no word list or side of pairs {wanted!r} in this file. {hint}{advice}"


def _unfilled(test: AssociationsTest) -> Iterator[Problem]:
    """A template that some word of a group cannot be put into; one word without forms of its own represents all."""
    for group in test.groups:
        own = [word for word in dict.fromkeys(group.words) if test.forms and word in test.forms.words]
        others = [word for word in group.words if word not in own]
        for word, (position, known) in product([*own, *others[:1]], enumerate(test.templates)):
            for sentence in known.sentences:
                if problem := template_problem(test.parts(sentence, group.name, word), known.slots):
                    told = f"with {word!r} of {group.name}, the template {sentence!r} {problem}"
                    yield ("templates", position), told
                    return
