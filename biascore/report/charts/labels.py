"""Where names of points can stand beside them without covering each other, in pixels of a known plot."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

Align = Literal["left", "center", "right"]
Point = tuple[float, float]

FONT_SIZE: Final = 11
LONGEST: Final = 24
GAP: Final = 7
"""Pixels between the middle of a point and its label."""
MOST_COVERED: Final = 1
"""A label that would cover more points than this is left out, as neither it nor they could be read."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle; ``top`` is less than ``bottom``, as on a screen."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Box) -> bool:
        """Whether the two have an area in common."""
        beside = self.right <= other.left or other.right <= self.left
        return not (beside or self.bottom <= other.top or other.bottom <= self.top)

    def within(self, other: Box) -> bool:
        """Whether no part of this one lies outside of the other."""
        across = other.left <= self.left and self.right <= other.right
        return across and other.top <= self.top and self.bottom <= other.bottom

    def holds(self, point: Point) -> bool:
        """Whether a point lies inside."""
        return self.left < point[0] < self.right and self.top < point[1] < self.bottom


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a label stands by its point: shifted by ``dx`` and ``dy`` pixels, and which part of it is there."""

    dx: float
    dy: float
    align: Align

    def box(self, point: Point, width: float) -> Box:
        """The area that a label of that width covers."""
        start = point[0] + self.dx - {"left": 0.0, "center": width / 2, "right": width}[self.align]
        middle = point[1] + self.dy
        return Box(start, middle - FONT_SIZE * 0.6, start + width, middle + FONT_SIZE * 0.6)


SPOTS: Final = (
    Spot(GAP, 0, "left"),
    Spot(-GAP, 0, "right"),
    Spot(0, -GAP - 4, "center"),
    Spot(0, GAP + 4, "center"),
)


BESIDE_LINES: Final = (
    Spot(GAP - 2, -GAP - 2, "left"),
    Spot(GAP - 2, GAP + 2, "left"),
    Spot(2 - GAP, -GAP - 2, "right"),
    Spot(2 - GAP, GAP + 2, "right"),
    *SPOTS,
)
"""For points with a level and an upright line through them: first the corners between the lines."""


def place(
    labels: Sequence[tuple[str, Point]],
    points: Sequence[Point],
    taken: Sequence[Box],
    frame: Box,
    choice: Sequence[Spot] = SPOTS,
) -> list[Spot | None]:
    """A spot for each label in turn, or None where all of its spots are taken by earlier ones.

    Labels keep inside the frame and off the boxes already taken, and cover as few of the points as can be.
    """
    boxes = list(taken)
    spots: list[Spot | None] = []
    for text, point in labels:
        width = text_width(text)
        free = [
            (sum(box.holds(other) for other in points), order, box)
            for order, box in enumerate(spot.box(point, width) for spot in choice)
            if box.within(frame) and not any(box.overlaps(other) for other in boxes)
        ]
        covered, order, box = min(free, key=lambda found: found[:2], default=(MOST_COVERED + 1, 0, frame))
        if covered > MOST_COVERED:
            spots.append(None)
        else:
            boxes.append(box)
            spots.append(choice[order])
    return spots


def shortened(text: str, longest: int = LONGEST) -> str:
    """A text on one line, cut to so many characters with an ellipsis."""
    line = " ".join(text.split()) or "(empty)"
    return line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…"


def text_width(text: str, size: float = FONT_SIZE) -> float:
    """About how many pixels a text is wide in a font like Helvetica; rather too many than too few."""
    return size * sum(map(_em, text))


def _em(character: str) -> float:
    if unicodedata.combining(character) or unicodedata.category(character) == "Cf":
        return 0.0
    if unicodedata.east_asian_width(character) in "WF" or ord(character) > 0xFFFF:
        return 1.1
    if character in "iljtfrI.,:;'|!()[] -":
        return 0.36
    return 0.9 if character in "mwMW@%" else 0.72 if character.isupper() else 0.58
