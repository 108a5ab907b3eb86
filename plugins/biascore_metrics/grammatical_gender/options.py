"""What a user may say of a file of nouns, and what files call the classes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, ClassVar, Final, Literal, Self

from pydantic import Field, StringConstraints, field_validator, model_validator

from biascore.api.adapters import Options
from biascore.api.formats import ColumnOptions, Delimiter, FrozenMap

PLURAL: Final = "plural"
CLASSES: Final[Mapping[str, str]] = MappingProxyType(
    {
        **dict.fromkeys(("m", "masc", "masculine"), "masculine"),
        **dict.fromkeys(("f", "fem", "feminine"), "feminine"),
        **dict.fromkeys(("n", "neut", "neuter"), "neuter"),
        **dict.fromkeys(("c", "com", "common"), "common"),
        **dict.fromkeys(("pl", "plur", "ptan", PLURAL), PLURAL),
    }
)
"""The class that a value of Gender represents, in lower case; the order is that of the classes of a test."""

ClassName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_+-]*$")]


class NounsOptions(ColumnOptions):
    """``encoding`` and ``columns`` are those of every table: ``{word = "lemma", gender = "genre"}``.

    ``genders`` says which class a value of the gender column represents, where it is none of m, f, n, c or their usual
    names: ``{maskulin = "masculine", feminin = "feminine"}``.
    """

    known_columns: ClassVar[tuple[str, ...]] = ("word", "gender", "set")

    delimiter: Delimiter = "auto"
    genders: FrozenMap[ClassName] = Field(default_factory=lambda: MappingProxyType({}))

    def class_of(self, value: str) -> str | None:
        """The class that a cell represents, or None where the cell is no gender."""
        return self.genders.get(value) or CLASSES.get(value.lower())


class ConlluOptions(Options):
    """How nouns are taken from a treebank.

    ``classes``: in this order; a class is a gender (``masculine``, ``feminine``, ``neuter``, ``common``) or ``plural``.
    ``word``: the form as it stands, or its lemma. ``case`` "auto" keeps capitals in German and Luxembourgish, which write
    nouns so, and lowers them elsewhere. ``plural``: plurals count for their gender, are a class of their own
    ("own-class"), or are left out. ``animate``: the values of Animacy that are left out; ``animates``: the path of a list of
    animate words, one a line, that are left out too. ``min_count``: how often a word must be in the treebank.
    ``balance``: cut every class to the size of the smallest, the most frequent words kept; ``most``: cut it to so many.
    ``held_out``: the share of each class that is held out at random by ``seed``, with all forms of a lemma on one side;
    0 fixes no split.
    """

    classes: Annotated[tuple[ClassName, ...], Field(strict=False)] = ("masculine", "feminine")
    word: Literal["form", "lemma"] = "form"
    case: Literal["auto", "lower", "keep"] = "auto"
    plural: Literal["by-gender", "own-class", "leave-out"] = "by-gender"
    animate: Annotated[tuple[str, ...], Field(strict=False)] = ("Anim", "Hum", "Nhum")
    animates: str = ""
    min_count: int = Field(default=1, ge=1)
    balance: bool = True
    most: int | None = Field(default=None, ge=2)
    held_out: float = Field(default=0.25, ge=0, lt=1)
    seed: int = Field(default=0, ge=0)

    @field_validator("classes")
    @classmethod
    def _compare(cls, classes: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(classes)) < 2 or len(set(classes)) < len(classes):
            raise ValueError("name two classes or more, each once")
        return classes

    @model_validator(mode="after")
    def _plurals_are_a_class(self) -> Self:
        if PLURAL in self.classes and self.plural != "own-class":
            raise ValueError('classes names plural, which plural = "own-class" makes; give both')
        return self
