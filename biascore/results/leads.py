"""Which test represents a ground on a model: chosen before anything is measured, so that a trend never mixes tests."""

from __future__ import annotations

from collections.abc import Iterable

from biascore.basics.frozen import Frozen


class Lead(Frozen):
    """The test that represents a ground, which is the concept of the test, on a model."""

    model: str
    ground: str
    metric: str
    test: str


def chosen_leads(tests: Iterable[tuple[Lead, bool]]) -> tuple[Lead, ...]:
    """For each model and ground the first test that is named as lead test, else the first, in the order of an audit."""
    best: dict[tuple[str, str], tuple[Lead, bool]] = {}
    for one, named in tests:
        known = best.get((one.model, one.ground))
        if known is None or (named and not known[1]):
            best[one.model, one.ground] = (one, named)
    return tuple(one for one, _ in best.values())
