"""Options of BBQ."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator

from biascore.api.metrics import MetricOptions
from biascore.api.queries import Way

Orders = Literal["as is", "cyclic", "all"]


class BbqOptions(MetricOptions):
    """``way``: how a model is asked to choose; None: in the only way that it has.

    ``prompts``: how many of the prompts of the test are asked, from the first; "all" asks each. ``orders``: in which orders
    the options are listed by text: as they are, in each cyclic order, or in every order ("all"); None: in each cyclic order,
    so that a model which prefers a place prefers no person, and as they are where the answers were given before. ``seeds``:
    with how many seeds, 1 and up, each answer is drawn (two at least); 0: the most probable answer. ``bound``: a bias whose
    whole interval is within it counts as negligible; None states none.
    """

    way: Way | None = None
    prompts: int | Literal["all"] = Field(default=1)
    orders: Orders | None = None
    seeds: int = Field(default=0, ge=0)
    bound: float | None = Field(default=0.05, gt=0)

    @field_validator("seeds")
    @classmethod
    def _differ(cls, seeds: int) -> int:
        if seeds == 1:
            raise ValueError(
                "one drawn answer does not show what chance makes of it. Name 2 or more, or 0 for the most probable answer"
            )
        return seeds

    def variant(self) -> str:
        """What tells this measurement from others of its metric: options that are not the defaults."""
        changed = self.model_dump(exclude_defaults=True)
        return ", ".join(f"{name}={value}" for name, value in changed.items())
