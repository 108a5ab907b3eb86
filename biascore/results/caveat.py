"""What a reader has to know of a result before relying on it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Caveat:
    """One limit of a result, as a clause.

    ``verdict``: whether it touches the verdict, or only concerns a detail. ``short``: the same in a few words, which are
    shown with the verdict, where it would change what a hurried reader concludes; only for what touches the verdict.
    """

    text: str
    verdict: bool = True
    short: str = ""

    def __post_init__(self) -> None:
        if not self.text:
            raise ValueError("a caveat needs a text")
        if self.short and not self.verdict:
            raise ValueError(f"{self.short!r} is the short form of a caveat that does not touch the verdict")


def caveats_of(texts: Iterable[str], *, verdict: bool = True, short: str = "") -> tuple[Caveat, ...]:
    """A caveat for each text; the first has the short form of all."""
    return tuple(Caveat(text, verdict, "" if place else short) for place, text in enumerate(texts))


class WithCaveats:
    """The texts of ``caveats``, in their order: of all, of those that touch the verdict, and the short forms."""

    __slots__ = ()

    caveats: tuple[Caveat, ...]

    @property
    def warnings(self) -> tuple[str, ...]:
        """Every caveat in full."""
        return tuple(dict.fromkeys(one.text for one in self.caveats))

    @property
    def cautions(self) -> tuple[str, ...]:
        """In full, those that touch the verdict."""
        return tuple(dict.fromkeys(one.text for one in self.caveats if one.verdict))

    @property
    def doubts(self) -> tuple[str, ...]:
        """The short forms."""
        return tuple(dict.fromkeys(one.short for one in self.caveats if one.short))
