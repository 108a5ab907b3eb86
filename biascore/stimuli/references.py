"""Whether the lists of a stimuli file fit each other, and whether those are there that its tests name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from biascore.basics.suggest import did_you_mean
from biascore.stimuli.entries import Problem, TestEntry
from biascore.stimuli.schema import Kinds, WordsEntry


def list_problems(entry: Any, kinds: Kinds) -> Iterator[Problem]:
    """The key and the problem of each list that is there twice, or does not fit its counterpart."""
    seen: dict[str, str] = {}
    for section in kinds.sections:
        for name in getattr(entry, section):
            if name.casefold() in seen:
                yield (section, name), f"is a second list of this name; the other is {seen[name.casefold()]}"
            seen[name.casefold()] = f"{section}.{name}"
    for name, words in entry.lists.items():
        problem = _counterparts_problem(entry, name, words)
        if problem:
            yield ("lists", name, "counterparts"), problem


def missing_lists(entry: Any, test: TestEntry, kinds: Kinds) -> Iterator[Problem]:
    """The key of the test and the problem of each list that it names and the file does not hold."""
    for key, wanted, sections in test.references():
        known = [list_ for section in sections for list_ in getattr(entry, section, ())]
        if wanted not in known:
            found = kinds.sections.get(sections[0]) if len(sections) == 1 else None
            advice = (found and found.advice) or "Write a table " + " or ".join(
                f"[{one}.{{0}}]" for one in sections
            )
            if len(sections) > 1:
                advice = "Targets are words or pairs of forms, so write a table [lists.{0}] or [pairs.{0}]"
            hint = did_you_mean(wanted, known)
            what = found.what if found else "list"
            yield key, f"there is no {what} {wanted!r} in this file. {hint}{advice.format(wanted)}"


def _counterparts_problem(entry: Any, name: str, words: WordsEntry) -> str:
    wanted = words.counterparts
    if not wanted:
        return ""
    if wanted not in entry.lists or wanted == name:
        near = did_you_mean(wanted, set(entry.lists) - {name})
        return f"names {wanted!r}, which is no other word list of this file. {near}".rstrip()
    other = entry.lists[wanted]
    if len(other.words) != len(words.words):
        return (
            f"names {wanted!r}, which has {len(other.words)} words where this list has {len(words.words)}; "
            "each word needs its counterpart in the same place"
        )
    if other.counterparts not in ("", name):
        return (
            f"names {wanted!r}, which names {other.counterparts!r}; two lists are counterparts of one another"
        )
    return ""
