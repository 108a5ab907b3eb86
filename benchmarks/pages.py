"""Tables of benchmarks go into pages between two marks, so that nobody types them."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def into_page(page: str, name: str, lines: Sequence[str]) -> None:
    """Put lines in place of those between ``<!-- NAME -->`` and ``<!-- end of NAME -->`` of a page of docs/.

    Of several tables with one head, measured one after another, one is made; what is no row stands above it.
    """
    table = [line for line in dict.fromkeys(lines) if line.startswith("|")]
    told = [line for line in dict.fromkeys(lines) if line and not line.startswith("|")]
    path = ROOT / "docs" / page
    text = path.read_text(encoding="utf-8")
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    before, rest = text.split(begin)
    _, after = rest.split(end)
    path.write_text(
        "".join([before, begin, "\n", *(f"{line}\n" for line in [*told, "", *table]), "\n", end, after]),
        encoding="utf-8",
    )


def show(lines: Iterable[str], page: str, name: str, *, put: bool) -> None:
    """Print lines as they are measured, and put them into the page where that is asked."""
    shown = []
    for line in lines:
        print(line, flush=True)
        shown.append(line)
    if put:
        into_page(page, name, shown)


def arguments(about: str | None, sets: int) -> argparse.ArgumentParser:
    """What benchmarks of many cases take: how many sets, and which cases."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--sets", type=int, default=sets)
    parser.add_argument("--cases", type=int, nargs="*", help="numbers of the cases, from 0; all")
    return parser
