"""Nouns on the two main components of their vectors, before and after a transform, on the same axes."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from biascore.api.figures import Figure, Plane
from biascore_metrics.grammatical_gender.gaps import unit_rows

COLUMNS: Final = ("component 1 before", "component 2 before", "component 1 after", "component 2 after")
CONVENTION: Final = (
    "principal components of the nouns' unit vectors before; after on the same axes about the same mean"
)
_ENDS: Final = ("negative", "positive")
FIGURES: Final[tuple[Figure, ...]] = tuple(
    Plane(
        title=f"The nouns on their two main components, {when} the transform",
        x=COLUMNS[place],
        y=COLUMNS[place + 1],
        x_ends=_ENDS,
        y_ends=_ENDS,
    )
    for place, when in ((0, "before"), (2, "after"))
)


def two_components(before: npt.NDArray[np.float32], after: npt.NDArray[np.float32]) -> dict[str, list[float]]:
    """The places (n,) of n >= 2 vectors (n, d), d >= 2, by column; the largest weight of a component is positive."""
    old, new = (unit_rows(rows) for rows in (before, after))
    centre = old.mean(axis=0)
    axes = np.linalg.svd(old - centre, full_matrices=False)[2][:2]
    axes *= np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])[:, None]
    places = np.hstack([(rows - centre) @ axes.T for rows in (old, new)])
    return {name: places[:, column].tolist() for column, name in enumerate(COLUMNS)}
