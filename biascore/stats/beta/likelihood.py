"""The likelihood of a Beta regression, its derivatives and its information, from the cells of the design.

    y_i ~ Beta(mu_i phi, (1 - mu_i) phi),  logit mu_i = x_i' b,  so that E y = mu and Var y = mu (1 - mu) / (1 + phi)

(Ferrari and Cribari-Neto 2004, J. Appl. Stat. 31:799; log phi is the parameter, as in R's betareg and statsmodels).
Rows with the same x_i form a cell, and only its mean logarithms of y and 1 - y matter, so an iteration costs as much as
there are cells. All is written relative to each cell's mean logit e (so A and B, the mean logarithms of y / expit(e) and
(1 - y) / expit(-e), are small where scores are nearly constant) and by the remainders of the gamma functions, so that
nothing cancels: with a = mu phi and b = (1 - mu) phi, per cell,

    D = mu A + (1 - mu) B - KL(mu, expit(e)),   the mean of mu log(y / mu) + (1 - mu) log((1 - y) / (1 - mu))
    log-likelihood = 1/2 [log phi - log 2 pi + log mu (1 - mu)] + s(phi) - s(a) - s(b) + phi D - mean log y (1 - y)
    score of log phi = phi [D - r(phi) + mu r(a) + (1 - mu) r(b)]
    score of the linear predictor = phi mu (1 - mu) [(A - B) - (eta - e) + r(a) - r(b)]

where s, r and q are the `remainders` of log Gamma, psi and psi'.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from biascore.stats._checks import Floats
from biascore.stats.beta import remainders
from biascore.stats.design import Codes, Design

_LOG_2PI = math.log(2.0 * math.pi)


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Scores in (0, 1), summed up by the rows of the design that differ."""

    design: Floats
    """X, (c, p)."""
    of_row: Codes
    """The cell of each row, (n,)."""
    count: Floats
    """Rows of each cell, (c,)."""
    centre: Floats
    """e: mean logit of each cell, (c,)."""
    row_a: Floats
    """log(y / expit(e)), (n,)."""
    row_b: Floats
    """log((1 - y) / expit(-e)), (n,)."""
    a: Floats
    """Mean of ``row_a`` in each cell, (c,)."""
    b: Floats
    """Mean of ``row_b`` in each cell, (c,)."""
    constant: float
    """Sum over the rows of log y (1 - y)."""

    @classmethod
    def of(cls, scores: Floats, design: Design) -> Cells:
        """From scores (n,) in (0, 1)."""
        from scipy.special import logit

        rows, of_row = design.cells()
        count = np.bincount(of_row).astype(np.float64)
        logits = logit(scores)
        centre = np.bincount(of_row, weights=logits) / count
        row_a, row_b = _relative(scores, centre[of_row])
        a, b = (np.bincount(of_row, weights=values) / count for values in (row_a, row_b))
        constant = float((np.log(scores) + np.log1p(-scores)).sum())
        return cls(rows, of_row, count, centre, row_a, row_b, a, b, constant)


