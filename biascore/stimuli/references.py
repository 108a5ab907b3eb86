"""What tests of a stimuli file refer to: that it is there, and that the parts of a test fit each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from biascore.basics.suggest import did_you_mean
from biascore.stimuli.entries import Problem, TestEntry
from biascore.stimuli.schema import Kinds, WordsEntry


def reference_problems(entry: Any, kinds: Kinds) -> Iterator[Problem]:
    """The key and the problem of each list that is not there or is there twice, and of parts that do not fit."""
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
    tests: dict[str, str] = {}
    for name, test in entry.tests.items():
        if name.casefold() in tests:
            yield ("tests", name), f"differs from tests.{tests[name.casefold()]} in case only"
        tests[name.casefold()] = name
        problems = [*_missing(entry, test, kinds), *test.missing(entry)] or [*test.problems(entry)]
        yield from ((("tests", name, *key), problem) for key, problem in problems)
        if not problems:
            yield from test.problems_of_file(entry, name)


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


def _missing(entry: Any, test: TestEntry, kinds: Kinds) -> Iterator[Problem]:
    for key, wanted, sections in test.references():
        known = [list_ for section in sections for list_ in getattr(entry, section, ())]
        if wanted not in known:
            found = kinds.sections.get(sections[0]) if len(sections) == 1 else None
            advice = (found and found.advice) or "Write a table " + " or ".join(f"[{one}.{{0}}]" for one in sections)
            if len(sections) > 1:
                advice = "Targets are words or pairs of forms, so write a table [lists.{0}] or [pairs.{0}]"
            hint = did_you_mean(wanted, known)
            what = found.what if found else "list"
            yield key, f"there is no {what} {wanted!r} in this file. {hint}{advice.format(wanted)}"
