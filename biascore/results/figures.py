"""Pictures and examples that a metric asks for: they name estimates or columns of items, and a report draws them."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Any, Literal, Self

from pydantic import Field, SerializerFunctionWrapHandler, field_validator, model_serializer, model_validator

from biascore.basics.frozen import Frozen


class Plane(Frozen):
    """A picture of the items on a plane: ``x`` and ``y`` are columns of the item table, with 0 in the middle.

    ``x_ends`` and ``y_ends`` say what lies at the negative and at the positive end of each axis.
    """

    kind: Literal["plane"] = "plane"
    title: str
    x: str
    y: str
    x_ends: tuple[str, str]
    y_ends: tuple[str, str]


class Range(Frozen):
    """The estimate, by name, of the items whose number lies from ``low`` to ``high``."""

    low: float
    high: float
    estimate: str

    @model_validator(mode="after")
    def _wide(self) -> Self:
        if self.low >= self.high:
            raise ValueError("a range must end above its beginning")
        return self


class Histogram(Frozen):
    """A picture of the items of each group by a column of numbers: how many lie where.

    With ``log`` the axis is logarithmic, and what is not above 0 is not drawn. Above it stand the
    estimates of ``ranges``, all of one unit, each as wide as its range. ``only``: a column of texts, and the text that
    the items drawn have there; None for all items.
    """

    kind: Literal["histogram"] = "histogram"
    title: str
    column: str
    log: bool = False
    ranges: tuple[Range, ...] = ()
    only: tuple[str, str] | None = None

    @model_serializer(mode="wrap")
    def _without_empty(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without ``ranges`` and ``only`` where there are none, so that results stored before keep their digest."""
        stored: dict[str, Any] = serialize(self)
        if not self.ranges:
            del stored["ranges"]
        if self.only is None:
            del stored["only"]
        return stored


class Bars(Frozen):
    """A picture of some estimates of one unit, by name, as bars with their intervals; ``labels`` are shown for them.

    ``groups``: which group each estimate belongs to; then bars have the colour of their group, and begin at the neutral
    value, so that their length is what lies between it and them.
    """

    kind: Literal["bars"] = "bars"
    title: str
    estimates: tuple[str, ...] = Field(min_length=1)
    labels: tuple[str, ...]
    groups: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _of_before(cls, stored: Any) -> Any:
        """Without ``parts``, which runs stored before have and nothing reads."""
        return (
            {name: stored[name] for name in stored if name != "parts"} if isinstance(stored, dict) else stored
        )

    @model_serializer(mode="wrap")
    def _without_empty(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without ``groups`` where there are none: results stored before there were any keep their digest."""
        stored: dict[str, Any] = serialize(self)
        if not self.groups:
            del stored["groups"]
        return stored


class Lines(Frozen):
    """A picture of the items of some groups along the numbers of a column, such as steps: a line for each group.

    ``neutral``: the value at which a level line stands, None for no line.
    """

    kind: Literal["lines"] = "lines"
    title: str
    x: str
    groups: tuple[str, ...] = Field(min_length=1)
    neutral: float | None = 0.0


class Limit(Frozen):
    """A line that no point of a picture can pass, through its (x, y) corners from left to right."""

    name: str
    corners: tuple[tuple[float, float], ...] = Field(min_length=2)

    @field_validator("corners")
    @classmethod
    def _from_left_to_right(cls, corners: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
        if any(right[0] <= left[0] for left, right in pairwise(corners)):
            raise ValueError(
                "corners must come from left to right, each with a greater x than the one before"
            )
        return corners


class Point(Frozen):
    """The place of a measurement in a picture of its whole run: estimate ``y`` against estimate ``x``, by name.

    Figures of one metric and title are drawn together. ``subject`` says in a word or two what was measured in addition to
    the model, such as the target language; where it is empty, or repeats for a model, the test and the variant say
    what differs.
    """

    kind: Literal["point"] = "point"
    title: str
    x: str
    y: str
    subject: str = ""
    limit: Limit | None = None


class Boxes(Frozen):
    """A picture of a whole run: for each label, how an estimate is distributed over the measurements."""

    kind: Literal["boxes"] = "boxes"
    title: str
    estimates: tuple[str, ...] = Field(min_length=1)
    labels: tuple[str, ...]
    subject: str = ""


class Heat(Frozen):
    """A picture of a whole run as a map of colours: a row for each label, a column for each measurement.

    ``groups``: which group each label belongs to, those of one next to each other. ``ends`` say what the least and the
    greatest value mean.
    """

    kind: Literal["heat"] = "heat"
    title: str
    estimates: tuple[str, ...] = Field(min_length=1)
    labels: tuple[str, ...]
    groups: tuple[str, ...] = ()
    ends: tuple[str, str] = ("", "")
    subject: str = ""


class Band(Frozen):
    """A range of values with the word for it, such as "small" for an effect from .01 to .09."""

    name: str
    low: float
    high: float

    @model_validator(mode="after")
    def _from_low_to_high(self) -> Self:
        if self.low >= self.high:
            raise ValueError(f"the band {self.name!r} must end above its start")
        return self


class Dots(Frozen):
    """A picture of a whole run: a row for each measurement with some of its estimates, separated by label.

    ``bands``, from low to high, are shaded behind them as far as the values reach.
    """

    kind: Literal["dots"] = "dots"
    title: str
    estimates: tuple[str, ...] = Field(min_length=1)
    labels: tuple[str, ...]
    subject: str = ""
    bands: tuple[Band, ...] = Field(default=(), max_length=5)

    @field_validator("bands")
    @classmethod
    def _from_low_to_high(cls, bands: tuple[Band, ...]) -> tuple[Band, ...]:
        if any(right.low < left.high for left, right in pairwise(bands)):
            raise ValueError("bands must come from low to high, without overlaps")
        return bands

    @model_serializer(mode="wrap")
    def _without_empty(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without ``bands`` where there are none, so that results stored before there were any keep their digest."""
        stored: dict[str, Any] = serialize(self)
        if not self.bands:
            del stored["bands"]
        return stored


class Examples(Frozen):
    """A few items in the direction of a positive headline, and a few against it, in full.

    ``follows``: a column of yes, no and none (neither); or of numbers, of which those above 0 follow. ``beside`` is a
    column of texts to show next to the item, by what it is called, such as its translation, and ``marked`` one with
    the words in it that decide, with a comma and a blank between. Of the items that go neither way, the first is shown for
    each value ``of_apart`` of the column ``apart``, such as refused. ``notice``: what a reader should know before looking,
    for sentences that repeat what hurts; items of such a measurement are shown only where they are asked for.
    """

    kind: Literal["examples"] = "examples"
    title: str
    follows: str
    beside: tuple[str, str] | None = None
    marked: str | None = None
    apart: str = ""
    of_apart: tuple[str, ...] = ()
    notice: str = ""


RunFigure = Point | Boxes | Heat | Dots
"""What a measurement adds to a picture of the run that it belongs to."""

Figure = Annotated[
    Plane | Histogram | Bars | Lines | Point | Boxes | Heat | Dots | Examples, Field(discriminator="kind")
]
"""Any of the pictures."""
