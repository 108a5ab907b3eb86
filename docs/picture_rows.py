"""Rows of the report's first screen as small SVG pictures, for the pages: python docs/picture_rows.py [PICTURE ...]

What is measured are `planted:` models, so that everybody can make the same pictures; what a row shows comes from the report.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from biascore import Engine, Run, compare
from biascore.report.lanes import Drawn, Lane, Scale, panels
from biascore.results.rows import Row, change_row, test_row

PICTURES = Path(__file__).resolve().parent / "pictures"
MEASURED = {
    "rows-seat": ("seat", "planted:gender=1", "en/weat[678]", {}),
    "rows-lpbs": ("lpbs", "planted:gender=1", "en/weat[678]", {}),
    "rows-bbq": ("bbq", "planted:en/choices-*=1.9", "en/choices-*", {"way": "text"}),
    "rows-discrim-eval": ("discrim-eval", "planted:en/decisions_own=1", "en/decisions_own", {}),
    "rows-robust": (
        "robust-association",
        "planted:en/character_serenity=0.5",
        "en/character_serenity",
        {"pairs": 4},
    ),
    "rows-gg-weat": ("gg-weat", "planted:es/gg-weat=1", "es/gg-weat", {}),
}
"""A picture's name: metric, model, tests and options."""
WIDTH, LEFT, RIGHT, HEIGHT = 800, 290, 190, 46
STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#1d2126}.s{font-size:11px;fill:#596270}.c{text-anchor:middle}"
    "g{color:#596270}.detected{color:#a84300}.hint{color:#7a6200}.negligible{color:#00704f}"
    ".increased,.changed-sign{color:#86198f}.decreased{color:#1d5fa8}"
    ".i{stroke:currentColor;stroke-width:3;stroke-linecap:round}.p{fill:#fff;stroke:currentColor;stroke-width:2.5}"
    ".detected .p,.increased .p,.decreased .p,.changed-sign .p{fill:currentColor}.inconclusive .i{stroke-dasharray:5 5}"
    ".b{fill:#e1e4e8;opacity:.6}.n{stroke:#596270}"
)
"""The colours of the report (``style.css``), on paper."""


def place(at: float) -> str:
    """A place on the axis, of per cent of its width, in the picture."""
    return f"{LEFT + at / 100 * (WIDTH - LEFT - RIGHT):.1f}"


def mark(one: Drawn, y: int) -> str:
    """Interval and point, in the colour of the state."""
    line = (
        ""
        if one.low is None or one.high is None
        else (f'<line class="i" x1="{place(one.low)}" x2="{place(one.high)}" y1="{y}" y2="{y}"/>')
    )
    return f'<g class="{one.state.replace(" ", "-")}">{line}<circle class="p" cx="{place(one.at)}" cy="{y}" r="6"/></g>'


def drawn(row: Row, lane: Lane, top: int) -> Iterable[str]:
    """One row: its name, its lane, and value, interval and state in words."""
    yield f'<text x="0" y="{top + 20}">{escape(short(row.name))}</text>'
    yield f'<text class="s" x="0" y="{top + 36}">{escape(short(row.says))}</text>'
    if lane.bound:
        low, high = map(place, lane.bound)
        yield f'<rect class="b" x="{low}" y="{top}" width="{float(high) - float(low):.1f}" height="{HEIGHT}"/>'
    if lane.neutral is not None:
        yield f'<line class="n" x1="{place(lane.neutral)}" x2="{place(lane.neutral)}" y1="{top}" y2="{top + HEIGHT}"/>'
    yield mark(lane.lead, top + HEIGHT // 2)
    yield f'<text x="{WIDTH - RIGHT + 14}" y="{top + 20}">{escape(row.state)}</text>'
    yield f'<text class="s" x="{WIDTH - RIGHT + 14}" y="{top + 36}">{escape(row.value)} [{escape(row.interval)}]</text>'


def short(text: str) -> str:
    """As much of a text as has room next to the axis."""
    return text if len(text) <= 42 else f"{text[:41].rsplit(' ', 1)[0]} …"


def axis(scale: Scale, top: int) -> Iterable[str]:
    """The labels of an axis, above its rows."""
    yield f'<text class="s" x="0" y="{top + 26}">{escape(scale.label)}</text>'
    for tick in scale.ticks:
        yield f'<text class="s c" x="{place(tick.at)}" y="{top + 26}">{escape(tick.text)}</text>'
        if tick.what:
            yield f'<text class="s c" x="{place(tick.at)}" y="{top + 12}">{escape(tick.what)}</text>'


def picture(name: str, rows: Sequence[Row]) -> None:
    """Write the rows, those of one unit under one axis."""
    parts, top = [], 0
    for panel in panels(rows):
        if panel.scale is None:
            continue
        parts += axis(panel.scale, top)
        top += 32
        for row, lane in panel.rows:
            if lane is not None:
                parts += drawn(row, lane, top)
                top += HEIGHT
    told = "; ".join(lane.told for panel in panels(rows) for _, lane in panel.rows if lane)
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top + 4}" role="img" aria-label="{escape(told)}">'
        f"<style>{STYLE}</style><rect width='{WIDTH}' height='{top + 4}' fill='#fff'/>{''.join(parts)}</svg>\n"
    )
    (PICTURES / f"{name}.svg").write_text(svg, encoding="utf-8")


def rows_of(run: Run) -> list[Row]:
    """A row for each measurement."""
    return [test_row(number, run.measurements, run.verdicts) for number in range(len(run.measurements))]


def main(*wanted: str) -> None:
    """All pictures, or those that are named."""
    engine = Engine(cache=None)
    for name, (metric, model, tests, options) in MEASURED.items():
        if not wanted or name in wanted:
            picture(name, rows_of(engine.measure(metric, model, tests, **options)))
    if not wanted or "rows-compare" in wanted:
        old, new = (engine.measure("weat", f"planted:gender={d}", "en/weat[678]") for d in (1.6, 0.2))
        found = compare(old, new)
        picture("rows-compare", [change_row(number, one) for number, one in enumerate(found)])
    if not wanted or "rows-states" in wanted:
        run = engine.measure(
            "weat",
            "planted:en/audit-gender-career-family=1.2,en/audit-age-valence=0,en/weat6=0.8",
            ["en/audit-gender-career-family", "en/audit-age-valence", "en/weat6"],
            bound=0.5,
        )
        picture("rows-states", rows_of(run))


if __name__ == "__main__":
    main(*sys.argv[1:])
