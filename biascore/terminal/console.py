"""What the command line prints: tables for people, JSON for programs, signs of life are in ``progress``."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any, Final

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from biascore.basics.visible import visible, visible_json


class Shown(Console):
    """A console that shows what other people's texts hold, instead of obeying it.

    Without emoji: "hf:package:name" would show a parcel.
    """

    def __init__(
        self, *, stderr: bool = False, width: int | None = None, file: IO[str] | None = None
    ) -> None:
        super().__init__(stderr=stderr, width=width, emoji=False, file=file)

    def render_str(self, text: str, **how: Any) -> Text:
        """The text as it is to be printed; ``how`` is rich's. Everything printed comes by here, cells too."""
        return super().render_str(visible(text), **how)

    @contextmanager
    def kept_to(self, file: IO[str]) -> Iterator[None]:
        """Print to this stream, whatever ``sys.stdout`` is meanwhile; afterwards where it printed before."""
        before, self._file = self._file, file
        try:
            yield
        finally:
            self._file = before


_PIPED: Final = 100
"""Columns of a table of texts where standard output is no terminal."""
_LEAST: Final = 20
"""Columns that the last cell of a row has at least."""
stdout = Shown()
stderr = Shown(stderr=True)
"""Standard error, for ``say(..., to=stderr)``: what is not the output of a command."""


def say(text: object, *, to: Console = stdout, style: str = "", label: str = "", wrap: bool = False) -> None:
    """Plain text, as it is: no markup read into it; on a terminal (with ``wrap`` anywhere) wrapped between words only.

    With a ``label`` before it, only that has the ``style``.
    """
    whole = visible(f"{label} {text}" if label else str(text))
    if wrap or to.is_terminal:
        whole = "\n".join(_wrapped(line, to.width) for line in whole.split("\n"))
    shown = Text(whole)
    shown.stylize(style, 0, len(label) or len(whole))
    to.print(shown, highlight=False, soft_wrap=True)


def _wrapped(line: str, width: int) -> str:
    if cell_len(line) <= width:
        return line
    found, row = [], ""
    for word in re.findall(r"\s*\S+", line):
        if row and cell_len(row + word) > width:
            found.append(row)
            row = " " * (len(line) - len(line.lstrip(" "))) + word.lstrip()
        else:
            row += word
    return "\n".join([*found, row])


def wide(width: int = 220) -> Console:
    """Standard output; where it is no terminal, as wide as COLUMNS says, or of this width."""
    if stdout.is_terminal:
        return stdout
    columns = os.environ.get("COLUMNS", "")
    return Shown(width=int(columns) if columns.isdecimal() and int(columns) else width, file=stdout.file)


def print_json(value: object) -> None:
    """JSON on standard output, readable and in UTF-8."""
    stdout.out(visible_json(json.dumps(value, ensure_ascii=False, indent=1)), highlight=False)


def print_rows(
    columns: Sequence[str], rows: Sequence[Sequence[str]], title: str = "", *, dense: bool = False
) -> None:
    """A table whose cells are shown as they are; a list, where a table would break words.

    ``dense``: all that the list says of a row is in a paragraph.
    """
    console = wide(_PIPED)
    found = [_least(position, column, rows) for position, column in enumerate(columns)]
    free = console.width - sum(width + 3 for width in found) - 1
    if free >= 0:
        wanted = [_widest((column, *(row[i] for row in rows))) - found[i] for i, column in enumerate(columns)]
        for done, i in enumerate(sorted(range(len(columns)), key=lambda i: wanted[i])):
            more = min(wanted[i], free // (len(columns) - done))
            found[i], free = found[i] + more, free - more
        table = Table(title=escape(title) or None, title_justify="left")
        for i, column in enumerate(columns):
            # The first column holds what a user types: it is never broken.
            table.add_column(column, overflow="fold", no_wrap=i == 0, width=found[i])
        for row in rows:
            table.add_row(*(Text(visible(cell)) for cell in row))
        console.print(table)
        return
    say(title, to=console)
    print_list(console, columns, rows, dense=dense)


def _least(position: int, column: str, rows: Sequence[Sequence[str]]) -> int:
    """The width below which a column would break a word, or what a user types."""
    texts = [column, *(row[position] for row in rows)]
    parts = [part for text in texts for part in (text.split("\n") if position == 0 else text.split())]
    return max(map(cell_len, parts), default=0)


def _widest(texts: Iterable[str]) -> int:
    return max((cell_len(line) for text in texts for line in visible(text).split("\n")), default=0)


def print_brief(rows: Sequence[Sequence[str]], *, cut: bool = False) -> None:
    """Rows in columns without lines; on a terminal the last cell is wrapped within its column, or ``cut`` to one line."""
    widths = [_widest(column) for column in list(zip(*rows, strict=True))[:-1]]
    shown: list[str] = []
    for *first, last in rows:
        head = "".join(
            set_cell_size(visible(cell), width + 2) for cell, width in zip(first, widths, strict=True)
        )
        text, room = Text(visible(last)), max(stdout.width - cell_len(head), _LEAST)
        lines = [text]
        if stdout.is_terminal and cut:
            text.truncate(room, overflow="ellipsis")
        elif stdout.is_terminal:
            lines = list(text.wrap(stdout, room))
        for line in lines:
            shown.append(f"{head}{line.plain}".rstrip())
            head = " " * cell_len(head)
    if shown:
        say("\n".join(shown), to=stdout)


def print_list(
    console: Console, columns: Sequence[str], rows: Sequence[Sequence[str]], *, dense: bool = False
) -> None:
    """Each row as its first cell, and beneath it the others by name, a line each or (``dense``) in a paragraph."""
    for first, *rest in rows:
        say(first, to=console, style="bold")
        told = [f"{column}: {cell}" for column, cell in zip(columns[1:], rest, strict=True) if cell]
        for line in ["; ".join(told)] if dense else told:
            say(f"  {line}", to=console)
