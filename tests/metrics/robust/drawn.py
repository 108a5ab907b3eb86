"""Data sets whose true difference is known, in worlds where words, targets or templates vary by themselves.

Usual: 15 + 15 attribute words (sd 0.3 nats), 10 targets (sd 0.3), 6 templates (sd 0.5), log-perplexities of mean 2.5
and sd 0.8, and residuals of sd 0.5 nats, the same at every perplexity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

GROUPS: Final = ("male", "female")
SIGNS: Final = np.array([0.5, -0.5])
RESIDUAL: Final = 0.5
SPREADS: Final[dict[str, Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]]]] = {
    "constant": np.ones_like,
    "perplexity": lambda perplexity: perplexity,
    "1 / perplexity": lambda perplexity: 1 / perplexity,
}


@dataclass(frozen=True, slots=True)
class World:
    """``words``: their sd in nats; ``targets``, ``templates``: the sd of each one's own difference."""

    words: float = 0.3
    targets: float = 0.0
    templates: float = 0.0
    n_words: int = 15
    n_targets: int = 10
    variance: str = "constant"
    heavy: bool = False
    """Words by t with 3 df."""
    uneven: bool = False
    """Words of the first group 2.3 times as spread as the others."""

    def table(self, rng: np.random.Generator, effect: float = 0.0) -> pd.DataFrame:
        """One data set."""
        shape = (2, self.n_words, self.n_targets, 6)
        axes = np.indices(shape)
        perplexity = np.exp(rng.normal(2.5, 0.8, shape))
        variance = SPREADS[self.variance](perplexity)
        own = rng.standard_t(3, shape[:2]) / np.sqrt(3) if self.heavy else rng.normal(size=shape[:2])
        own = self.words * own * (np.array([[1.4], [0.6]]) if self.uneven else 1.0)
        target, template = (rng.normal(0, sd, n) for sd, n in ((self.targets, shape[2]), (self.templates, 6)))
        gaps = effect + target[:, None] + template
        values = (
            own[:, :, None, None]
            + SIGNS[:, None, None, None] * gaps
            + rng.normal(0, 0.3, shape[2])[:, None]
            + rng.normal(0, 0.5, 6)
            + RESIDUAL * np.sqrt(variance / variance.mean()) * rng.normal(size=shape)
        )
        group, word, target_of, template_of = (axis.ravel().astype(str) for axis in axes)
        return pd.DataFrame(
            {
                "group": np.array(GROUPS)[axes[0].ravel()],
                "template": template_of,
                "target": target_of,
                "attribute": np.char.add(np.char.add(group, " "), word),
                "association": values.ravel(),
                "weight": 1 / perplexity.ravel(),
            }
        )

    def tables(self, sets: int, effect: float = 0.0, seed: int = 1) -> Iterator[pd.DataFrame]:
        """Data set i is drawn from the seed (``seed``, i)."""
        return (self.table(np.random.default_rng([seed, i]), effect) for i in range(sets))
