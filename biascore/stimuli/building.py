"""From what a stimuli file says to lists and tests."""

from __future__ import annotations

from typing import Any

from biascore.stimuli.entries import About, AboutTest, ListEntry, Lists, Meta, TestEntry
from biascore.stimuli.lists import Doubt
from biascore.stimuli.model import Contents, Published, Test
from biascore.stimuli.schema import Kinds


def contents_of(entry: Any, kinds: Kinds, display: str, sha256: str) -> Contents:
    """The lists and tests of a checked file; ``display`` and ``sha256`` are those of its bytes."""
    meta: Meta = entry.meta
    lists = {
        section: {
            name: table.build(_about(name, table, meta)) for name, table in getattr(entry, section).items()
        }
        for section in kinds.sections
    }
    tests = {name: _test(name, test, meta, lists, display, sha256) for name, test in entry.tests.items()}
    return Contents({name: one for section in lists.values() for name, one in section.items()}, tests)


def _about(name: str, table: ListEntry, meta: Meta) -> About:
    return {
        "name": name,
        "source": table.source or meta.source,
        "licence": table.licence or meta.licence,
        "notes": table.notes,
        "doubtful": tuple(
            Doubt(printed=one.printed, note=one.note, proposed=one.proposed) for one in table.doubtful
        ),
    }


def _test(name: str, entry: TestEntry, meta: Meta, lists: Lists, display: str, sha256: str) -> Test:
    about: AboutTest = {
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
    return entry.build(lists, about)
