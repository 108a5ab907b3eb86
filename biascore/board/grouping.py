"""Models that no difference was shown between: groups by letters, and no order among them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from string import ascii_lowercase


def letters(names: Sequence[str], alike: Iterable[tuple[str, str]]) -> Mapping[str, str]:
    """The letters of each name: those that share one are ``alike``, each with each, and two that are share one.

    Groups are the largest sets of names that are all alike (Bron and Kerbosch 1973); their letters follow the order of the
    names. A name that is like no other has a letter of its own; empty where there are more groups than letters.
    """
    near: dict[str, set[str]] = {name: set() for name in names}
    for one, other in alike:
        near[one].add(other)
        near[other].add(one)
    place = {name: number for number, name in enumerate(names)}
    found: list[list[str]] = []

    def grow(group: set[str], more: set[str], done: set[str]) -> None:
        if len(found) > len(ascii_lowercase):
            return
        if not more and not done:
            found.append(sorted(group, key=place.__getitem__))
            return
        pivot = max(more | done, key=lambda name: (len(near[name] & more), -place[name]))
        for name in sorted(more - near[pivot], key=place.__getitem__):
            grow(group | {name}, more & near[name], done & near[name])
            more = more - {name}
            done = done | {name}

    grow(set(), set(names), set())
    if len(found) > len(ascii_lowercase):
        return dict.fromkeys(names, "")
    found.sort(key=lambda group: [place[name] for name in group])
    return {
        name: "".join(letter for letter, group in zip(ascii_lowercase, found, strict=False) if name in group)
        for name in names
    }
