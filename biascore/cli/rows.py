"""Rows on the terminal: a name, a picture of the interval, a value and a state, each on one line, within the width."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from biascore.basics.visible import visible
from biascore.results.measurement import Measurement
from biascore.results.rows import Axis, Mark
from biascore.results.verdicts import DEVIATIONS, RunVerdict, State
from biascore.terminal.console import say
from biascore.terminal.pictures import Glyphs, Scale, glyphs_of, picture, widest, written

COLOURS: Final[Mapping[str, str]] = {
    **{"detected": "red", "hint": "magenta", "negligible": "green", "inconclusive": "yellow"},
    **{"not measured": "dim", "failed": "bold red", "increased": "red", "changed sign": "red"},
    **{"decreased": "green"},
}
GAP: Final = 2
"""Cells between two columns."""
_MOST_PICTURE: Final = 33
_LEAST_PICTURE: Final = 14
_MOST_NAME: Final = 26


class Entry(NamedTuple):
    """What a line says: ``told`` is the state with what belongs to it, ``last`` a remark in a few characters.

    ``more`` are lines of their own beneath it.
    """

    name: str
    state: str
    told: str
    value: str = ""
    last: str = ""
    axis: Axis | None = None
    mark: Mark | None = None
    more: tuple[str, ...] = ()


def write(text: str, *, to: Console, style: str = "", label: str = "") -> None:
    """A paragraph within the width, also in a pipe."""
    say(written(text, glyphs_of(to.encoding)), to=to, style=style, label=label, wrap=True)


def harmless(measurement: Measurement, said: RunVerdict, glyphs: Glyphs) -> str:
    """``2/100 ✓``: how many harmless pairs reach what is detected or a hint, and whether that is few; else empty."""
    found = measurement.specificity
    if found is None or State.of(measurement, said) not in (State.DETECTED, State.HINT):
        return ""
    if found.share is None:
        return "no groups"
    count = found.told.partition(" harmless")[0].replace("fewer than ", "<").replace(" of ", "/")
    return f"{count} {glyphs.yes}" if found.specific else count


def state_told(measurement: Measurement, said: RunVerdict) -> str:
    """The state in a word; a hint that is none after adjustment says so."""
    state, found = State.of(measurement, said), measurement.specificity
    by_luck = state is State.HINT and (found is None or found.specific)
    return f"{state.value} (p)" if by_luck else state.value


def print_entries(
    console: Console,
    entries: Sequence[Entry],
    name: str,
    last: str = "",
    *,
    neutral: str = "no bias",
    among: Sequence[Entry] = (),
) -> None:
    """The entries under these heads, those of a scale together; what has none comes with the last.

    ``neutral``: what the neutral value of a scale means. ``among``: all entries that are to be compared with these, so that
    columns and scales are the same.
    """
    glyphs = glyphs_of(console.encoding)
    entries = [one._replace(name=visible(one.name)) for one in entries]
    every = among or entries
    names = min(widest([name, *(visible(one.name) for one in every)]), _MOST_NAME)
    values = widest([_unit(one.axis) for one in every if one.axis] + [one.value for one in every])
    told = widest(["state", *(one.told for one in every)])
    lasts = widest([one.last for one in every])
    lasts = max(lasts, cell_len(last)) if lasts else 0
    room = console.width - names - values - told - lasts - GAP * (3 + bool(lasts))
    width = min(room, _MOST_PICTURE) if room >= _LEAST_PICTURE else 0
    scales = {_scale(axis): list(_ends(some)) for axis, some in _by_scale(every) if axis}
    groups = _by_scale(entries)
    for number, (axis, some) in enumerate(groups):
        if number:
            write("", to=console)
        scale = Scale.over(scales[_scale(axis)] if axis else (), max(width, 1))
        if axis is not None and (len(scales) > 1 or axis.unit != DEVIATIONS):
            write(_of_axis(axis, neutral), to=console, style="dim")
        head = [(name, names, "")]
        head += [(scale.labels(axis.neutral if axis else None) if axis else "", width, "")] if width else []
        head += [
            (_unit(axis).rjust(values), values, ""),
            ("state", told, ""),
            (last if lasts else "", lasts, ""),
        ]
        print_line(console, head, glyphs, "dim")
        for one in some:
            _print_entry(console, one, scale if width else None, glyphs, (names, width, values, told, lasts))


def _print_entry(
    console: Console, one: Entry, scale: Scale | None, glyphs: Glyphs, widths: tuple[int, int, int, int, int]
) -> None:
    names, width, values, told, lasts = widths
    colour = COLOURS.get(one.state, "")
    cells = [(one.name, names, "")]
    if cell_len(one.name) > names:  # a name is whole: what follows stands beneath it
        write(one.name, to=console)
        cells = [("", names, "")]
    drawn, at = _drawn(one, scale, glyphs)
    if width:
        cells += [(drawn, width, "")]
    cells += [(one.value.rjust(values), values, ""), (one.told, told, colour), (one.last, lasts, "")]
    print_line(console, cells, glyphs, marked=(names + GAP + at, colour) if drawn else None)
    for text in one.more:
        write(f"    {text}", to=console, style="dim")


def _drawn(one: Entry, scale: Scale | None, glyphs: Glyphs) -> tuple[str, int]:
    if scale is None or one.axis is None or one.mark is None:
        return "", 0
    return picture(
        scale,
        glyphs,
        glyphs.marks.get(one.mark.state, "?"),
        one.mark.value,
        one.mark.ends,
        neutral=one.axis.neutral,
        bound=one.axis.bound,
        dashed=one.mark.state == State.INCONCLUSIVE,
    )


def print_line(
    console: Console,
    cells: Iterable[tuple[str, int, str]],
    glyphs: Glyphs,
    style: str = "",
    marked: tuple[int, str] | None = None,
) -> None:
    """Cells of their widths in a line, each with its style; one character of it may be ``marked`` by another."""
    line = Text(style=style)
    for text, width, own in cells:
        line.append(set_cell_size(written(text, glyphs), width), own)
        line.append(" " * GAP)
    if marked:
        line.stylize(marked[1], marked[0], marked[0] + 1)
    line.rstrip()
    console.print(line, highlight=False, soft_wrap=True)


def _scale(axis: Axis) -> tuple[str, str, float | None]:
    """What axes share a scale: whatever their bounds are."""
    return axis.name, axis.unit, axis.neutral


def _by_scale(entries: Sequence[Entry]) -> list[tuple[Axis | None, list[Entry]]]:
    groups: dict[tuple[str, str, float | None], tuple[Axis | None, list[Entry]]] = {}
    rest = []
    for one in entries:
        if one.axis is None:
            rest.append(one)
        else:
            groups.setdefault(_scale(one.axis), (one.axis, []))[1].append(one)
    found = list(groups.values()) or [(None, [])]
    found[-1][1].extend(rest)
    return found


def _ends(some: Iterable[Entry]) -> Iterable[float]:
    for one in some:
        if one.axis is None or one.mark is None:
            continue
        yield from one.mark.ends
        if one.axis.neutral is not None:
            bound = one.axis.bound or 0.0
            yield from (one.axis.neutral - bound, one.axis.neutral + bound)


def _unit(axis: Axis | None) -> str:
    """``d``, or nothing: other estimates are named above their rows."""
    return axis.name.removeprefix("effect size ") if axis and axis.unit == DEVIATIONS else ""


def _of_axis(axis: Axis, means: str) -> str:
    unit = f" ({axis.unit})" if axis.unit and axis.unit not in axis.name else ""
    neutral = "" if axis.neutral is None else f": {axis.neutral:g} is {means}"
    return f"{axis.name}{unit}{neutral}"


def legend(console: Console, entries: Sequence[Entry], *, level: float | None) -> str:
    """What the signs of these entries mean, of those that they have."""
    glyphs = glyphs_of(console.encoding)
    states = {one.mark.state for one in entries if one.mark is not None}
    signs = [f"{glyphs.marks[state]} {state}" for state in glyphs.marks if state in states]
    bounds = {one.axis.bound for one in entries if one.axis and one.axis.bound is not None}
    of = f" {bounds.pop():g}" if len(bounds) == 1 else "s" if bounds else ""
    signs += [f"{glyphs.bound * 2} bound{of}"] if of else []
    if level is not None:
        signs.append(f"{glyphs.line} {100 * level:g} % interval")
    return "  ".join(signs)
