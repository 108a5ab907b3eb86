"""Options of BBQ."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from biascore.api.metrics import Draws, MetricOptions
from biascore.api.queries import Way


class BbqOptions(MetricOptions):
    """``way``: how a model is asked to choose; None: in the only way that it has.

    ``prompts``: how many of the prompts of the test are asked, from the first; "all" asks each. ``orders``: in which orders
    the options are listed: as they are, in each cyclic order, or in every order ("all"). ``bound``: a bias whose whole
    interval is within it counts as negligible; None states none. ``draws``: permutations within templates.
    """

    way: Way | None = None
    prompts: int | Literal["all"] = Field(default=1)
    orders: Literal["as is", "cyclic", "all"] = "as is"
    bound: float | None = Field(default=0.05, gt=0)
    draws: Draws = 10_000

    def variant(self) -> str:
        """What tells this measurement from others of its metric: options that are not the defaults."""
        changed = self.model_dump(exclude_defaults=True)
        return ", ".join(f"{name}={value}" for name, value in changed.items())
