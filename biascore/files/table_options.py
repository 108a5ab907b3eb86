"""Options of what reads a table, in a module that reads none: an engine reads those of every adapter."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias

from pydantic import AfterValidator, Field, field_validator, model_validator

from biascore.basics.frozen import FrozenMap
from biascore.basics.options import Options
from biascore.errors import OptionsError
from biascore.files.reading import UTF8, codec_of

Delimiter: TypeAlias = Literal["auto", "comma", "tab", "semicolon", "pipe"]
"""An option: what separates the columns of a CSV file; ``auto`` takes the one by which the header has those needed."""


def _is_known(encoding: str) -> str:
    try:
        codec_of(encoding)
    except OptionsError as error:
        raise ValueError(str(error)) from error
    return encoding


class TableOptions(Options):
    """``encoding``: what a CSV or JSON Lines file is in, by Python's name: ``cp1252``, ``utf-16``."""

    encoding: Annotated[str, AfterValidator(_is_known)] = UTF8

    @model_validator(mode="before")
    @classmethod
    def _have_clusters(cls, given: object) -> object:
        has = "cluster" in cls.model_fields
        for name in ("cluster", "template"):
            if isinstance(given, Mapping) and name in given and name not in cls.model_fields:
                raise ValueError(
                    f"{name} is called cluster here"
                    if has
                    else f"{name} names what items belong to, and items belong to nothing here. Leave it out"
                )
        return given


class ClusterOptions(TableOptions):
    """``cluster``: the file's column that names what an item was made from or belongs to: a template, a document.

    Items of one cluster are no independent observations. Without it the file's own clusters are read, if it has some.
    """

    cluster: str = ""

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        twice_named = {"cluster", "template"} & {*getattr(self, "columns", ())}
        if self.cluster and twice_named:
            raise ValueError(
                f"columns names {min(twice_named)}, and cluster does so too. Leave one of them out"
            )
        return self


class ColumnOptions(TableOptions):
    """``columns`` gives the file's own name of a column: ``{sentence = "text"}``, of the ``known_columns``.

    ``values`` gives the meaning of the file's own cells of a column: ``{stereo_antistereo = {0 = "stereo"}}``.
    """

    known_columns: ClassVar[tuple[str, ...]]

    columns: FrozenMap[str] = Field(default_factory=lambda: MappingProxyType({}))
    values: FrozenMap[FrozenMap[str]] = Field(default_factory=lambda: MappingProxyType({}))

    @field_validator("columns", "values")
    @classmethod
    def _are_known(cls, columns: Mapping[str, Any]) -> Mapping[str, Any]:
        unknown = [name for name in columns if name not in cls.known_columns]
        if unknown:
            raise ValueError(
                f"no column is called {', '.join(unknown)}; there are {', '.join(cls.known_columns)}"
            )
        return columns

    def named(self, column: str) -> str:
        """What the file calls a column."""
        return self.columns.get(column, column)

    def meaning(self, column: str, cell: str) -> str:
        """What a cell of a column means."""
        return self.values.get(column, {}).get(cell.strip(), cell)
