"""Drawn logarithms of numbers in templates for names of two groups: what names and templates add by chance, and a ratio."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from biascore_metrics.advice.effects import Floats, Table, of_rows

NUMBERS = 2.0
"""The sd of the templates' own numbers."""
TEXTS = 0.1
"""The sd of a text."""


@dataclass(frozen=True)
class World:
    """The sd of names, and of what templates add to the first group; names in each of two strata of a group."""

    names: float = 0.0
    slopes: float = 0.0
    ratio: float = 0.0
    each: int = 3
    templates: int = 10
    lost: float = 0.0

    def drawn(self, rng: np.random.Generator) -> tuple[Table, Floats]:
        """A table and its logarithms."""
        cells = product(range(self.templates), "AB", "xy", range(self.each))
        table = of_rows(
            ("A", "B"),
            [(f"{group}{stratum}{n}", group, stratum, f"t{t}", f"t{t}") for t, group, stratum, n in cells],
        )
        name, template = (
            np.unique(labels, return_inverse=True)[1] for labels in (table.name, table.template)
        )
        own, slope = rng.normal(0.0, [[NUMBERS], [self.slopes]], (2, self.templates))
        values = (
            own[template] + rng.normal(0.0, TEXTS, len(name)) + table.first * (self.ratio + slope[template])
        )
        values += rng.normal(0.0, self.names, int(name.max()) + 1)[name] if self.names else 0.0
        kept = rng.random(len(name)) >= self.lost
        return table.where(kept), values[kept]


WORLDS = {
    "names differ": World(names=0.1),
    "templates differ": World(slopes=0.1),
    "both": World(names=0.1, slopes=0.1),
    "neither": World(),
    "names differ, 30 % unread": World(names=0.1, lost=0.3),
}
