"""Kind ``associations``: templates filled with words for groups of people and words for what is said of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, Protocol

from biascore.api.kinds import Doubt, Stimuli
from biascore.api.stimuli import PairList, TemplateList, Test, WordList

ATTRIBUTE: Final = "[attribute]"
TARGET: Final = "[target]"
_MARKED: Final = re.compile(r"^(?P<before>[^][]*)\[(?P<attribute>[^][]+)\](?P<after>[^][]*)$")


@dataclass(frozen=True, slots=True)
class AttributeGroup:
    """The words that name a group, in list order; groups of the same ``pairs`` are its sides, row by row."""

    name: str
    words: tuple[str, ...]
    pairs: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a template around one attribute word: its text, or what is to be put there.

    ``slot`` is "" for plain text, ATTRIBUTE for the attribute word, whose form ``text`` is, TARGET for the target word, a
    slot of ``choices`` for one of its words, and AGREEING for a form that agrees with the attribute.
    """

    text: str
    slot: str = ""


AGREEING: Final = "[agreeing]"


class _Forms(Protocol):
    @property
    def pieces(self) -> tuple[str, ...]: ...
    @property
    def groups(self) -> Mapping[str, tuple[str, ...]]: ...
    @property
    def words(self) -> Mapping[str, tuple[str, ...]]: ...


def parts_of(
    template: str, group: str, word: str, choices: Sequence[str], forms: _Forms | None
) -> tuple[Part, ...]:
    """The template around a word of a group; where pieces of it overlap, the longest takes a form."""
    row = forms.words.get(word, forms.groups.get(group, ())) if forms else ()
    taken = dict(zip(forms.pieces, row, strict=False)) if forms else {}
    return tuple(_parts(template, _any_of((*taken, ATTRIBUTE, TARGET, *choices)), taken, word))


@lru_cache
def _any_of(pieces: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(pieces, key=lambda piece: -len(piece)))))


def _parts(template: str, known: re.Pattern[str], forms: Mapping[str, str], word: str) -> Iterator[Part]:
    end = 0
    for match in known.finditer(template):
        if match.start() > end:
            yield Part(template[end : match.start()])
        end = match.end()
        form = forms.get(match[0])
        if form is None:
            # An underscore joins the words of a phrase where a list is one of single words.
            yield Part(word.replace("_", " ") if match[0] == ATTRIBUTE else "", match[0])
        elif marked := _MARKED.match(form):
            around = [Part(marked["before"]), Part(marked["attribute"], ATTRIBUTE), Part(marked["after"])]
            yield from (part for part in around if part.text)
        else:
            yield Part(form, AGREEING)
    if end < len(template):
        yield Part(template[end:])


def template_problem(parts: Sequence[Part], slots: Sequence[str]) -> str:
    """Why a template cannot be filled, as a clause, or an empty text; ``slots`` are all that it may have."""
    for slot in (ATTRIBUTE, TARGET):
        count = sum(part.slot == slot for part in parts)
        if count != 1:
            return f"has {slot} {count} times, and must have it once"
    left = [slot for slot in slots if any(slot in part.text for part in parts if not part.slot)]
    return f"has the slot {left[0]}, which neither choices nor forms fill" if left else ""


@dataclass(frozen=True, slots=True)
class WordForms(Stimuli):
    """What pieces of templates become with some words: pronouns take no article, possessives agree.

    ``pieces`` are parts of templates. ``words`` gives an attribute word one form for each of them; ``groups`` gives
    all other words of a group one for each of the first pieces. In a form, the attribute itself is in square
    brackets ("admire [him]"); a form without any agrees with the attribute, and so gives its group away.
    """

    name: str
    pieces: tuple[str, ...]
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    source: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
    doubtful: tuple[Doubt, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "groups", MappingProxyType(dict(self.groups)))
        object.__setattr__(self, "words", MappingProxyType(dict(self.words)))

    def __len__(self) -> int:
        return len(self.groups) + len(self.words)

    def contents(self) -> str:
        """The entries, as the terminal shows them."""
        rows = {"of": self.pieces, **self.groups, **self.words}
        return "\n  ".join(f"{name}: {' | '.join(forms)}" for name, forms in rows.items())

    def entries(self) -> dict[str, Any]:
        """The entries, as JSON."""
        return {
            "pieces": list(self.pieces),
            "groups": {group: list(forms) for group, forms in self.groups.items()},
            "words": {word: list(forms) for word, forms in self.words.items()},
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class AssociationsTest(Test):
    """Kind ``associations``: how strongly attribute words of groups are associated with target words (Shrestha et al. 2025).

    ``groups``: the first is the one whose association counts as positive. ``choices`` are the words that may be in
    further slots of the templates, such as articles. ``opposites`` say the opposite of the targets, so their
    association counts the other way round, where it is asked for.
    """

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
        """Everything the test holds, by role."""
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
