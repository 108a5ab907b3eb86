"""Which cells state no category: Unknown, Prefer not to say, NaN."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final

from biascore.api.formats import parse_toml, read_text

SHORT: Final = 3
"""Letters of an abbreviation at most."""


class NotStated:
    """Values that state no category, compared as ``_bare`` writes them; None: the list that ships."""

    def __init__(self, values: Iterable[str] | None) -> None:
        self._values = shipped() if values is None else frozenset(map(_bare, values))

    def __contains__(self, cell: str) -> bool:
        """Whether a cell states nothing; a blank one never does."""
        return not cell.strip() or _bare(cell) in self._values


@cache
def shipped() -> frozenset[str]:
    """The values of all languages."""
    path = Path(__file__).with_suffix(".toml")
    by_language = parse_toml(read_text(path, path.name))
    return frozenset(_bare(value) for values in by_language.values() for value in values)


def _bare(value: str) -> str:
    """Letters and digits alone; of few, as n.d., apart as they are written: ND may be a category."""
    plain = unicodedata.normalize("NFKD", value.casefold())
    words = "".join(one if one.isalnum() else " " for one in plain if not unicodedata.combining(one)).split()
    return ("" if len("".join(words)) > SHORT else " ").join(words)
