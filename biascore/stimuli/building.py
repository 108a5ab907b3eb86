"""From what a stimuli file says to lists and tests, which have to fit each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from biascore.basics.suggest import did_you_mean
from biascore.stimuli.entries import (
    About,
    AboutTest,
    ListEntry,
    Meta,
    Problem,
    TestEntry,
    UnfitError,
    check_fit,
)
from biascore.stimuli.lists import Uncertain
from biascore.stimuli.model import Contents, Published, Test
from biascore.stimuli.schema import Kinds, WordsEntry


def contents_of(entry: Any, kinds: Kinds, display: str, sha256: str) -> tuple[Contents, list[Problem]]:
    """The lists and tests of a file that keeps to the schema, and by their keys the problems of those that do not fit.

    ``display`` and ``sha256`` are those of its bytes.
    """
    meta: Meta = entry.meta
    problems = [*list_problems(entry, kinds)]
    lists = {
        section: {
            name: table.build(_about(name, table, meta)) for name, table in getattr(entry, section).items()
        }
        for section in kinds.sections
    }
    tests: dict[str, Test] = {}
    known: dict[str, str] = {}
    for name, test in entry.tests.items():
        twice = known.setdefault(name.casefold(), name)
        if twice != name:
            problems.append((("tests", name), f"differs from tests.{twice} in case only"))
        try:
            check_fit(missing_lists(entry, test, kinds))
            tests[name] = test.build(lists, _about_test(name, test, meta, display, sha256))
        except UnfitError as error:
            inside = () if error.of_file else ("tests", name)
            problems += (((*inside, *key), problem) for key, problem in error.problems)
    return Contents({name: one for some in lists.values() for name, one in some.items()}, tests), problems


def _about(name: str, table: ListEntry, meta: Meta) -> About:
    return {
        "name": name,
        "source": table.source or meta.source,
        "licence": table.licence or meta.licence,
        "notes": table.notes,
        "doubtful": tuple(
            Uncertain(printed=one.printed, note=one.note, proposed=one.proposed) for one in table.doubtful
        ),
    }


def _about_test(name: str, entry: TestEntry, meta: Meta, display: str, sha256: str) -> AboutTest:
    return {
        "id": f"{meta.language}/{name}",
        "kind": entry.kind_name(),
        "language": meta.language,
        "title": entry.title,
        "concept": entry.concept,
        "source": entry.source or meta.source,
        "licence": entry.licence or meta.licence,
        "doi": entry.doi or meta.doi,
        "notes": entry.notes,
        "published": tuple(Published(**figure.model_dump()) for figure in entry.published),
        "file": display,
        "sha256": sha256,
    }


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
