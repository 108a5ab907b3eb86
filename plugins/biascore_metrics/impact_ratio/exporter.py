"""Summaries of bias audits as Local Law 144 has them published: in Markdown, HTML and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from types import MappingProxyType
from typing import ClassVar, Final

from biascore.api.exporters import Exported, Exporter, Run
from biascore_metrics.impact_ratio.summary import FACTS, JUSTIFICATION, Line, Share, Summary, Table, summaries

UNKNOWN: Final = "Unknown"
ALL: Final = "All with a category"
TITLES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "date": "Date of the bias audit",
        "distributed": "Tool in use since (distribution date)",
        "source": "Source of the data",
        "explanation": "Explanation of the data",
        JUSTIFICATION: "Why ratios of small categories are left out",
    }
)
SILENT: Final = (
    "These tables count what was decided. Nothing that people differ in is held constant, so they do not say why rates "
    "differ. Local Law 144 sets no threshold; whether a tool may be used, and whether this summary is all that has to be "
    "published, is a question for a lawyer."
)
STYLE: Final = (
    "body{font:16px/1.5 system-ui,sans-serif;color:#1a1a1a;max-width:56rem;margin:2rem auto;padding:0 1rem}"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1.5rem}dt{font-weight:600}dd{margin:0}"
    "table{border-collapse:collapse;width:100%;margin:1.5rem 0;font-variant-numeric:tabular-nums}"
    "caption{text-align:left;font-weight:600;font-size:1.1rem;padding-bottom:.3rem}"
    "th,td{padding:.3rem .6rem;border-bottom:1px solid #ccc;text-align:right}th:first-child{text-align:left}"
    "tbody th{font-weight:400}tr.sum th,tr.sum td{border-top:2px solid #666}td.ends{color:#555;white-space:nowrap}"
    "div{overflow-x:auto}@media(max-width:40rem){dl{display:block}table{font-size:.8rem}th,td{padding:.2rem .3rem}}"
)


class ImpactTables(Exporter):
    """A summary of each measurement of ``impact-ratio``: facts, a table for each group and each two, and caveats."""

    id: ClassVar[str] = "impact-tables"
    summary: ClassVar[str] = (
        "the summary of a bias audit that Local Law 144 has published: rates, impact ratios (Markdown, HTML, CSV)"
    )
    suffix: ClassVar[str] = ".md"
    endings: ClassVar[tuple[str, ...]] = (".html", ".csv")
    facts: ClassVar[Mapping[str, str]] = FACTS

    def export(self, run: Run) -> tuple[Exported, ...]:
        """One text; raises what ``summaries`` does."""
        found = summaries(run, self.stated, self.id)
        return (Exported(WRITERS[self.ending or self.suffix](found)),)


class LocalLaw144(ImpactTables):
    """The same by another name."""

    id: ClassVar[str] = "ll144"


def _facts(one: Summary) -> Iterator[tuple[str, str]]:
    yield from ((title, one.facts[name]) for name, title in TITLES.items() if name in one.facts)
    yield "People", f"{one.people:,}"
    yield from (
        (f"{UNKNOWN}, {table.group}", f"{table.unknown:,}, in no category of that table")
        for table in one.tables
    )
    if one.median is None:
        yield "Selection rate", f"people selected ({one.outcome}) / people of the category"
    else:
        yield "Median score", f"{one.median:g}, of all people ({one.outcome})"
        yield "Scoring rate", "people who score above the median, not at it / people of the category"
    yield "Impact ratio", "rate / highest rate of the table"
    yield (
        "Intervals",
        f"{100 * one.level:g} %; those of ratios hold for all pairs of categories of a table at once",
    )


def _head(one: Summary) -> tuple[str, ...]:
    ends = f"{100 * one.level:g} % interval"
    return "people", one.chosen, one.rate, ends, "impact ratio", ends


def _cells(one: Line) -> tuple[str, ...]:
    ratio = "left out" if one.ratio is None else _number(one.ratio.value, 2)
    rate = f"{_number(one.rate.value, 3)}"
    return (
        f"{one.people:,}",
        f"{one.selected:,}",
        rate,
        _ends(one.rate, 3),
        ratio,
        "highest rate" if one.highest else _ends(one.ratio, 2),
    )


def _number(value: float | None, digits: int) -> str:
    return "none selected" if value is None else f"{value:z.{digits}f}"


def _ends(share: Share | None, digits: int) -> str:
    if share is None or share.low is None or share.high is None:
        return ""
    high = "no end" if share.high == float("inf") else f"{share.high:z.{digits}f}"
    return f"{share.low:z.{digits}f} to {high}"


def _sums(table: Table) -> Iterator[tuple[str, tuple[str, ...]]]:
    rate = f"{table.selected / table.people:z.3f}" if table.people else ""
    yield ALL, (f"{table.people:,}", f"{table.selected:,}", rate, "", "", "")
    yield UNKNOWN, (f"{table.unknown:,}", "", "", "", "", "")


def _markdown(found: Sequence[Summary]) -> str:
    return "\n".join(line for one in found for line in _markdown_lines(one))


def _markdown_lines(one: Summary) -> Iterator[str]:
    yield f"# Summary of a bias audit: {_cell(one.tool)}"
    yield ""
    yield from (f"- {_cell(title)}: {_cell(text)}" for title, text in _facts(one))
    head = _head(one)
    for table in one.tables:
        yield from ("", f"| {_cell(table.group)} | {' | '.join(head)} |", f"|---|{'---:|' * len(head)}")
        rows = [*((line.category, _cells(line)) for line in table.lines), *_sums(table)]
        yield from (f"| {_cell(name)} | {' | '.join(cells)} |" for name, cells in rows)
    yield ""
    yield from (f"- {_cell(text)}" for text in one.warnings)
    yield from ("", SILENT, "")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


def _html(found: Sequence[Summary]) -> str:
    body = "\n".join(line for one in found for line in _html_lines(one))
    title = escape(f"Summary of a bias audit: {found[0].tool}")
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{title}</title>\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _html_lines(one: Summary) -> Iterator[str]:
    yield f"<h1>Summary of a bias audit: {escape(one.tool)}</h1>"
    yield "<dl>"
    yield from (f"<dt>{escape(title)}</dt><dd>{escape(text)}</dd>" for title, text in _facts(one))
    yield "</dl>"
    for table in one.tables:
        heads = "".join(f'<th scope="col">{escape(text)}</th>' for text in _head(one))
        yield f"<div><table><caption>By {escape(table.group)}</caption>"
        yield f'<thead><tr><th scope="col">category</th>{heads}</tr></thead>'
        yield "<tbody>"
        yield from (_row(line.category, _cells(line)) for line in table.lines)
        for name, cells in _sums(table):
            yield _row(name, cells, ' class="sum"' if name == ALL else "")
        yield "</tbody></table></div>"
    if one.warnings:
        yield from (
            "<h2>To be known</h2>",
            "<ul>",
            *(f"<li>{escape(text)}</li>" for text in one.warnings),
            "</ul>",
        )
    yield f"<p>{escape(SILENT)}</p>"


def _row(name: str, cells: Sequence[str], kind: str = "") -> str:
    shown = (
        f'<td class="ends">{escape(text)}</td>' if place in (3, 5) else f"<td>{escape(text)}</td>"
        for place, text in enumerate(cells)
    )
    return f'<tr{kind}><th scope="row">{escape(name)}</th>{"".join(shown)}</tr>'


def _csv(found: Sequence[Summary]) -> str:
    """A row for each category, and one for people without: empty cells are numbers that there are not."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    numbers = (
        "people",
        "selected",
        "rate",
        "rate_low",
        "rate_high",
        "impact_ratio",
        "ratio_low",
        "ratio_high",
    )
    writer.writerow(
        ("group", "category", "row", *numbers, "rate_is", "median_score", "tool", "all_people", *TITLES)
    )
    for one in found:
        facts = (one.facts.get(name, "") for name in TITLES)
        same = (one.rate, one.median, one.tool, one.people, *facts)
        for table in one.tables:
            for line in table.lines:
                ratio = line.ratio or Share(None)
                kind = "left out" if line.ratio is None else "highest" if line.highest else "category"
                counts = (line.people, line.selected, *line.rate, *ratio)
                writer.writerow(map(_plain, (table.group, line.category, kind, *counts, *same)))
            none = ("",) * (len(numbers) - 1)
            writer.writerow(map(_plain, (table.group, "", "unknown", table.unknown, *none, *same)))
    return stream.getvalue()


def _plain(value: object) -> object:
    """A cell; a text that a spreadsheet would calculate with begins with an apostrophe."""
    return (
        f"'{value}"
        if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r"))
        else value
    )


WRITERS: Final[Mapping[str, Callable[[Sequence[Summary]], str]]] = MappingProxyType(
    {".md": _markdown, ".html": _html, ".csv": _csv}
)
