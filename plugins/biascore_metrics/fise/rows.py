"""What a placement reports, whatever is found: the names of its estimates with their units, and its pictures."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Final

from biascore.api.figures import Bars, Plane
from biascore_metrics.fise.kind import FiseTest
from biascore_metrics.fise.placement import Placement, group_names

DISTANCE: Final = "distance of the distribution from even"
ON_AXIS: Final = "share of words on an axis"
SHARE, COSINE, DEVIATIONS = "share", "cosine", "standard deviations"


def mean_name(dimension: str) -> str:
    """Name of the estimate: the mean score over the words."""
    return f"mean bias {dimension}"


def equal_name(dimension: str) -> str:
    """Name of the estimate that decides: the mean score at equal tightness of the lists."""
    return f"mean bias {dimension} at equal tightness"


def equal_column(dimension: str) -> str:
    """The column of the items whose mean that is."""
    return f"{dimension} at equal tightness"


def part_column(dimension: str) -> str:
    """The column of the items whose sum that is, where the list declares families, by which two models are compared."""
    return f"part of the mean bias {dimension}"


def standardised_name(dimension: str) -> str:
    """Name of the estimate: the mean score over its sample standard deviation."""
    return f"standardised mean bias {dimension}"


def neighbours_name(dimension: str) -> str:
    """Name of the estimate: the correlation of words' scores with the mean of their nearest neighbours'."""
    return f"correlation of neighbours {dimension}"


def share_name(group: str) -> str:
    """Name of the estimate: the share of words in a group."""
    return f"share of {group}"


def affect_name(affect: str, group: str) -> str:
    """Name of the estimate: the share of a group's words with positive affect."""
    return f"positive {affect} among {group}"


def rows_of(test: FiseTest) -> Iterator[tuple[str, str, float | None]]:
    """Name, unit and neutral value of every estimate."""
    groups = group_names(test)
    for dimension in (one.name for one in test.dimensions):
        yield equal_name(dimension), COSINE, 0.0
        yield mean_name(dimension), COSINE, 0.0
        yield standardised_name(dimension), DEVIATIONS, 0.0
        yield neighbours_name(dimension), "correlation", None
    yield DISTANCE, SHARE, 0.0
    for group in groups:
        yield share_name(group), SHARE, 1.0 / len(groups)
    for affect in test.affect:
        for group in groups:
            yield affect_name(affect.name, group), SHARE, None
    yield ON_AXIS, SHARE, None


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
    shares = Bars(title="Shares of the words", estimates=tuple(map(share_name, groups)), labels=counted)
    affects = tuple(
        Bars(
            title=f"Shares of words with positive {affect.name}",
            estimates=tuple(affect_name(affect.name, group) for group in groups),
            labels=groups,
        )
        for affect in test.affect
    )
    return (*planes, shares, *affects)
