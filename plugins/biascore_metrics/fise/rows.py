"""What a placement reports, whatever is found: the names of its estimates with their units, and its pictures."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from biascore.plugins_api import Bars, FiseTest, Plane
from biascore_metrics.fise import statistics as names
from biascore_metrics.fise.placement import Placement, group_names

SHARE, COSINE, DEVIATIONS = "share", "cosine", "standard deviations"


def rows_of(test: FiseTest) -> Iterator[tuple[str, str, float | None]]:
    """Name, unit and neutral value of every estimate, the headline first."""
    groups = group_names(test)
    dimensions = [dimension.name for dimension in test.dimensions]
    yield names.DISTANCE, SHARE, 0.0
    yield names.EXPECTED, SHARE, None
    for dimension in dimensions:
        yield names.equal_name(dimension), COSINE, 0.0
        yield names.mean_name(dimension), COSINE, 0.0
        yield names.standardised_name(dimension), DEVIATIONS, 0.0
        yield names.dominance_name(dimension), "ratio", None
    for pair in combinations(dimensions, 2):
        yield names.interaction_name(*pair), "correlation", 0.0
        yield names.log_odds_name(*pair), "log odds ratio", 0.0
        yield names.axes_name(*pair), COSINE, None
    for group in groups:
        yield names.share_name(group), SHARE, 1.0 / len(groups)
    for affect in test.affect:
        for group in groups:
            yield names.affect_name(affect.name, group), SHARE, None
            yield names.excess_name(affect.name, group), "difference of shares", 0.0
        yield names.dominance_name(affect.name), "ratio", None
    yield names.ON_AXIS, SHARE, None


def figures(test: FiseTest, placement: Placement) -> tuple[Plane | Bars, ...]:
    """The words on the plane of each pair of dimensions, the shares of the groups, and their affects."""
    groups = group_names(test)
    planes = tuple(
        Plane(
            title=f"Words by {one.name} and {other.name}",
            x=one.name,
            y=other.name,
            x_ends=(one.B.name, one.A.name),
            y_ends=(other.B.name, other.A.name),
        )
        for one, other in combinations(test.dimensions, 2)
    )
    counted = tuple(f"{group} ({count})" for group, count in zip(groups, placement.counts, strict=True))
    shares = Bars(title="Shares of the words", estimates=tuple(map(names.share_name, groups)), labels=counted)
    affects = tuple(
        Bars(
            title=f"Shares of words with positive {affect.name}",
            estimates=tuple(names.affect_name(affect.name, group) for group in groups),
            labels=groups,
        )
        for affect in test.affect
    )
    return (*planes, shares, *affects)
