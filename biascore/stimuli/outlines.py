"""What an index says of stimuli files, kept from one process to the next: to read all their TOML takes as long as a WEAT.

An outline is a document without what its lists and tests hold, by the digest of the bytes of its file: a file that
changed has none. What cannot be kept or read again is read from the files.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final

from biascore.errors import BiascoreError
from biascore.files.paths import cache_folder

FILE_NAME: Final = "stimuli-index-1.json"
_MOST: Final = 2_000
"""Files that are kept; of more, those that this process has asked for."""
_SAID: Final = ("kind", "title", "concept")
"""What an index says of a test."""


class Outlines:
    """The outlines in one file of the user's cache folder, whose first line is the digest of the rest."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kept = _read(path)
        self._asked: set[str] = set()
        self._new = False

    def get(self, digest: str) -> dict[str, Any] | None:
        """The outline of the file with these bytes, as `outline_of` makes it; None where there is none."""
        self._asked.add(digest)
        return self._kept.get(digest)

    def keep(self, digest: str, document: Mapping[str, Any]) -> None:
        """The outline of a document, for the next process; see `save`."""
        self._kept[digest] = outline_of(document)
        self._new = True

    def save(self) -> None:
        """Write what is new; where that fails the next process reads the files again."""
        if not self._new:
            return
        self._new = False
        if len(self._kept) > _MOST:
            self._kept = {digest: one for digest, one in self._kept.items() if digest in self._asked}
        # What JSON has not, such as a date, is in no outline that an index can be made of.
        with suppress(OSError, TypeError, ValueError):
            body = json.dumps(self._kept, ensure_ascii=False, separators=(",", ":")).encode()
            self._path.parent.mkdir(parents=True, exist_ok=True)
            own = self._path.with_suffix(
                f".{os.getpid()}"
            )  # of two processes that write, the last one counts
            own.write_bytes(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
            own.replace(self._path)


def outlines() -> Outlines | None:
    """Those of the user's cache folder; None where this user has none."""
    with suppress(BiascoreError, RuntimeError):
        return _opened(cache_folder() / FILE_NAME)
    return None


def save_outlines() -> None:
    """Keep the outlines of files that were read in this process."""
    kept = outlines()
    if kept is not None:
        kept.save()


@cache
def _opened(path: Path) -> Outlines:
    return Outlines(path)


def outline_of(document: Mapping[str, Any]) -> dict[str, Any]:
    """A document whose lists are empty, and whose tests say no more than an index."""
    return {
        key: table
        if key in ("schema", "meta") or not isinstance(table, dict)
        else {
            name: {said: one[said] for said in _SAID if said in one}
            if key == "tests" and isinstance(one, dict)
            else {}
            for name, one in table.items()
        }
        for key, table in document.items()
    }


def _read(path: Path) -> dict[str, dict[str, Any]]:
    with suppress(OSError, ValueError):
        digest, _, body = path.read_bytes().partition(b"\n")
        if digest == hashlib.sha256(body).hexdigest().encode():
            return dict(json.loads(body))
    return {}
