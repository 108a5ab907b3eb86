"""Maximum likelihood by safeguarded Fisher scoring, for scores nearly constant and for scores that are all but 0 or 1."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from biascore.stats._checks import Floats
from biascore.stats.beta.likelihood import Cells, Point
from biascore.stats.errors import RegressionError

MAX_STEPS = 200
"""Steps before a fit is given up; a dozen are many."""

_LARGEST = 4.0  # a step changes log phi by at most this
_NEAR = 1e-2  # decrement below which steps are Newton's, whose convergence is quadratic, and are not halved any more
_CONVERGED = 1e-16  # decrement: the estimates are within 1e-8 of a standard error, and one more step is taken
_ROUNDING = 1e-8  # a decrement below this that is not halved any more is rounding


@dataclass(frozen=True, slots=True, eq=False)
class Optimum:
    """Where the likelihood is largest."""

    at: Point
    steps: int


def maximise(cells: Cells) -> Optimum:
    """The maximum of the likelihood; RegressionError where it is not found.

    A step is the score times the inverse of the expected information, which is always positive definite, and of the
    observed one near the maximum; it is halved until the likelihood increases. The decrement, the squared length of a step
    in standard errors, says when to stop.
    """
    at = _start(cells)
    before = math.inf
    for steps in range(1, MAX_STEPS + 1):
        step, decrement = _step(at, observed=before < _NEAR)
        if decrement <= _CONVERGED or (decrement <= _ROUNDING and decrement >= before / 2.0):
            last = Point.of(cells, at.parameters + step)
            return Optimum(last if decrement <= _CONVERGED and last else at, steps)
        moved = _climb(at, step, free=max(before, decrement) <= _NEAR)
        if moved is None:
            break
        at, before = moved, decrement
    raise RegressionError(
        f"the Beta regression of {len(cells.of_row)} scores did not converge (precision {at.phi:.3g}); "
        "look at the scores, and use least squares (biascore.stats.ols) where they are far from any Beta distribution"
    )


def invert(information: Floats) -> Floats | None:
    """The inverse of an information (k, k), None if it is not positive definite; scaled, so that units do not matter."""
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    diagonal = np.diag(information)
    if not (np.isfinite(information).all() and (diagonal > 0.0).all()):
        return None
    scale = 1.0 / np.sqrt(diagonal)
    try:
        factor = cho_factor(information * np.outer(scale, scale), lower=True)
    except LinAlgError:
        return None
    inverse: Floats = cho_solve(factor, np.eye(scale.size)) * np.outer(scale, scale)
    return (inverse + inverse.T) / 2.0


def _step(at: Point, *, observed: bool) -> tuple[Floats, float]:
    """A step uphill, and its decrement."""
    score = at.score()
    for kind in (True, False) if observed else (False,):
        inverse = invert(at.information(observed=kind))
        if inverse is not None:
            step = inverse @ score
            return step, float(score @ step)
    raise RegressionError(
        f"the Beta regression of {len(at.cells.of_row)} scores has no information at precision {at.phi:.3g}; "
        "look at the scores, and use least squares (biascore.stats.ols) where they are far from any Beta distribution"
    )


def _climb(at: Point, step: Floats, *, free: bool) -> Point | None:
    """The first of the step, its half, its quarter … at which the likelihood does not fall, but for rounding."""
    share = min(1.0, _LARGEST / max(abs(float(step[-1])), 1e-300))
    slack = 1e-13 * (abs(at.log_likelihood) + abs(at.cells.constant))
    for _ in range(60):
        found = Point.of(at.cells, at.parameters + share * step)
        if found is not None and (free or found.log_likelihood >= at.log_likelihood - slack):
            return found
        share /= 2.0
    return None


def _start(cells: Cells) -> Point:
    """The better of two: least squares on the mean logits of the cells, and on the logits of their means."""
    from scipy.special import expit

    low, high = 1e-6, 1.0 - 1e-6
    of_row = cells.of_row
    scores = np.clip(expit(cells.centre)[of_row] * np.exp(cells.row_a), low, high)
    means = np.bincount(of_row, weights=scores) / cells.count
    root = np.sqrt(cells.count)
    best: Point | None = None
    for logits in (cells.centre, np.log(means) - np.log1p(-means)):
        b = np.linalg.lstsq(cells.design * root[:, np.newaxis], logits * root, rcond=None)[0]
        mu = expit(np.clip(cells.design @ b, -30.0, 30.0))[of_row]
        variance = float(np.square(scores - mu).mean())
        phi = float((mu * (1.0 - mu)).mean()) / max(variance, 1e-300) - 1.0
        found = Point.of(cells, np.append(b, math.log(max(phi, 0.1))))
        if found is not None and (best is None or found.log_likelihood > best.log_likelihood):
            best = found
    if best is not None:
        return best
    level = Point.of(cells, np.zeros(cells.design.shape[1] + 1))
    assert level is not None  # b = 0, phi = 1: every score in (0, 1) has a likelihood
    return level
