"""Tests from lists of words in Python, checked as those of a file are."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Final

from biascore.errors import StimuliError
from biascore.files.reading import Toml
from biascore.files.toml import dumps, schema_line
from biascore.stimuli.entries import RolesEntry
from biascore.stimuli.loader import file_of
from biascore.stimuli.model import Test
from biascore.stimuli.schema import Kinds, kinds_of

UNDETERMINED: Final = "und"
"""The language code (BCP 47) of words of which nobody said the language."""


def WeatTest(
    X: Sequence[str],
    Y: Sequence[str],
    A: Sequence[str],
    B: Sequence[str],
    *,
    language: str = UNDETERMINED,
    name: str = "lists",
    concept: str = "",
) -> Test:
    """A test of targets X and Y and attributes A and B, in words; raises StimuliError as a file of word lists does."""
    return from_lists({"X": X, "Y": Y, "A": A, "B": B}, language=language, name=name, concept=concept)


def from_lists(
    lists: Mapping[str, Sequence[str]],
    kinds: Kinds | None = None,
    *,
    language: str = UNDETERMINED,
    name: str = "lists",
    concept: str = "",
) -> Test:
    """The test whose roles are these lists of words: of kind ``weat`` for X, Y, A and B.

    Raises StimuliError for roles of no kind, and for lists that no file may hold.
    """
    kinds = kinds or kinds_of(())
    roles = {kind: one.roles for kind, one in kinds.entries.items() if issubclass(one, RolesEntry)}
    kind = next((kind for kind, names in roles.items() if set(names) == set(lists)), None)
    if kind is None:
        known = "; ".join(f"{', '.join(names)} ({kind})" for kind, names in roles.items())
        raise StimuliError(
            f"no kind of test has the lists {', '.join(map(repr, lists))}. Give those of one: {known}"
        )
    said = {"title": name, "source": "given in Python", "licence": "none stated"}
    about = {"concept": concept or name, "positive_means": "X with A and Y with B"}
    document = {
        "schema": 1,
        "meta": {"language": language, **said},
        "lists": {role: {"words": list(words)} for role, words in lists.items()},
        "tests": {name: {"kind": kind, "title": name, **about, **{role: role for role in lists}}},
    }
    digest = hashlib.sha256(dumps(document).encode()).hexdigest()
    (test,) = file_of(Toml("", document, digest), name, f"{name} (given in Python)", kinds, "").tests
    return test


def as_toml(test: Test) -> str:
    """A test of word lists as a stimuli file that a person can edit and keep."""
    name = test.id.partition("/")[2]
    said = {
        "language": test.language,
        "title": name,
        "source": test.source,
        "licence": test.licence or "none stated",
    }
    about = {
        "kind": test.kind,
        "title": test.title,
        "concept": test.concept,
        "positive_means": test.positive_means,
    }
    tables: dict[str, Mapping[str, object]] = {"meta": said}
    tables |= {f"lists.{role}": {"words": list(one.words)} for role, one in test.roles.items()}
    tables[f"tests.{json.dumps(name, ensure_ascii=False)}"] = {**about, **{role: role for role in test.roles}}
    # A string of JSON is one of TOML.
    rows = {
        name: "\n".join(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in table.items())
        for name, table in tables.items()
    }
    head = f"{schema_line('stimuli')}\n# For editors: biascore schema stimuli --out stimuli.schema.json\nschema = 1\n"
    return head + "".join(f"\n[{name}]\n{text}\n" for name, text in rows.items())
