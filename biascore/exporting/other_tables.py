"""Gates, mappings and comparisons as Markdown, as a run is written in ``tables``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from biascore.basics.wording import true_minus
from biascore.comparing.words import NOT_UNCHANGED, answer, sections
from biascore.exporting.tables import markdown
from biascore.results.comparison import Comparison, Difference
from biascore.results.estimates import format_p
from biascore.results.gates import GateResult, gates_line
from biascore.results.mappings import SILENT, MappingUsed


def markdown_of_gates(title: str, gates: Sequence[GateResult]) -> str:
    """What each gate came to, and each of its checks."""
    lines = [f"**{markdown(title)}**", "", f"**{markdown(gates_line(gates))}**", ""]
    for gate in gates:
        rows = [(check.held.value, check.what, check.criterion, check.reason) for check in gate.checks]
        lines += [
            markdown(gate.line),
            "",
            *_table(("outcome", "measurement", "criterion", "reason"), rows),
            "",
        ]
        lines += [f"- warning: {markdown(caution)}" for caution in gate.cautions]
    return "\n".join(lines) + "\n"


def markdown_of_mappings(title: str, mappings: Sequence[MappingUsed]) -> str:
    """What a run offers to each item of each mapping, and what no run shows."""
    lines = [f"**{markdown(title)}**", ""]
    for one in mappings:
        lines += [f"{markdown(one.title)} ({markdown(one.version)}): {one.in_short}", ""]
        rows = [
            (
                item.id,
                item.words,
                item.state.value,
                "; ".join(f"{offer.what}: {offer.state} ({offer.found})" for offer in item.offers),
                item.cannot,
                f"{item.source} ({item.date})",
            )
            for item in one.items
        ]
        lines += [*_table(("item", "asks", "state", "this run", "no run shows", "source"), rows), ""]
    return "\n".join([*lines, SILENT]) + "\n"


def markdown_of_comparison(found: Comparison) -> str:
    """The answer, the changes by role, and what could not be compared."""
    lines = [
        f"**{markdown(' and '.join(dict.fromkeys([found.old.title, found.new.title])))}**",
        "",
        f"**{markdown(answer(found))}**",
        "",
    ]
    heads = ("test", "metric", "models", "estimate", "old", "new", "change", "p adjusted", "outcome")
    for section in sections(found):
        lines += [f"{markdown(section.title)}: {markdown(section.counts)}", ""]
        lines += [*_table(heads, [tuple(_cells(one)) for one in section.changes]), ""]
        lines += [f"- {markdown(note)}" for note in section.notes]
    refused = [f"not comparable: {one.what}: {'; '.join(one.reasons)}" for one in found.not_comparable]
    lines += [f"- {markdown(text)}" for text in (*refused, *found.failed, *found.warnings)]
    return "\n".join([*lines, "", NOT_UNCHANGED]) + "\n"


def _cells(one: Difference) -> Iterator[str]:
    yield " ".join(filter(None, [one.test, one.subject]))
    yield one.method
    yield one.models
    yield one.estimate
    yield _number(one.old.value)
    yield _number(one.new.value)
    ends = one.change.interval
    yield _number(one.change.value) + (f" ({_number(ends.low)} to {_number(ends.high)})" if ends else "")
    yield "-" if one.p_adjusted is None else format_p(one.p_adjusted)
    yield one.outcome.value


def _number(value: float | None) -> str:
    return "-" if value is None else true_minus(f"{value:z.3g}")


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    cells = [heads, ["---"] * len(heads), *([markdown(cell) for cell in row] for row in rows)]
    return [f"| {' | '.join(row)} |" for row in cells]
