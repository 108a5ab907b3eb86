"""What a run offers to the items of a mapping, which says what a law, a rule or a standard asks; never whether it is met."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import Any, Final

from pydantic import SerializerFunctionWrapHandler, model_serializer

from biascore.basics.frozen import Frozen

SILENT: Final = (
    "Offered means that this run holds such a measurement or record, whatever it found. It does not say which text applies, "
    "nor that what it asks is done."
)
"""What every list of items says."""


class OfferState(StrEnum):
    """How much of what could serve an item a run holds."""

    OFFERED = "offered"
    PART = "offered in part"
    NOT = "not offered"

    @classmethod
    def of(cls, states: tuple[OfferState, ...]) -> OfferState:
        """The state of what consists of these."""
        if not states or set(states) == {cls.NOT}:
            return cls.NOT
        return cls.OFFERED if set(states) == {cls.OFFERED} else cls.PART


class OfferResult(Frozen):
    """What could serve an item, whether the run holds it, and ``found``: what it holds of it, in a clause."""

    what: str
    state: OfferState
    found: str


class ItemResult(Frozen):
    """An item as its mapping states it, with what the run offers to it.

    ``date``: of the text, or the day on which it was read (ISO 8601). ``cannot``: what no run shows.
    """

    id: str
    says: str
    source: str
    date: str
    confirmed: bool
    offers: tuple[OfferResult, ...]
    cannot: str

    @property
    def state(self) -> OfferState:
        """How much of what could serve it the run holds."""
        return OfferState.of(tuple(one.state for one in self.offers))

    @property
    def words(self) -> str:
        """What it says, with a note where nobody has compared that with the text."""
        return self.says if self.confirmed else f"{self.says} (not compared with the text)"


class MappingUsed(Frozen):
    """A mapping as a run used it: its version, the hash of its file, whose it is, and what the run offers to its items."""

    name: str
    title: str
    version: str
    sha256: str
    source: str
    dist: str
    items: tuple[ItemResult, ...] = ()

    @model_serializer(mode="wrap")
    def _without_empty(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without what says nothing and has not always been there."""
        stored: dict[str, Any] = serialize(self)
        return {name: value for name, value in stored.items() if value or name != "items"}

    @property
    def in_short(self) -> str:
        """How many of its items are in which state: ``of 6 items 2 offered, 1 offered in part, 3 not offered``."""
        many = Counter(one.state for one in self.items)
        return f"of {len(self.items)} items " + ", ".join(
            f"{many[state]} {state}" for state in OfferState if many[state]
        )
