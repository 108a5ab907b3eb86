"""What a run says of the scenarios of its audit: what was tested, what was not, and what it could see."""

from __future__ import annotations

from datetime import UTC, date, datetime

from biascore.basics.frozen import Frozen, FrozenMap
from biascore.results.gates import GateOutcome


class Tested(Frozen):
    """A measurement of a scenario: its number (from 1, as in the run), what the run says of it, and what it could see.

    ``held``: whether its interval ends within the bound of the scenario, None where that states none. ``would_decide``:
    the smallest effect that an inconclusive one would have detected, and how many items would show that there is none.
    """

    number: int
    what: str
    said: str
    found: str
    held: GateOutcome | None
    reason: str
    would_decide: str


class ScenarioResult(Frozen):
    """A scenario as it was stated, with what was tested of it and what was not.

    ``review``: the date on which it is to be looked at again (ISO 8601). ``articles``: those that name its ground, by the
    name of the mapping.
    """

    name: str
    group: str
    ground: str
    hazard: str
    bound: float | None
    bound_reason: str
    owner: str
    review: str
    tested: tuple[Tested, ...]
    not_tested: tuple[str, ...]
    articles: FrozenMap[tuple[str, ...]]

    def overdue(self, seconds: float) -> bool:
        """Whether it was to be looked at again before this time, in seconds since the epoch."""
        return date.fromisoformat(self.review) < datetime.fromtimestamp(seconds, UTC).date()

    @property
    def in_short(self) -> str:
        """How many measurements came out how: ``2 measured: 1 detected, 1 inconclusive; 1 beyond the bound``."""
        if not self.tested:
            return "not tested"
        said = [one.said.partition(" (")[0] for one in self.tested]
        counts = ", ".join(f"{said.count(word)} {word}" for word in dict.fromkeys(said))
        beyond = sum(one.held is GateOutcome.FAILS for one in self.tested)
        return f"{len(said)} measured: {counts}" + (f"; {beyond} beyond the bound" if beyond else "")
