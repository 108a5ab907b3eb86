"""Model references: ``adapter:locator[@revision]``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath

from biascore.errors import RefError
from biascore.files.paths import is_path, user_path

_ADAPTER = re.compile(r"[a-z][a-z0-9_-]*")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")  # of a Windows path, and no adapter with one letter
_VECTORS = (".bin", ".ftz", ".gz", ".txt", ".vec")


@dataclass(frozen=True, slots=True)
class ModelRef:
    """A model by the adapter that opens it, where it is, and which revision of it.

    The locator is the adapter's own language (a path, a hub id, ``gender=0.5``) and may be empty.
    """

    adapter: str
    locator: str
    revision: str | None = None

    @classmethod
    def parse(cls, text: str) -> ModelRef:
        """Read ``adapter:locator``; the adapter itself decides whether an ``@`` begins a revision.

        Raises RefError where there is no adapter name before the first colon.
        """
        adapter, colon, locator = text.partition(":")
        if not colon or not _ADAPTER.fullmatch(adapter) or _DRIVE.match(text):
            raise RefError(
                f"{text!r} is not a model reference: it must begin with an adapter and a colon, such as "
                f"'fasttext:/models/cc.it.300.bin' or 'planted:gender=0.5'. {_guess(text)}"
                f"See the adapters with: biascore list adapters"
            )
        return cls(adapter, locator)

    def split_revision(self) -> ModelRef:
        """The same reference with what follows the last ``@`` of the locator as its revision."""
        locator, at, revision = self.locator.rpartition("@")
        return ModelRef(self.adapter, locator, revision) if at and locator and revision else self

    def __str__(self) -> str:
        return f"{self.adapter}:{self.locator}" + (f"@{self.revision}" if self.revision else "")


def _guess(text: str) -> str:
    """What a path without an adapter may represent."""
    if is_path(text) and user_path(text).is_dir():
        return f"Did you mean hf:{text}? "
    is_file = is_path(text) or PurePath(text).suffix.lower() in _VECTORS
    return f"Did you mean fasttext:{text}? " if is_file else ""
