"""A section of the page: where it stands, what it is called, and what its template is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Part:
    """``template`` is a file in ``templates/parts`` that writes what stands under the heading, from ``values`` alone.

    ``anchor`` is the id of the heading, ``brief`` what the list of contents calls it, where the heading is long.
    """

    anchor: str
    heading: str
    template: str
    values: Mapping[str, Any] = field(default_factory=dict)
    brief: str = ""

    @property
    def called(self) -> str:
        """What the list of contents says."""
        return self.brief or self.heading
