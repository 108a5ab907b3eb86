"""The words of a CoNLL-U file: ten columns, separated by tabs, a line a word (universaldependencies.org/format.html).

Read here and not by the package ``conllu`` (6.0): that one keeps a dictionary for every word, takes two spaces for a tab and
fewer than ten columns for ten, and names no line of what it cannot read; and the format is a split at tabs.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from biascore.api.support import quoted
from biascore.errors import DataError

COLUMNS: Final = 10
_ID: Final = re.compile(r"[0-9]+(?:[-.][0-9]+)?")
_MOST: Final = 5


class Token(NamedTuple):
    """A word of a sentence: the line it stands on, form, lemma, universal part of speech and features."""

    line: int
    form: str
    lemma: str
    upos: str
    features: Mapping[str, str]


def tokens(text: str, display: str, upos: str) -> Iterator[Token]:
    """The words of one part of speech; every line is checked, and comments, ranges and empty nodes are no words.

    Raises DataError, at the end of the text, that names the first lines that are not CoNLL-U.
    """
    wrong: list[str] = []
    count = 0
    for number, raw in enumerate(io.StringIO(text, newline=""), start=1):
        line = raw.rstrip("\r\n")
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split("\t")
        problem = _problem(fields)
        if problem:
            count += 1
            wrong += [f"line {number} {problem}"] if count <= _MOST else []
        elif fields[3] == upos and fields[0].isdecimal():
            yield Token(number, fields[1], fields[2], fields[3], _features(fields[5]))
    if count:
        more = f"; and {count - _MOST:,} more" if count > _MOST else ""
        raise DataError(
            f"{display} is no CoNLL-U: {'; '.join(wrong)}{more}. Correct these lines, or fetch the file again"
        )


def _problem(fields: list[str]) -> str:
    """What is wrong with the columns of a line, or nothing."""
    if len(fields) != COLUMNS:
        return f"has {len(fields)} column{'s' * (len(fields) != 1)} separated by tabs, and not {COLUMNS}"
    if not _ID.fullmatch(fields[0]):
        return f"has the ID {quoted(fields[0])}, which is no number"
    blank = [name for name, place in (("FORM", 1), ("UPOS", 3), ("FEATS", 5)) if not fields[place].strip()]
    if blank:
        return f"has a blank {blank[0]}"
    if fields[5] != "_" and not all(all(part.partition("=")) for part in fields[5].split("|")):
        return f"has the features {quoted(fields[5])}, which are not written Name=Value|Name=Value"
    return ""


def _features(field: str) -> Mapping[str, str]:
    """The features by name; "_" is none."""
    if field == "_":
        return {}
    return {name: value for name, _, value in (part.partition("=") for part in field.split("|"))}
