"""How far an effect is beyond what unrelated topics give: the second statement next to a verdict."""

from __future__ import annotations

import math

from pydantic import Field

from biascore.basics.frozen import Frozen


class Specificity(Frozen):
    """The share of pairs of unrelated topics, in the place of the attributes, that reach the effect.

    ``share`` counts the effect itself, (1 + pairs that reach it) / (1 + pairs), so it is never 0. ``pairs`` of ``topics``
    from the list ``pool`` were measured. At most ``level`` is specific: few unrelated topics do as well.
    """

    share: float = Field(gt=0, le=1)
    pairs: int = Field(gt=0)
    topics: int = Field(gt=1)
    pool: str
    level: float = Field(default=0.05, gt=0, lt=1)

    @property
    def specific(self) -> bool:
        """Whether at most ``level`` of the pairs reach the effect."""
        return self.share <= self.level

    @property
    def full(self) -> str:
        """The share with what it was measured on."""
        return f"{self.told} ({self.pairs:,} pairs of {self.topics} topics from {self.pool})"

    @property
    def told(self) -> str:
        """How it ranks, as every surface shows it with a verdict: more than 95 % is special, less is not."""
        only = "" if self.specific else "only "
        return f"larger than {only}{math.floor(100 * (1 - self.share) + 1e-9)} % of unrelated topics"
