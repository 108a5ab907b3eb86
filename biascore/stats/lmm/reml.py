"""The REML criterion of many responses at once, with its derivatives, and its minimum.

Parameters are the variance ratios gamma_k = tau_k^2 / sigma^2 (times the scale of factor k, see cross_products);
the fixed effects and sigma^2 are profiled out. Criterion, up to terms without gamma:
log |V| + log |U'V^-1 U| + (n - p) log r2, with V = W^-1 + sum_k gamma_k Z_k Z_k' and r2 the residual sum of squares
in the metric of V^-1 (Bates, Maechler, Bolker and Walker 2015, JSS 67(1), section 3.4). First and second
derivatives are exact (Searle, Casella and McCulloch 1992, Variance Components, chapter 6): with
P = V^-1 - V^-1 U (U'V^-1 U)^-1 U'V^-1, Q_kl = Z_k'PZ_l and g_k = Z_k'Py, the log-determinants have derivatives
tr Q_kk and -||Q_kl||^2, and r2 has -|g_k|^2 and 2 g_k'Q_kl g_l.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from biascore.stats._checks import Floats
from biascore.stats.lmm.cross_products import CrossProducts, Responses

_MAX_ITERATIONS = 200
_MAX_HALVINGS = 40
_MAX_STEP = 3.0  # in log(1 + gamma)
_DECREMENT = 1e-12  # of Newton's predicted gain, twice: one more step then is exact to rounding
_ROUNDED_DECREMENT = 1e-8  # the same where rounding lets no step lower the criterion
_ROUNDING = 1e-12  # of the criterion: less is no rise
_SWEEPS = 25
_PAIRS = 2**20  # products of two columns of C held at once: 8 MiB
_WIDE = 256  # columns of C from which one product of matrices for each of the weights is quicker than pairs of columns


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """The criterion of B responses, each at its own gamma."""

    log_det: Floats
    """(B,): log |V| + log |U'V^-1 U|, up to a constant."""
    rss: Floats
    """(B,): r2."""
    trace: Floats
    """(B, K): tr Q_kk."""
    norm: Floats
    """(B, K, K): ||Q_kl||^2."""
    slope: Floats
    """(B, K): |g_k|^2."""
    form: Floats
    """(B, K, K): g_k'Q_kl g_l."""
    first: Floats
    """(B, q_1): g_1."""
    rest: Floats
    """(B, c): predictions of the effects of factors 2 .. K, and coefficients of U."""

    def criterion(self, df: int) -> Floats:
        """(B,): log_det + (n - p) log r2, for df = n - p."""
        value: Floats = self.log_det + df * np.log(self.rss)
        return value

    def derivatives(self, df: int) -> tuple[Floats, Floats]:
        """Gradient (B, K) and Hessian (B, K, K) of `criterion` in gamma."""
        share = self.slope / self.rss[:, np.newaxis]
        gradient = self.trace - df * share
        outer = share[:, :, np.newaxis] * share[:, np.newaxis, :]
        hessian = -self.norm + df * (2.0 * self.form / self.rss[:, np.newaxis, np.newaxis] - outer)
        return gradient, hessian

    def __getitem__(self, chosen: NDArray[np.intp]) -> Profile:
        return Profile(*(getattr(self, part.name)[chosen] for part in fields(self)))

    def put(self, places: NDArray[np.intp], other: Profile) -> None:
        """Write the responses of another profile over those at ``places``."""
        for part in fields(self):
            getattr(self, part.name)[places] = getattr(other, part.name)


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """The mixed model equations of B responses, solved: C is [Z_2 .. Z_K, U], ratio the gamma of each column."""

    shrink: Floats
    """(B, q_1): 1 / (1 + gamma_1 d), what is left of each level of factor 1."""
    a: Floats
    """(B, c, c): C'V_1^-1 C, where V_1 has factor 1 alone."""
    ay: Floats
    """(B, c): C'V_1^-1 y."""
    log_det: Floats
    """(B,): as in `Profile`."""
    spread: Floats
    """(B, c, c): inverse of a + 1 / ratio, where 1 / ratio is 0 for U; 0 in the columns with ratio 0."""
    to_rest: Floats
    """(B, c, q_2 + … + q_K): the identity less spread a, columns of factors 2 .. K."""

    @classmethod
    def of(cls, cross: CrossProducts, scores: Responses, gamma: Floats) -> Solved:
        """At gamma (B, K)."""
        count, q, between = len(gamma), cross.rest, cross.between
        first = gamma[:, :1] * cross.first if cross.sizes else np.zeros((count, 0))
        shrink = 1.0 / (1.0 + first)
        a = cross.within + gram(between, shrink)
        ay = scores.within + (shrink * scores.between) @ between
        sizes = np.array(cross.sizes[1:], dtype=np.intp)
        root = np.concatenate(
            [np.sqrt(np.repeat(gamma[:, 1:], sizes, axis=1)), np.ones((count, cross.p))], axis=1
        )
        # I + D a D for the effects and a for U, with D = root; scaled to a diagonal of 1, so that neither large
        # ratios nor uneven weights cost digits.
        system = root[:, :, np.newaxis] * a * root[:, np.newaxis, :]
        diagonal = np.arange(q)
        system[:, diagonal, diagonal] += 1.0
        scale = 1.0 / np.sqrt(system.diagonal(axis1=1, axis2=2))
        system *= scale[:, :, np.newaxis] * scale[:, np.newaxis, :]
        inverse = np.linalg.inv(system)
        log_det = np.linalg.slogdet(system)[1] - 2.0 * np.log(scale).sum(axis=1)
        outer = root * scale
        spread = outer[:, :, np.newaxis] * inverse * outer[:, np.newaxis, :]
        # D (I + D a D)^-1 D^-1, without the digits that I - spread a loses; where D is 0 it is that.
        undone = np.divide(scale, root, out=np.zeros_like(root), where=root > 0.0)
        to_rest = outer[:, :, np.newaxis] * inverse[:, :, :q] * undone[:, np.newaxis, :q]
        for k, part in enumerate(cross.slices, start=1):
            zero = np.flatnonzero(gamma[:, k] == 0.0)
            to_rest[zero, :, part] = np.eye(len(scale[0]))[:, part] - spread[zero] @ a[zero, :, part]
        return cls(shrink, a, ay, np.log1p(first).sum(axis=1) + log_det, spread, to_rest)


