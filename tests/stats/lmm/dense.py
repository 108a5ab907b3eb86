"""The same model from its n x n covariance matrix, row by row: slow, short, and written from the textbook."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from biascore.stats import lmm

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Data:
    """Rows of a mixed model."""

    scores: Array
    gender: NDArray[np.int_]
    groups: Mapping[str, NDArray[np.int_]]
    weights: Array

    @property
    def design(self) -> lmm.Design:
        return lmm.treatment({"gender": self.gender})

    def fit(self) -> lmm.Fit:
        return lmm.fit(self.scores, self.design, groups=self.groups, weights=self.weights)

    def with_scores(self, scores: Array) -> Data:
        return replace(self, scores=scores)

    def covariance(self, variances: Mapping[str, float], residual: float) -> Array:
        """V: of the scores, for tau^2 by group and sigma^2."""
        v = np.diag(residual / self.weights)
        for name, tau2 in variances.items():
            v = v + tau2 * (self.groups[name][:, np.newaxis] == self.groups[name])
        return v

    def deviance(self, variances: Mapping[str, float], residual: float) -> float:
        """-2 x restricted log-likelihood (Harville 1974), nothing profiled out."""
        x, n, p = self.design.matrix, *self.design.matrix.shape
        v = self.covariance(variances, residual)
        information = x.T @ np.linalg.solve(v, x)
        residuals = self.scores - x @ self.coefficients(variances, residual)
        quadratic = residuals @ np.linalg.solve(v, residuals)
        log_det = np.linalg.slogdet(v)[1] + np.linalg.slogdet(information)[1]
        return float(log_det + quadratic + (n - p) * np.log(2 * np.pi))

    def profiled(self, theta: Mapping[str, float]) -> float:
        """The deviance at the best sigma^2 for these tau / sigma."""
        x = self.design.matrix
        ratios = {name: value**2 for name, value in theta.items()}
        residuals = self.scores - x @ self.coefficients(ratios, 1.0)
        sigma2 = residuals @ np.linalg.solve(self.covariance(ratios, 1.0), residuals) / (len(x) - x.shape[1])
        return self.deviance({name: ratio * sigma2 for name, ratio in ratios.items()}, sigma2)

    def vcov(self, variances: Mapping[str, float], residual: float) -> Array:
        x = self.design.matrix
        return np.linalg.inv(x.T @ np.linalg.solve(self.covariance(variances, residual), x))

    def coefficients(self, variances: Mapping[str, float], residual: float) -> Array:
        """Generalised least squares."""
        x, v = self.design.matrix, self.covariance(variances, residual)
        return np.linalg.solve(x.T @ np.linalg.solve(v, x), x.T @ np.linalg.solve(v, self.scores))

    def effects(self, name: str, variances: Mapping[str, float], residual: float) -> Array:
        """Best linear unbiased predictions: tau^2 Z'V^-1 (y - X b)."""
        z = (self.groups[name][:, np.newaxis] == np.unique(self.groups[name])).astype(float)
        residuals = self.scores - self.design.matrix @ self.coefficients(variances, residual)
        return variances[name] * z.T @ np.linalg.solve(self.covariance(variances, residual), residuals)


def simulate(
    seed: int,
    n: int,
    levels: Mapping[str, int],
    sd: Mapping[str, float],
    *,
    genders: int = 2,
    effect: float = 0.5,
    log_weight: float = -1.0,
    spread: float = 1.0,
) -> Data:
    """Rows drawn from the model with sigma 1; ``spread`` is the sd of log weight; every level has a row."""
    rng = np.random.default_rng(seed)
    gender = rng.permutation(np.arange(n) % genders)
    groups = {name: rng.permutation(np.arange(n) % count) for name, count in levels.items()}
    weights = np.exp(rng.normal(log_weight, spread, size=n))
    scores = effect * gender + rng.normal(size=n) / np.sqrt(weights)
    for name, count in levels.items():
        scores = scores + rng.normal(scale=sd[name], size=count)[groups[name]]
    return Data(scores, gender, groups, weights)


def hessian(f, at: Array, step: float = 1e-3) -> Array:
    """Second derivatives by central differences of fourth order."""
    size = len(at)
    steps = step * np.eye(size)
    found = np.empty((size, size))
    for i in range(size):
        for j in range(i + 1):
            a, b = steps[i], steps[j]
            terms = [
                (c * d, f(at + k * a + m * b))
                for k, c in ((-2, 1), (-1, -8), (1, 8), (2, -1))
                for m, d in ((-2, 1), (-1, -8), (1, 8), (2, -1))
            ]
            found[i, j] = found[j, i] = sum(weight * value for weight, value in terms) / (144 * step**2)
    return found


def gradient(f, at: Array, step: float = 1e-3) -> Array:
    """First derivatives by central differences of fourth order; f may give an array."""
    parts = []
    for one in step * np.eye(len(at)):
        parts.append((f(at - 2 * one) - 8 * f(at - one) + 8 * f(at + one) - f(at + 2 * one)) / (12 * step))
    return np.array(parts)
