"""What an exporter writes: a run in the form that other people's tools read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

if TYPE_CHECKING:  # the names of its forms are read wherever plugins are loaded
    from biascore.results.run import Run

OWN_FORMS: Final = frozenset(
    {"md", "csv", "json", "latex", "model-card", "every-eval-ever", "junit", "cyclonedx"}
)
"""The names of the forms of biascore itself, in ``exporting``, which no plugin may take."""
NO_FACTS: Final[Mapping[str, str]] = MappingProxyType({})
"""Facts of a form that asks for none."""


class Exported(NamedTuple):
    """One text; ``of`` names the model that it is about, and is empty for a text on the whole run."""

    text: str
    of: str = ""


class Exporter(ABC):
    """A form of a run: ``id`` as in ``--format ID``, what it is in a line, and how its files end.

    A number has its unit, interval and n next to it; its conventions and warnings are in the same text, each once.
    ``columns`` are those that ``--columns`` chooses from, in a form that is a table; ``chosen`` are the chosen ones, and
    ``estimates`` the globs of estimates that have a row in addition to the headlines.

    ``facts`` are what a text needs and no run holds, such as the date on which a tool was first used, by name, each with
    what it is; ``stated`` are those that the user gave (``biascore report -o NAME=TEXT``). ``endings`` are further endings
    of its files, each another way to write the same; ``ending`` is that of the file, or ``suffix`` where it is printed.
    """

    id: ClassVar[str]
    summary: ClassVar[str]
    suffix: ClassVar[str]
    columns: ClassVar[tuple[str, ...]] = ()
    facts: ClassVar[Mapping[str, str]] = NO_FACTS
    endings: ClassVar[tuple[str, ...]] = ()
    stated: Mapping[str, str] = NO_FACTS
    ending: str = ""

    def __init__(self, chosen: Sequence[str] = (), estimates: Sequence[str] = ()) -> None:
        self.chosen = tuple(chosen)
        self.estimates = tuple(estimates)

    @abstractmethod
    def export(self, run: Run) -> tuple[Exported, ...]:
        """The texts: one of the run, or one for each model where a file of that form is about one model."""
