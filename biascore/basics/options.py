"""Base of every class of options, and of the classes of plugins that take some."""

from __future__ import annotations

from inspect import isclass
from typing import Any, ClassVar, Generic, get_args

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypeVar


class Options(BaseModel):
    """Base of all option models: frozen, strict (no value is coerced), and an unknown key is an error.

    ``without_effect``: the options of an adapter that change no answer, so that kept answers are used whatever these are.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False, defer_build=True)
    without_effect: ClassVar[frozenset[str]] = frozenset()


class ServiceOptions(Options):
    """Of what is asked over a network. ``concurrency``: requests at a time, for ``Backend.in_flight``."""

    without_effect: ClassVar[frozenset[str]] = frozenset({"concurrency"})
    concurrency: int = Field(default=1, ge=1, le=256)


OptionsT = TypeVar("OptionsT", bound=Options, default=Any)


class Configured(Generic[OptionsT]):
    """What takes options of the class in brackets, ``class CsvAdapter(Adapter[CsvOptions])``; without brackets of none.

    The engine validates what a user gives with ``option_type``, which is that class, before it hands it over.
    """

    option_type: ClassVar[type[Options]] = Options

    def __init_subclass__(cls) -> None:
        """Read the class in brackets."""
        super().__init_subclass__()
        for argument in in_brackets(cls):
            if issubclass(argument, Options):
                cls.option_type = argument


def in_brackets(cls: type) -> tuple[type, ...]:
    """The classes in brackets behind the bases of a class, those of a union one by one; type variables are none."""
    arguments = [one for base in vars(cls).get("__orig_bases__", ()) for one in get_args(base)]
    return tuple(
        filter(isclass, (one for argument in arguments for one in get_args(argument) or (argument,)))
    )