def gram(between: Floats, weights: Floats) -> Floats:
    """between' diag(weights) between for each of the weights (B, q_1): (B, c, c)."""
    q, c = between.shape
    if c > _WIDE:
        return np.stack([between.T @ (of[:, np.newaxis] * between) for of in weights])
    rows, columns = np.triu_indices(c)
    place = np.zeros((c, c), dtype=np.intp)
    place[rows, columns] = place[columns, rows] = np.arange(len(rows))
    sums = np.zeros((len(weights), len(rows)))
    step = max(1, _PAIRS // len(rows))
    for start in range(0, q, step):  # one product for all weights, of bounded size
        part = between[start : start + step]
        sums += weights[:, start : start + step] @ (part[:, rows] * part[:, columns])
    return sums[:, place]


def evaluate(cross: CrossProducts, scores: Responses, gamma: Floats) -> Profile:
    """The criterion of B responses at gamma (B, K) and what its derivatives are made of."""
    count, factors, q = len(gamma), len(cross.sizes), cross.rest
    at = Solved.of(cross, scores, gamma)
    rest = (at.spread @ at.ay[:, :, np.newaxis])[:, :, 0]
    left = scores.between - rest @ cross.between.T
    # As sums of squares at the minimum, which rounding of ``rest`` does not move to first order.
    ratio = np.repeat(gamma[:, 1:], np.array(cross.sizes[1:], dtype=np.intp), axis=1)
    rss = (
        scores.square
        + ((rest @ cross.within - 2.0 * scores.within) * rest).sum(axis=1)
        + (at.shrink * left**2).sum(axis=1)
        + np.divide(rest[:, :q] ** 2, ratio, out=np.zeros_like(ratio), where=ratio > 0.0).sum(axis=1)
    )
    found = Profile(
        at.log_det, rss, np.empty((count, factors)), np.empty((count, factors, factors)), np.empty((count, factors)),
        np.empty((count, factors, factors)), at.shrink * np.sqrt(cross.first) * left, rest,
    )  # fmt: skip
    g = (at.ay[:, np.newaxis, :] @ at.to_rest)[:, 0]  # of factors 2 .. K
    blocks = at.to_rest.transpose(0, 2, 1) @ at.a[:, :, :q]
    for k, rows in enumerate(cross.slices, start=1):
        found.trace[:, k] = np.trace(blocks[:, rows, rows], axis1=1, axis2=2)
        found.slope[:, k] = (g[:, rows] ** 2).sum(axis=1)
        for m, columns in enumerate(cross.slices[:k], start=1):
            block = blocks[:, rows, columns]
            found.norm[:, k, m] = found.norm[:, m, k] = (block**2).sum(axis=(1, 2))
            value = (g[:, np.newaxis, rows] @ block)[:, 0] * g[:, columns]
            found.form[:, k, m] = found.form[:, m, k] = value.sum(axis=1)
    if factors:
        _first_factor(cross, at, found, g)
    return found


def _first_factor(cross: CrossProducts, at: Solved, found: Profile, g: Floats) -> None:
    """Fill in what belongs to factor 1: Q_11 = diag(own) - shrink B spread B' shrink, with B = Z_1'WC."""
    own, first = at.shrink * cross.first, found.first
    squares = gram(cross.between, at.shrink * own)
    cubes = gram(cross.between, at.shrink * own**2)
    mixed = at.spread @ squares
    found.trace[:, 0] = own.sum(axis=1) - np.trace(mixed, axis1=1, axis2=2)
    found.norm[:, 0, 0] = (
        (own**2).sum(axis=1)
        - 2.0 * (at.spread * cubes).sum(axis=(1, 2))
        + (mixed * mixed.transpose(0, 2, 1)).sum(axis=(1, 2))
    )
    found.slope[:, 0] = (first**2).sum(axis=1)
    pulled = (at.shrink * np.sqrt(cross.first) * first) @ cross.between  # (B, c): B' shrink g_1
    inner = (pulled[:, np.newaxis, :] @ at.spread)[:, 0]
    found.form[:, 0, 0] = (own * first**2).sum(axis=1) - (inner * pulled).sum(axis=1)
    for k, columns in enumerate(cross.slices, start=1):
        to_k = at.to_rest[:, :, columns]
        found.norm[:, 0, k] = found.norm[:, k, 0] = ((squares @ to_k) * to_k).sum(axis=(1, 2))
        value = (pulled[:, np.newaxis, :] @ to_k)[:, 0] * g[:, columns]
        found.form[:, 0, k] = found.form[:, k, 0] = value.sum(axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class Optimum:
    """Where the criterion of each of B responses is smallest."""

    gamma: Floats
    """(B, K): exactly 0 where a variance is estimated to be zero."""
    criterion: Floats
    """(B,)."""
    rss: Floats
    """(B,): r2 there."""
    coefficients: Floats
    """(B, p): of U."""
    converged: NDArray[np.bool_]
    """(B,)."""

    def __getitem__(self, chosen: NDArray[np.intp]) -> Optimum:
        return Optimum(*(getattr(self, part.name)[chosen] for part in fields(self)))


def minimise(cross: CrossProducts, of: Responses, start: Floats) -> Optimum:
    """Newton's method in phi = log(1 + gamma) >= 0 from ``start`` (B, K), all responses at once.

    For one balanced factor the criterion is convex in phi; elsewhere eigenvalues of the Hessian are made positive, steps
    bounded and halved until the criterion falls. A phi that a step takes below 0 is put at exactly 0, and freed
    again when the gradient there is negative, so that at the end the Karush-Kuhn-Tucker conditions hold.
    """
    df = cross.n - cross.p
    count = start.shape[0]
    found = Optimum(
        np.empty_like(start), np.empty(count), np.empty(count), np.empty((count, cross.p)),
        np.zeros(count, dtype=np.bool_),
    )  # fmt: skip
    active, phi = np.arange(count), start
    now = evaluate(cross, of, np.expm1(phi))
    for _ in range(_MAX_ITERATIONS):
        gradient, hessian = _in_phi(now, df, phi)
        step, decrement = _step(phi, gradient, hessian)
        trial, new = _search(cross, of, phi, now.criterion(df), gradient, step, decrement <= _DECREMENT)
        stuck = (trial == phi).all(axis=1)
        done = stuck | (decrement <= _DECREMENT)
        _store(found, active[done], trial[done], new[np.flatnonzero(done)], df)
        found.converged[active[done]] = decrement[done] <= _ROUNDED_DECREMENT
        left = np.flatnonzero(~done)
        active, phi, of, now = active[left], trial[left], of[left], new[left]
        if not left.size:
            return found
    _store(found, active, phi, now, df)
    return found


def _search(
    cross: CrossProducts,
    of: Responses,
    phi: Floats,
    value: Floats,
    gradient: Floats,
    step: Floats,
    last: NDArray[np.bool_],
) -> tuple[Floats, Profile]:
    """The longest of step, step / 2, step / 4, … with which the criterion falls, else none.

    Where it is the ``last`` the whole step is taken: what it gains is below the rounding of the criterion.
    """
    df = cross.n - cross.p
    trial = np.maximum(phi + step, 0.0)
    new = evaluate(cross, of, np.expm1(trial))
    for halving in range(1, _MAX_HALVINGS + 1):
        enough = value + 1e-4 * (gradient * (trial - phi)).sum(axis=1) + _ROUNDING * (1.0 + np.abs(value))
        short = np.flatnonzero(~(last | (new.criterion(df) <= enough)))
        if not short.size:
            break
        share = 2.0**-halving if halving < _MAX_HALVINGS else 0.0
        trial[short] = np.maximum(phi[short] + share * step[short], 0.0)
        new.put(short, evaluate(cross, of[short], np.expm1(trial[short])))
    return trial, new


def _store(found: Optimum, rows: NDArray[np.intp], phi: Floats, at: Profile, df: int) -> None:
    found.gamma[rows] = np.expm1(phi)
    found.criterion[rows], found.rss[rows] = at.criterion(df), at.rss
    found.coefficients[rows] = at.rest[:, -found.coefficients.shape[1] :]


def _in_phi(at: Profile, df: int, phi: Floats) -> tuple[Floats, Floats]:
    gradient, hessian = at.derivatives(df)
    change = np.exp(phi)  # d gamma / d phi, and its own derivative
    gradient = gradient * change
    hessian = hessian * change[:, :, np.newaxis] * change[:, np.newaxis, :]
    diagonal = np.arange(phi.shape[1])
    hessian[:, diagonal, diagonal] += gradient
    return gradient, hessian


def _step(phi: Floats, gradient: Floats, hessian: Floats) -> tuple[Floats, Floats]:
    """Newton's step (B, K) with phi + step >= 0, and its squared length (B,) in the metric of the Hessian."""
    held = (phi <= 0.0) & (gradient >= 0.0)
    free = ~held
    positive = _positive(np.where(_pairs(free), hessian, 0.0))
    diagonal = np.arange(phi.shape[1])
    matrix = np.where(_pairs(free), positive, 0.0)
    matrix[:, diagonal, diagonal] += held
    step = np.linalg.solve(matrix, np.where(free, -gradient, 0.0)[:, :, np.newaxis])[:, :, 0]
    outside = np.flatnonzero((phi + step < 0.0).any(axis=1))
    if outside.size:
        step[outside] = _bounded(phi[outside], gradient[outside], matrix[outside], free[outside])
    decrement = ((matrix @ step[:, :, np.newaxis])[:, :, 0] * step).sum(axis=1)
    longest = np.abs(step).max(axis=1, initial=0.0)
    shortened: Floats = step * np.minimum(1.0, _MAX_STEP / np.maximum(longest, _MAX_STEP))[:, np.newaxis]
    return shortened, decrement


def _bounded(phi: Floats, gradient: Floats, matrix: Floats, free: NDArray[np.bool_]) -> Floats:
    """The step that is best by the quadratic model with phi + step >= 0, by coordinate descent: always downhill."""
    step = np.zeros_like(phi)
    for _ in range(_SWEEPS):
        for k in range(phi.shape[1]):
            slope = gradient[:, k] + (matrix[:, k] * step).sum(axis=1)
            best = np.maximum(step[:, k] - slope / matrix[:, k, k], -phi[:, k])
            step[:, k] = np.where(free[:, k], best, 0.0)
    return step


def _pairs(chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    both: NDArray[np.bool_] = chosen[:, :, np.newaxis] & chosen[:, np.newaxis, :]
    return both


def _positive(hessian: Floats) -> Floats:
    """The same eigenvectors with eigenvalues made positive."""
    if not hessian.shape[1]:
        return hessian
    values, vectors = np.linalg.eigh(hessian)
    values = np.abs(values)
    values = np.maximum(values, 1e-6 * values.max(axis=1, keepdims=True) + 1e-12)
    positive: Floats = (vectors * values[:, np.newaxis, :]) @ vectors.transpose(0, 2, 1)
    return positive
