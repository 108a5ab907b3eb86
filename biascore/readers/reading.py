"""What a reader says of one text: exactly one outcome, and where in the text it follows from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from biascore.models.questions.questions import Span


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a text says something (offsets in it, end exclusive) and what: ``"feminine pronoun"``, ``"amount"``."""

    start: int
    end: int
    what: str

    @property
    def span(self) -> Span:
        """Start and end."""
        return self.start, self.end


@dataclass(frozen=True, slots=True)
class Reading:
    """One of a reader's outcomes, which exclude each other, with the evidence in reading order."""

    outcome: str
    evidence: tuple[Evidence, ...] = ()


def outcome_counts(outcomes: Sequence[str], readings: Iterable[Reading]) -> dict[str, int]:
    """How many readings have each of a reader's ``outcomes``, 0 where none has: the counts add up to the texts.

    Raises ValueError for a reading whose outcome is none of them.
    """
    counts = Counter(reading.outcome for reading in readings)
    strange = sorted(counts.keys() - set(outcomes))
    if strange:
        raise ValueError(f"{strange[0]!r} is no outcome of this reader. There are: {', '.join(outcomes)}")
    return {outcome: counts[outcome] for outcome in outcomes}
