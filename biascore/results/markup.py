"""Pieces of HTML for notebooks, without scripts: every text in them is shown as it is."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from biascore.basics.visible import visible


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with a head."""
    head = "".join(f"<th>{text_of(column)}</th>" for column in columns)
    body = "".join("<tr>" + "".join(f"<td>{text_of(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def bullets(lines: Iterable[str]) -> str:
    """A list, or nothing where there is no line."""
    entries = "".join(f"<li>{text_of(line)}</li>" for line in lines)
    return f"<ul>{entries}</ul>" if entries else ""


def details(content: str, summary: str = "Details") -> str:
    """What is shown when it is opened."""
    return f"<details><summary>{text_of(summary)}</summary>{content}</details>" if content else ""


def text_of(text: str) -> str:
    """A text as HTML shows it, with what would act made visible."""
    return html.escape(visible(text))
