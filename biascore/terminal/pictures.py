"""A value with its interval in a row of characters, on a scale that several rows share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from rich.cells import cell_len

_STEPS: Final = (1.0, 2.0, 2.5, 5.0)
_APART: Final = 7
"""A label for every so many characters, at most."""


class Glyphs(NamedTuple):
    """The characters of a picture; ``marks`` by state."""

    neutral: str
    crossed: str
    line: str
    dashed: str
    bound: str
    yes: str
    marks: Mapping[str, str]


_STATES: Final = (
    *("detected", "hint", "negligible", "inconclusive", "described", "not measured", "failed"),
    *("increased", "decreased", "changed sign", "unchanged"),
)
DRAWN: Final = Glyphs(
    *("│", "┼", "─", "╌", "·", "✓"), MappingProxyType(dict(zip(_STATES, "●◐○?◇–✗▲▼◆=", strict=True)))
)
PLAIN: Final = Glyphs(
    *("|", "+", "-", "~", ".", "*"), MappingProxyType(dict(zip(_STATES, "@%o?#_x^v&=", strict=True)))
)
"""For an encoding that lacks the others."""
_ASCII: Final = str.maketrans({"−": "-", "–": "-", "·": "-", "“": '"', "”": '"', "…": "...", "→": "->"})


def glyphs_of(encoding: str) -> Glyphs:
    """Those that an encoding can write."""
    try:
        "".join([*DRAWN[:6], *DRAWN.marks.values()]).encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return PLAIN
    return DRAWN


def written(text: str, glyphs: Glyphs) -> str:
    """A text with these glyphs: where they are plain, its minus signs, dashes and quotation marks are, too."""
    return text if glyphs is DRAWN else text.translate(_ASCII)


class Scale(NamedTuple):
    """From where to where ``width`` characters reach."""

    low: float
    high: float
    width: int

    @classmethod
    def over(cls, ends: Iterable[float], width: int) -> Scale:
        """A scale that reaches over all of these that are finite."""
        known = [end for end in ends if math.isfinite(end)] or [0.0]
        low, high = min(known), max(known)
        if high <= low:
            half = abs(low) / 2 or 1.0
            low, high = low - half, high + half
        return cls(low, high, width)

    def at(self, value: float) -> int:
        """The place of a value, from 0; of one beyond an end, that end."""
        if math.isnan(value):
            return 0
        share = min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)
        return round(share * (self.width - 1))

    def labels(self, first: float | None) -> str:
        """Round numbers over their places; ``first`` in any case, where it is not None."""
        least = (self.high - self.low) / max(self.width / _APART, 1)
        power = 10.0 ** math.floor(math.log10(least))
        step = next((one * power for one in _STEPS if one * power >= least), 10 * power)
        numbers = range(math.ceil(self.low / step), math.floor(self.high / step) + 1)
        row = [" "] * self.width
        for value in (*([] if first is None else [first]), *(number * step for number in numbers)):
            text = f"{value:.6g}".replace("-", "−")
            start = min(max(self.at(value) - (len(text) - 1) // 2, 0), self.width - len(text))
            if start >= 0 and not "".join(row[max(start - 1, 0) : start + len(text) + 1]).strip():
                row[start : start + len(text)] = text
        return "".join(row)


def picture(
    scale: Scale,
    glyphs: Glyphs,
    mark: str,
    value: float,
    ends: tuple[float, float],
    *,
    neutral: float | None,
    bound: float | None,
    dashed: bool = False,
) -> tuple[str, int]:
    """The row of characters, and the place of the ``mark`` in it."""
    row = [" "] * scale.width
    if neutral is not None:
        if bound is not None:
            for place in range(scale.at(neutral - bound), scale.at(neutral + bound) + 1):
                row[place] = glyphs.bound
        row[scale.at(neutral)] = glyphs.neutral
    for place in range(scale.at(ends[0]), scale.at(ends[1]) + 1):
        crossed = row[place] == glyphs.neutral
        row[place] = glyphs.crossed if crossed else glyphs.dashed if dashed else glyphs.line
    at = scale.at(value)
    row[at] = mark
    return "".join(row), at


def widest(texts: Sequence[str]) -> int:
    """The cells of the longest of these."""
    return max(map(cell_len, texts), default=0)
