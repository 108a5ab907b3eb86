"""From what a stimuli file says to lists and tests."""

from __future__ import annotations

from typing import Any

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
from biascore.stimuli.references import list_problems, missing_lists
from biascore.stimuli.schema import Kinds


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
