"""How many stimuli were used of those given, and what became of the others."""

from __future__ import annotations

from typing import Final, Self

from pydantic import model_validator

from biascore.basics.frozen import Frozen, FrozenMap

REPEATED: Final = "repeated in its list"


class LostWord(Frozen):
    """A stimulus that did not enter the measurement (or should be doubted), the list it stood in, and why."""

    word: str
    role: str
    reason: str


class Coverage(Frozen):
    """How many stimuli each list gave and how many were used; every one lost; phrases averaged word by word.

    ``unseen`` are words that were used although the model has not met them in training: their vectors are put
    together from pieces, as fastText does from character n-grams.
    """

    given: FrozenMap[int]
    used: FrozenMap[int]
    lost: tuple[LostWord, ...] = ()
    composed: tuple[str, ...] = ()
    unseen: tuple[LostWord, ...] = ()

    @model_validator(mode="after")
    def _used_were_given(self) -> Self:
        for role, count in self.used.items():
            if count > self.given.get(role, 0):
                raise ValueError(f"of {role}, {count} are used and {self.given.get(role, 0)} were given")
        return self

    @property
    def missing(self) -> tuple[LostWord, ...]:
        """The lost words without those that only repeat another of their list."""
        return tuple(word for word in self.lost if word.reason != REPEATED)
