"""Kind ``associations`` in a stimuli file, and ``[forms.NAME]``."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

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
    Section,
    TestEntry,
    Word,
    Words,
)
from biascore.api.support import did_you_mean
from biascore_metrics.robust.associations import (
    AssociationsTest,
    AttributeGroup,
    WordForms,
    parts_of,
    template_problem,
)

Slot = Annotated[str, StringConstraints(pattern=r"^\[[^\]\[]+\]$")]


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
        """The forms as a list."""
        return WordForms(pieces=self.pieces, groups=self.groups, words=self.words, **about)


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
        """Templates, targets, and words of choices and forms."""
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

    def missing(self, file: Any) -> Iterator[Problem]:
        """Groups that are no list and no side of pairs."""
        for group, wanted in self.groups.items():
            if not group_list(wanted, file.lists, file.pairs)[0]:
                sides = [f"{name}.{side}" for name, pairs in file.pairs.items() for side in pairs.sides]
                hint = did_you_mean(wanted, [*file.lists, *sides])
                advice = "A group is a table [lists.NAME], or a side of [pairs.NAME], written NAME.SIDE"
                yield (
                    ("groups", group),
                    f"there is no word list or side of pairs {wanted!r} in this file. {hint}{advice}",
                )

    def problems(self, file: Any) -> Iterator[Problem]:
        """Templates that some word of a group cannot be put into."""
        yield from _unfilled(file, self)

    def build(self, lists: Lists, about: AboutTest) -> AssociationsTest:
        """The test."""
        words, groups, pairs = lists["lists"], [], {}
        for name, wanted in self.groups.items():
            listed, side = group_list(wanted, words, lists["pairs"])
            if side is None:
                groups.append(AttributeGroup(name, words[listed].words))
                continue
            pairs[listed] = found = lists["pairs"][listed]
            groups.append(
                AttributeGroup(name, tuple(pair[found.sides.index(side)] for pair in found.pairs), listed)
            )
        return AssociationsTest(
            templates=tuple(lists["templates"][name] for name in self.templates),
            targets=words[self.targets],
            opposites=words[self.opposites] if self.opposites else None,
            groups=tuple(groups),
            choices={
                slot: tuple(word for name in names for word in words[name].words)
                for slot, names in self.choices.items()
            },
            forms=lists["forms"][self.forms] if self.forms else None,
            pairs=tuple(pairs.values()),
            positive_means=self.positive_means or "",
            **about,
        )


def group_list(wanted: str, lists: Container[str], pairs: Mapping[str, Any]) -> tuple[str, str | None]:
    """The list that a group's words are, or the pairs and the side; empty where there is no such list."""
    if wanted in lists:
        return wanted, None
    name, _, side = wanted.rpartition(".")
    return (name, side) if name in pairs and side in pairs[name].sides else ("", None)


def _unfilled(entry: Any, test: AssociationsEntry) -> Iterator[Problem]:
    """Templates that some word of a group cannot be put into; one word without forms of its own represents all."""
    forms = entry.forms[test.forms] if test.forms else None
    for group, wanted in test.groups.items():
        name, side = group_list(wanted, entry.lists, entry.pairs)
        if side is None:
            words = entry.lists[name].words
        else:
            place = entry.pairs[name].sides.index(side)
            words = tuple(pair[place] for pair in entry.pairs[name].pairs)
        own = [word for word in dict.fromkeys(words) if forms and word in forms.words]
        for word in [*own, *[word for word in words if word not in own][:1]]:
            for position, templates in enumerate(test.templates):
                known = entry.templates[templates]
                for sentence in known.sentences:
                    parts = parts_of(sentence, group, word, tuple(test.choices), forms)
                    problem = template_problem(parts, known.slots)
                    if problem:
                        key = ("templates", position)
                        yield key, f"with {word!r} of {group}, the template {sentence!r} {problem}"
                        return
