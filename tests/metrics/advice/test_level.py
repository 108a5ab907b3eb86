"""What names and templates add by chance is found in about 5 %: drawn numbers, no model."""

from __future__ import annotations

import numpy as np
import pytest

from biascore_metrics.advice.effects import Difference, of_rows

WORLDS = {
    "names": {"names": 0.1, "slopes": 0.0},
    "templates": {"names": 0.0, "slopes": 0.1},
    "both": {"names": 0.1, "slopes": 0.1},
    "neither": {"names": 0.0, "slopes": 0.0},
}
RUNS = 150


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS)
def test_no_difference_is_found_in_about_5_percent(world: str) -> None:
    rng, sd = np.random.default_rng(5), WORLDS[world]
    rows = [
        (f"{group}{stratum}{n}", group, stratum, f"t{t}", f"t{t}")
        for t in range(10)
        for group in "AB"
        for stratum in "xy"
        for n in range(3)
    ]
    table = of_rows(("A", "B"), rows)
    names, name = np.unique(table.name, return_inverse=True)
    templates, template = np.unique(table.template, return_inverse=True)
    rejected = 0
    for _ in range(RUNS):
        values = rng.normal(0.0, 2.0, len(templates))[template] + rng.normal(0.0, 0.1, len(rows))
        values += sd["names"] * rng.standard_normal(len(names))[name]
        values += sd["slopes"] * np.where(table.first, rng.standard_normal(len(templates))[template], 0.0)
        found = Difference.of(table, values, 0.95)
        rejected += found.p_value is not None and found.p_value <= 0.05
    print(f"{world}: {rejected / RUNS:.3f} of {RUNS} rejected")
    assert rejected / RUNS <= 0.11
