"""Hashes of what a run holds: of its JSON, and of item tables, whatever file holds them."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final

import pyarrow as pa

ROWS: Final = 2**16
"""Rows of an item table that are objects of Python at once."""


def content_hash(body: dict[str, Any]) -> str:
    """SHA-256 of the canonical JSON of a stored run."""
    return hashlib.sha256(canonical(body)).hexdigest()


def item_hash(items: pa.Table) -> str:
    """SHA-256 over names, types and values of an item table, whatever file holds it."""
    digest = hashlib.sha256()
    for name, column in zip(items.column_names, items.columns, strict=True):
        digest.update(canonical([name, str(column.type)]))
        # The bytes of the JSON of the whole column, which of a million sentences would take a gigabyte of objects.
        digest.update(b"[")
        for start in range(0, len(column), ROWS):
            part = canonical(column.slice(start, ROWS).to_pylist())
            digest.update(b"," * (start > 0) + part[1:-1])
        digest.update(b"]")
    return digest.hexdigest()


def canonical(value: object) -> bytes:
    """JSON with sorted keys and without spaces: the same bytes for the same value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def hashed(stored: dict[str, Any]) -> dict[str, Any]:
    """What is said of a measurement as it is hashed: runs of before call *inconclusive* what is not measured."""
    was = {"not measured": "inconclusive"}
    return stored | {
        name: was.get(stored[name], stored[name]) for name in ("verdict", "alone") if name in stored
    }
