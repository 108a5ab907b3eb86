"""A run as tables for LaTeX, of few columns that fit the width of a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from biascore.basics.visible import visible
from biascore.basics.wording import MINUS, true_minus
from biascore.exporter import Exported, Exporter
from biascore.exporting.tables import notes, tables_of, titles_of
from biascore.results.summary import SummaryRow, p_shown
from biascore.results.table_notes import below_table
from biascore.results.words.answers import findings

if TYPE_CHECKING:
    from biascore.results.run import Run

_POWER: Final = re.compile(r"(\d(?:\.\d+)?)e([+-])0*(\d+)")
_ESCAPED: Final = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}", "–": "--", "\n": " "}
)
_LEAST_P: Final = 0.001
_WRAPPED: Final = r">{\raggedright\arraybackslash}X"


class Cells(NamedTuple):
    """A row with what its cells need of the others: the title of its test, and decimals that are equal in its unit."""

    row: SummaryRow
    title: str
    places: int | None

    def number(self, value: float | None, text: str) -> str:
        """With the decimals of the unit; ``text`` where there are none."""
        return text if value is None or self.places is None else f"{value:z,.{self.places}f}"

    @property
    def effect(self) -> str:
        """``0.94 [0.30, 1.33]``."""
        row = self.row
        size = self.number(row.effect, row.size)
        if row.ci_low is None or row.ci_high is None:
            return size
        low, _, high = row.interval.partition(" to ")
        return f"{size} [{self.number(row.ci_low, low)}, {self.number(row.ci_high, high)}]"


class Column(NamedTuple):
    """A column: its head, how LaTeX sets it, and its cell."""

    head: str
    align: str
    cell: Callable[[Cells], str]
    number: bool = False


COLUMNS: Final[Mapping[str, Column]] = {
    "test": Column("Test", "l", lambda of: of.row.test),
    "title": Column("Title", _WRAPPED, lambda of: of.title or of.row.test),
    "model": Column("Model", _WRAPPED, lambda of: of.row.model),
    "concept": Column("Concept", _WRAPPED, lambda of: of.row.concept or "–"),
    "metric": Column("Metric", _WRAPPED, lambda of: of.row.metric),
    "estimate": Column("Estimate", _WRAPPED, lambda of: of.row.estimate),
    "n": Column("n", "l", lambda of: " + ".join(part.partition(" ")[0] for part in of.row.n.split(" + "))),
    "effect": Column("Effect", "l", lambda of: of.effect, number=True),
    "p": Column(
        "p",
        "l",
        lambda of: _p(of.row.p_value if of.row.p_adjusted is None else of.row.p_adjusted),
        number=True,
    ),
    "p_unadjusted": Column("p unadjusted", "l", lambda of: _p(of.row.p_value), number=True),
    "verdict": Column("Verdict", "l", lambda of: of.row.verdict),
    "notes": Column("Notes", _WRAPPED, lambda of: _note(of.row)),
}


_DEFAULT: Final = ("test", "model", "metric", "n", "effect", "p", "verdict")


class Latex(Exporter):
    """Tables for LaTeX with booktabs and tabularx; a model or metric that all rows share is in the caption."""

    id: ClassVar[str] = "latex"
    summary: ClassVar[str] = "tables for LaTeX, which need \\usepackage{booktabs,tabularx}"
    suffix: ClassVar[str] = ".tex"
    columns: ClassVar[tuple[str, ...]] = tuple(COLUMNS)

    def export(self, run: Run) -> tuple[Exported, ...]:
        """The tables, one for each role, and comments on how to read them."""
        titles = titles_of(run)
        found = [
            f"% {_latex(run.title)}: tables by biascore {run.provenance.biascore_version}; they need booktabs and tabularx"
        ]
        default = ("test", "model", "metric", "estimate", *_DEFAULT[3:]) if self.estimates else _DEFAULT
        for title, rows in tables_of(run, self.estimates):
            shared = [] if self.chosen else [name for name in ("model", "metric") if _same(rows, name)]
            names = self.chosen or tuple(name for name in default if name not in shared)
            found += _table(names, rows, titles, " ".join([_headed(title, rows, shared), *notes(run)]))
        told = (answer.text for answer in findings(run.answers))
        return (
            Exported("\n".join([*found, *(f"% {_latex(line)}" for line in (*told, *below_table(run))), ""])),
        )


def _same(rows: Sequence[SummaryRow], name: str) -> bool:
    return len({getattr(row, name) for row in rows}) == 1


def _headed(title: str, rows: Sequence[SummaryRow], shared: Sequence[str]) -> str:
    """The title of a table with what all its rows share, and what its effects are, in which unit."""
    units: dict[str, list[str]] = {}
    for row in rows:
        units.setdefault(f"{row.estimate} ({row.unit})", []).append(row.metric)
    said = [
        text if len(units) == 1 else f"{', '.join(dict.fromkeys(metrics))}: {text}"
        for text, metrics in units.items()
    ]
    all_share = ", ".join(getattr(rows[0], name) for name in shared)
    return f"{title}{f': {all_share}' if all_share else ''}. Effect: {'; '.join(said)}, with its interval."


def _table(
    names: Sequence[str], rows: Sequence[SummaryRow], titles: Mapping[str, str], caption: str
) -> Iterator[str]:
    columns = [COLUMNS[name] for name in names]
    wraps = any(column.align is _WRAPPED for column in columns)
    kind, width = ("tabularx", r"{\linewidth}") if wraps else ("tabular", "")
    yield r"\begin{table}"
    yield r"\footnotesize"
    yield rf"\caption{{{_latex(caption)}}}"
    yield rf"\begin{{{kind}}}{width}{{@{{}}{''.join(column.align for column in columns)}@{{}}}}"
    yield r"\toprule"
    yield " & ".join(column.head for column in columns) + r" \\"
    yield r"\midrule"
    for cells in _cells(rows, titles):
        yield " & ".join(_cell(column, cells) for column in columns) + r" \\"
    yield r"\bottomrule"
    yield rf"\end{{{kind}}}"
    if "notes" not in names:
        yield from _below(rows)
    yield r"\end{table}"


def _cells(rows: Sequence[SummaryRow], titles: Mapping[str, str]) -> Iterator[Cells]:
    """The rows with as many decimals as the finest of their unit needs; none where one is a power of ten."""
    for row in rows:
        sizes = [one.size for one in rows if one.unit == row.unit and one.effect is not None]
        places = (
            None
            if any("e" in size for size in sizes)
            else max((_decimals(one) for one in sizes), default=None)
        )
        yield Cells(row, titles[row.test], places)


def _decimals(text: str) -> int:
    return len(text.partition(".")[2])


def _below(rows: Sequence[SummaryRow]) -> list[str]:
    """What has to be said with verdicts, once for all tests that share it."""
    shared: dict[str, list[str]] = {}
    for row in rows:
        if note := _note(row):
            shared.setdefault(note, []).append(row.test)
    lines = [f"{', '.join(dict.fromkeys(tests))}: {note}." for note, tests in shared.items()]
    return [rf"\par\smallskip\raggedright {_latex(' '.join(lines))}\par"] if lines else []


def _note(row: SummaryRow) -> str:
    """Its note without its role, which is the table's, and its caveats."""
    parts = [part for part in row.note.split("; ") if part != row.role]
    return "; ".join(filter(None, [*parts, row.caveats]))


def _p(value: float | None) -> str:
    """With three decimals, where they show it."""
    return p_shown(value) if value is None or value < _LEAST_P else f"{value:z.3f}"


def _cell(column: Column, cells: Cells) -> str:
    """With the minus and the powers of ten of mathematics in numbers."""
    text = column.cell(cells)
    if not column.number:
        return _latex(text)
    return _POWER.sub(_power, _latex(true_minus(text)).replace(MINUS, "$-$"))


def _power(found: re.Match[str]) -> str:
    digits, sign, exponent = found.groups()
    return rf"${digits} \times 10^{{{sign.replace('+', '')}{exponent}}}$"


def _latex(text: str) -> str:
    return visible(text).translate(_ESCAPED)
