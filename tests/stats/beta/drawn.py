"""Scores drawn from a Beta regression, and its likelihood written out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit
from scipy.stats import beta as beta_distribution

from biascore.stats import beta
from biascore.stats.design import Design, treatment

RACES, GENDERS = ("Anglo", "Latino", "Arab"), ("male", "female")


@dataclass(frozen=True)
class Drawn:
    scores: np.ndarray
    design: Design
    factors: dict[str, np.ndarray]

    def fit(self, *, squeeze: bool = False) -> beta.Fit:
        return beta.fit(self.scores, self.design, squeeze=squeeze)


def draw(seed: int, n: int, phi: float, *, order: int = 2, races: int = 2, spread: float = 0.5) -> Drawn:
    """Unbalanced cells; coefficients of this standard deviation."""
    rng = np.random.default_rng([20260101, seed])
    shares = 1.0 / np.arange(1, races + 1)
    factors = {
        "race": rng.choice(RACES[:races], size=n, p=shares / shares.sum()),
        "gender": rng.choice(GENDERS, size=n, p=(0.6, 0.4)),
    }
    levels = {"race": RACES[:races], "gender": GENDERS}
    design = treatment(factors, levels=levels, order=order)
    mu = expit(design.matrix @ rng.normal(0, spread, size=len(design.columns)))
    return Drawn(rng.beta(mu * phi, (1.0 - mu) * phi), design, factors)


def log_likelihood(scores: np.ndarray, matrix: np.ndarray, parameters: np.ndarray) -> float:
    """By scipy's density."""
    mu, phi = expit(matrix @ parameters[:-1]), np.exp(parameters[-1])
    return float(beta_distribution.logpdf(scores, mu * phi, (1.0 - mu) * phi).sum())


def slopes(function, at: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """Central differences of a function of parameters (k,), with these steps (k,)."""
    return np.array(
        [
            (function(at + move) - function(at - move)) / (2.0 * step)
            for move, step in zip(np.diag(steps), steps, strict=True)
        ]
    )