def _relative(scores: Floats, centre: Floats) -> tuple[Floats, Floats]:
    """log(y / m) and log((1 - y) / (1 - m)), m = expit(e).

    Both from one difference y - m, taken on the side where numbers are dense: its rounding then cancels from
    m log(y / m) + (1 - m) log((1 - y) / (1 - m)), which is the square of the difference where scores vary little.
    """
    from scipy.special import expit

    less = expit(-np.abs(centre))
    upper = centre > 0.0
    difference = np.where(upper, less - (1.0 - scores), scores - less)
    m, rest = np.where(upper, 1.0 - less, less), np.where(upper, less, 1.0 - less)
    found = []
    for relative, far in (
        (difference / m, np.log(scores) - np.log(m)),
        (-difference / rest, np.log1p(-scores) - np.log(rest)),
    ):
        near = np.abs(relative) < 0.5
        found.append(np.where(near, np.log1p(np.where(near, relative, 0.0)), far))
    return found[0], found[1]


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """The likelihood at b (p,) and log phi: parameters (p + 1,), log phi the last."""

    cells: Cells
    parameters: Floats
    mu: Floats
    nu: Floats
    """1 - mu."""
    distance: Floats
    """eta - e."""
    divergence: Floats
    """KL(mu, expit(e)) of two Bernoulli distributions."""
    r: Floats
    """(c, 2): remainders of psi at a and b."""
    q: Floats
    """(c, 2): remainders of psi' at a and b."""
    log_likelihood: float

    @classmethod
    def of(cls, cells: Cells, parameters: Floats) -> Point | None:
        """None where the likelihood is not a number: too far off to be looked at."""
        from scipy.special import expit

        eta, log_phi = cells.design @ parameters[:-1], float(parameters[-1])
        if abs(log_phi) > 300.0:
            return None
        phi = math.exp(log_phi)
        mu, nu = expit(eta), expit(-eta)
        shape = np.stack([mu, nu], axis=1) * phi
        if not (shape > 0.0).all():
            return None
        distance = eta - cells.centre
        step = np.where(np.abs(distance) < 1.0, distance, 0.0)
        soft = np.where(
            np.abs(distance) < 1.0,
            np.log1p(expit(cells.centre) * np.expm1(step)),
            np.logaddexp(0.0, eta) - np.logaddexp(0.0, cells.centre),
        )
        divergence = mu * distance - soft
        mean = mu * cells.a + nu * cells.b - divergence
        gamma = remainders.log_gamma(shape).sum(axis=1)
        with np.errstate(divide="ignore"):
            of_cell = 0.5 * (np.log(mu) + np.log(nu)) - gamma + phi * mean
        of_row = 0.5 * (log_phi - _LOG_2PI) + float(remainders.log_gamma(np.array([phi]))[0])
        log_likelihood = float(cells.count @ of_cell) + float(cells.count.sum()) * of_row - cells.constant
        if not math.isfinite(log_likelihood):
            return None
        return cls(
            cells,
            parameters,
            mu,
            nu,
            distance,
            divergence,
            remainders.digamma(shape),
            remainders.trigamma(shape),
            log_likelihood,
        )

    @property
    def phi(self) -> float:
        """The precision."""
        return math.exp(float(self.parameters[-1]))

    def score(self) -> Floats:
        """Derivatives of the log-likelihood (p + 1,)."""
        cells = self.cells
        of_eta, of_phi = self._derivatives(cells.a, cells.b, slice(None))
        return np.append(cells.design.T @ (cells.count * of_eta), cells.count @ of_phi)

    def _difference(self, a: Floats, b: Floats, of: Codes | slice) -> Floats:
        return (a - b) - self.distance[of] + self.r[of, 0] - self.r[of, 1]

    def _derivatives(self, a: Floats, b: Floats, of: Codes | slice) -> tuple[Floats, Floats]:
        """In eta and in log phi, of the mean logarithms of some rows, whose cells are ``of``."""
        mu, nu, phi = self.mu[of], self.nu[of], self.phi
        mean = mu * a + nu * b - self.divergence[of]
        own = float(remainders.digamma(np.array([phi]))[0])
        of_phi = phi * (mean - own + mu * self.r[of, 0] + nu * self.r[of, 1])
        return phi * mu * nu * self._difference(a, b, of), of_phi

    def information(self, *, observed: bool) -> Floats:
        """(p + 1, p + 1): minus the second derivatives of the log-likelihood, or their expectation."""
        cells, mu, nu, phi = self.cells, self.mu, self.nu, self.phi
        h = mu * nu
        q_a, q_b = self.q.T
        eta_eta = phi * h + phi**2 * h**2 * (q_a + q_b)
        eta_phi = phi**2 * h * (mu * q_a - nu * q_b)
        own = float(remainders.trigamma(np.array([phi]))[0])
        phi_phi = phi**2 * (mu**2 * q_a + nu**2 * q_b - own)
        if observed:
            of_eta, of_phi = self._derivatives(cells.a, cells.b, slice(None))
            eta_eta = eta_eta - of_eta * (nu - mu)
            eta_phi = eta_phi - of_eta
            phi_phi = phi_phi - of_phi
        weighted = cells.design * cells.count[:, np.newaxis]
        corner = weighted.T @ (cells.design * eta_eta[:, np.newaxis])
        edge = weighted.T @ eta_phi
        return np.block(
            [[corner, edge[:, np.newaxis]], [edge[np.newaxis], np.array([[cells.count @ phi_phi]])]]
        )
